import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from remem.embed.minilm import MiniLM
from remem.errors import EmbedderError, ModelMissing

VENUE = "The ceremony and the party are in the old lighthouse at Cape Mondego."
OTHERS = [
    "The quarterly invoice for the office rent was paid on Tuesday.",
    "Never deploy on a Friday without telling the on-call engineer.",
    "Her cat is called Pixel and sleeps on the router.",
    "The database keeps one file per scope.",
]


def test_the_identity_names_weights_and_token_space() -> None:
    """A change here is a change of every stored vector: make it on purpose only."""
    identity = MiniLM(Path("nowhere")).identity

    assert str(identity) == "all-MiniLM-L6-v2/384/int8-c1a3a066+128x1bit-7be5c1c7"


def test_a_missing_model_is_an_error_with_the_command_to_fetch_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="remem models fetch minilm"):
        MiniLM(tmp_path).embed_query("anything")


def test_a_command_that_needs_no_vector_loads_neither_numpy_nor_onnxruntime(tmp_path: Path) -> None:
    program = (
        "import sys; from remem.app.opening import open_workspace\n"
        "with open_workspace(sys.argv[1], background=False) as ws: ws.refresh()\n"
        "print(sorted({'numpy', 'onnxruntime'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_other_scripts_are_not_supported() -> None:
    model = MiniLM(Path("nowhere"))

    assert model.language_support("When is the wedding?")
    assert not model.language_support("婚礼在哪里举行?")


@pytest.mark.model
def test_a_question_is_near_the_answer_that_shares_no_word_with_it(minilm: MiniLM) -> None:
    question = minilm.embed_query("Where do we get married?").pooled

    near, *far = (
        float(embedding.pooled @ question) for embedding in minilm.embed([VENUE, *OTHERS])
    )

    assert near > max(far) + 0.1


@pytest.mark.model
def test_token_vectors_alone_find_the_answer(minilm: MiniLM) -> None:
    question = minilm.embed_query("Which pet lives with her?")
    scores = []
    for text in minilm.embed([VENUE, *OTHERS]):
        signs = (np.unpackbits(text.tokens, axis=1).astype(np.float32) * 2 - 1) / np.sqrt(128)
        best = (signs @ question.tokens.T).max(axis=0)
        scores.append(float(best @ question.weights))

    assert int(np.argmax(scores)) == 3


@pytest.mark.model
def test_there_is_one_token_vector_per_content_word(minilm: MiniLM) -> None:
    (text,) = minilm.embed(["The cat is on the sofa, of course."])
    question = minilm.embed_query("The cat is on the sofa, of course?")

    assert text.tokens.shape == (3, 16)
    assert question.tokens.shape == (3, 128)
    assert question.weights.shape == (3,)


@pytest.mark.model
def test_a_text_of_stop_words_has_no_token_vectors(minilm: MiniLM) -> None:
    assert minilm.embed(["what is it?"])[0].tokens.shape == (0, 16)
    assert minilm.embed_query("what is it?").tokens.shape == (0, 128)


@pytest.mark.model
@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt", "manifest.json"])
def test_a_damaged_model_counts_as_missing(model_folder: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "minilm"
    shutil.copytree(model_folder, folder)
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)

    with pytest.raises(ModelMissing):
        MiniLM(folder).embed_query("anything")


@pytest.mark.model
def test_a_closed_model_is_an_error(model_folder: Path) -> None:
    model = MiniLM(model_folder)
    model.embed(["something"])
    model.close()

    with pytest.raises(EmbedderError, match="closed"):
        model.embed(["something"])


@pytest.mark.model
def test_words_are_known_and_typos_are_not(minilm: MiniLM) -> None:
    assert all(map(minilm.knows, ["mother", "Mother", "garden", "painting"]))
    assert not any(map(minilm.knows, ["mothre", "gardne", "xqzv", ""]))
