import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.text import fingerprints as text_fingerprints
from remem.text.fingerprints import fingerprints
from remem.text.similarity import fingerprint_of
from tests.text.test_similarity import TEXTS

ODD = [
    "",
    " ",
    "One sentence. Another one! A third?",
    "The same words, the same words, the same words.",
    "Straße and STRASSE",
    "我们在里斯本见面。你带书。",
    "a\x00b",
    "line\n\nline\n",
    " ".join(f"w{i}" for i in range(700)),
]


@given(st.lists(TEXTS, max_size=12))
def test_those_of_many_are_those_of_each(texts: list[str]) -> None:
    together = [*texts, *ODD] * 5 + [f"filler {i}" for i in range(60)]

    assert len(together) >= text_fingerprints._MIN_TEXTS
    assert fingerprints(together) == list(map(fingerprint_of, together))


def test_plain_texts_without_a_stranger_among_them_are_the_same_too() -> None:
    texts = [f"Number {i} of {i % 7} things. It stands  in\thall {i % 3}!" for i in range(150)]

    assert fingerprints(texts) == list(map(fingerprint_of, texts))


def test_texts_without_a_word_have_prints_too() -> None:
    texts = ["...", "", "?!"] * 50

    assert fingerprints(texts) == list(map(fingerprint_of, texts))


def test_a_part_too_few_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_fingerprints, "_part_count", lambda most: max(1, most // 4))
    text_fingerprints._own_parts.cache_clear()
    texts = [f"Number {i} of {i % 7} things in the hall" for i in range(150)]
    try:
        assert fingerprints(texts) != list(map(fingerprint_of, texts))
    finally:
        text_fingerprints._own_parts.cache_clear()
