from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from remem.embed.token_vectors import AXES, ContentTokens, load_basis, pack_signs

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[", ",", "?", "a", "b", "中", "5"]
VOCABULARY += ["[unused]"] * (1996 - len(VOCABULARY))
VOCABULARY += ["the", "of", "time", "wedding", "##s", "lighthouse", "##keeper"]
TELLING = ContentTokens(VOCABULARY)

hidden_rows = arrays.arrays(np.float32, (5, 384), elements=st.floats(-4, 4, width=32))


def ids(*pieces: str) -> np.ndarray:
    return np.array([VOCABULARY.index(piece) for piece in pieces], np.int64)


def test_content_words_are_kept_and_stop_words_punctuation_and_marks_are_not() -> None:
    text = ids("[CLS]", "the", "wedding", "##s", ",", "5", "of", "中", "[", "?", "[UNK]", "[SEP]")

    assert TELLING.positions(text).tolist() == [2, 3, 5, 7]


def test_a_text_without_content_words_keeps_no_token() -> None:
    assert TELLING.positions(ids("[CLS]", "the", "?", "[SEP]")).tolist() == []


def test_a_rare_word_weighs_more_than_a_frequent_one() -> None:
    time, wedding, lighthouse = TELLING.weights(ids("time", "wedding", "lighthouse"))

    assert 0.5 <= time < wedding < lighthouse <= 1


def test_the_pieces_of_a_word_share_its_weight() -> None:
    whole = TELLING.weights(ids("lighthouse", "wedding"))
    cut = TELLING.weights(ids("lighthouse", "##keeper", "wedding"))

    assert cut[0] == pytest.approx(whole[0] / 2)
    assert cut[2] == pytest.approx(whole[1])


def test_the_axes_are_at_right_angles_and_of_length_one() -> None:
    axes = load_basis().axes

    assert axes.shape == (AXES, 384)
    assert axes @ axes.T == pytest.approx(np.eye(AXES), abs=2e-3)  # the file has 16-bit floats


@given(hidden_rows)
def test_projected_tokens_have_length_one_or_zero(hidden: np.ndarray) -> None:
    projected = load_basis().project(hidden)

    assert projected.shape == (5, AXES)
    assert projected.dtype == np.float32
    lengths = np.linalg.norm(projected, axis=1)
    assert ((np.abs(lengths - 1) < 1e-4) | (lengths == 0)).all()


@given(hidden_rows)
def test_the_signs_of_a_token_are_near_the_token_itself(hidden: np.ndarray) -> None:
    projected = load_basis().project(hidden)

    bits = pack_signs(projected)

    assert (bits.shape, bits.dtype) == ((5, 16), np.uint8)
    signs = (np.unpackbits(bits, axis=1).astype(np.float32) * 2 - 1) / np.sqrt(AXES)
    assert ((signs * projected).sum(axis=1) >= 0).all()
    assert np.array_equal(signs > 0, projected >= 0)


def test_projecting_no_tokens_gives_no_tokens() -> None:
    projected = load_basis().project(np.empty((0, 384), np.float32))

    assert pack_signs(projected).shape == (0, 16)


class Counted:
    """The axes of a basis; keeps the size of every product with them."""

    __array_ufunc__ = None  # numpy leaves the product to this class

    def __init__(self, axes: np.ndarray) -> None:
        self.T, self._axes = self, axes
        self.sizes: list[int] = []

    def __rmatmul__(self, rows: np.ndarray) -> np.ndarray:
        self.sizes.append(rows.size * len(self._axes))
        return rows @ self._axes.T


def test_a_projection_is_too_small_for_blas_threads() -> None:
    hidden = np.random.default_rng(7).normal(size=(100, 384)).astype(np.float32)
    counted: Any = Counted(load_basis().axes)

    projected = replace(load_basis(), axes=counted).project(hidden)

    assert np.array_equal(projected, load_basis().project(hidden))
    assert max(counted.sizes) < 2**18
