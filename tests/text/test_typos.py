"""One slip is one letter: twisted, too many, lost or mistaken."""

from __future__ import annotations

from random import Random

import pytest

from bench.typos import misspelt
from remem.text.typos import single_typos


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gardne", "garden"),
        ("garrden", "garden"),
        ("gaden", "garden"),
        ("garfen", "garden"),
        ("garde", "garden"),
        ("сабака", "собака"),
    ],
)
def test_what_was_meant_is_among_the_guesses(written: str, meant: str) -> None:
    assert meant in single_typos(written)


def test_the_first_letter_is_taken_to_be_right() -> None:
    assert all(each.startswith("g") for each in single_typos("garden"))


def test_no_guess_comes_twice_nor_is_the_word_itself() -> None:
    guesses = single_typos("goose")

    assert len(set(guesses)) == len(guesses)
    assert "goose" not in guesses


def test_letters_of_a_script_without_a_list_are_only_twisted_or_dropped() -> None:
    assert single_typos("αβγ") == ["αγβ", "αγ", "αβ"]


def test_every_slip_of_the_bench_is_one_slip_away() -> None:
    letters = Random(3)
    words = ["".join(letters.choices("abcdefgh", k=7)) for _ in range(200)]
    slips = {word: misspelt(word, 5) for word in words}

    assert all(word == slip or word in single_typos(slip) for word, slip in slips.items())
    assert sum(word != slip for word, slip in slips.items()) > 50


@pytest.mark.parametrize("word", ["", "a", "ab"])
def test_short_words_have_few_or_none(word: str) -> None:
    assert word not in single_typos(word)
