"""Quick vectors are near enough to the model's own to be compared with its questions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from remem.embed.minilm import MiniLM
from remem.embed.model_files import QUICK_TABLE
from remem.embed.quick import QuickEmbedder, load_quick
from remem.embed.quick_table import piece_weights
from remem.errors import ModelMissing

TEXTS = [
    "The ceremony and the party are in the old lighthouse at Cape Mondego.",
    "The quarterly invoice for the office rent was paid on Tuesday.",
    "Never deploy on a Friday without telling the on-call engineer.",
    "Her cat is called Pixel and sleeps on the router.",
    "The database keeps one file per scope.",
]
QUESTIONS = [
    "Where is the party?",
    "Which bill did we pay for our rooms?",
    "On which day is it forbidden to release software?",
    "Which pet lives with her?",
    "How is data stored?",
]


@pytest.fixture(scope="module")
def quick(model_folder: Path) -> QuickEmbedder:
    made = load_quick(model_folder)
    assert made is not None, "a fetched model has its table"
    return made


@pytest.mark.model
def test_a_question_finds_a_text_by_its_quick_vector(quick: QuickEmbedder, minilm: MiniLM) -> None:
    rough = np.stack([embedding.pooled for embedding in quick.embed(TEXTS)])

    best = [int(np.argmax(rough @ minilm.embed_query(question).pooled)) for question in QUESTIONS]

    assert best == [0, 1, 2, 3, 4]


@pytest.mark.model
def test_a_quick_vector_is_nearest_to_the_full_vector_of_its_text(
    quick: QuickEmbedder, minilm: MiniLM
) -> None:
    rough = np.stack([embedding.pooled for embedding in quick.embed(TEXTS)])
    own = np.stack([embedding.pooled for embedding in minilm.embed(TEXTS)])

    assert (np.argmax(rough @ own.T, axis=1) == np.arange(len(TEXTS))).all()
    assert np.linalg.norm(rough, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.model
def test_quick_vectors_keep_the_same_tokens_as_the_model(
    quick: QuickEmbedder, minilm: MiniLM
) -> None:
    for rough, own in zip(quick.embed(TEXTS), minilm.embed(TEXTS), strict=True):
        assert rough.tokens is not None
        assert own.tokens is not None
        assert rough.tokens.shape == own.tokens.shape
        assert rough.tokens.dtype == own.tokens.dtype


@pytest.mark.model
def test_a_quick_vector_does_not_depend_on_the_batch(quick: QuickEmbedder) -> None:
    odd = ["", "\x00", "字" * 900, "?", "word " * 5000, "[CLS] [SEP]"]
    together = quick.embed([*TEXTS, *odd] * 60)

    for text, vector in zip([*TEXTS, *odd], together, strict=False):
        (alone,) = quick.embed([text])
        assert np.allclose(alone.pooled, vector.pooled, atol=1e-6)
        assert np.array_equal(alone.tokens, vector.tokens)
        assert np.isfinite(vector.pooled).all()


def test_frequent_pieces_count_little_and_control_tokens_nothing() -> None:
    vocabulary = ["[PAD]", *[f"[unused{i}]" for i in range(1994)], "x", "the", "of"]
    vocabulary += [f"word{i}" for i in range(20_000)]

    counts = piece_weights(vocabulary)

    assert counts[0] == counts[1000] == 0
    assert counts[1996] < 0.2 < 0.9 < counts[-1]
    assert (np.diff(counts[1996:]) >= 0).all()


@pytest.mark.model
def test_a_model_without_a_table_has_no_quick_vectors(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    shutil.copytree(model_folder, folder)
    (folder / QUICK_TABLE).unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["sha256"][QUICK_TABLE]
    (folder / "manifest.json").write_text(json.dumps(manifest))

    model = MiniLM(folder)

    assert model.embed_quickly(TEXTS) is None
    assert len(model.embed(TEXTS)) == len(TEXTS)


@pytest.mark.model
def test_a_damaged_table_is_refused(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    shutil.copytree(model_folder, folder)
    data = bytearray((folder / QUICK_TABLE).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / QUICK_TABLE).write_bytes(data)
    model = MiniLM(folder)

    with pytest.raises(ModelMissing, match="remem models fetch minilm"):
        model.embed_quickly(TEXTS)
    assert len(model.embed(TEXTS)) == len(TEXTS)
