"""A typo swaps, adds, drops or replaces one letter."""

from __future__ import annotations

from random import Random

from bench.typos import misspelt
from remem.text.typos import single_typos
from tests.tables import each_row


@each_row(
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
def test_the_intended_word_is_among_the_guesses(written: str, meant: str) -> None:
    assert meant in single_typos(written)


def test_the_first_letter_is_taken_to_be_right() -> None:
    assert all(typo.startswith("g") for typo in single_typos("garden"))


def test_guesses_are_unique_and_differ_from_the_word() -> None:
    guesses = single_typos("goose")

    assert len(set(guesses)) == len(guesses)
    assert "goose" not in guesses


def test_unlisted_scripts_only_swap_or_drop_letters() -> None:
    assert single_typos("αβγ") == ["αγβ", "αγ", "αβ"]


def test_every_typo_of_the_benchmark_is_one_typo_away() -> None:
    letters = Random(3)
    words = ["".join(letters.choices("abcdefgh", k=7)) for _ in range(200)]
    slips = {word: misspelt(word, 5) for word in words}

    assert all(word == slip or word in single_typos(slip) for word, slip in slips.items())
    assert sum(word != slip for word, slip in slips.items()) > 50


@each_row("word", ["", "a", "ab"])
def test_short_words_have_few_or_none(word: str) -> None:
    assert word not in single_typos(word)
