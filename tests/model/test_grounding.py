"""A lesson is kept only if its words occur at the place it names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.entry import Origin
from remem.model.lesson import LearnedLessons, Lesson, Utterance
from remem.model.statement import NOT_IN_SOURCE, find_spelling, keep_grounded
from tests.tables import each_row

TEXT = "Jonas said: “don’t plant  peas”, and left."


@each_row("words", ["Jonas said", "jonas SAID", '"don\'t plant peas"', "plant peas", "and left."])
def test_words_are_found_in_another_spelling(words: str) -> None:
    found = find_spelling(TEXT, words)

    assert found is not None
    assert found in TEXT


@each_row("words", ["plant beans", "peas plant", "", " ", "Jonas .* left", "x" * 9999])
def test_other_words_are_not_found(words: str) -> None:
    assert find_spelling(TEXT, words) is None


@given(st.text(max_size=80), st.text(max_size=20))
def test_found_words_occur_in_the_text(text: str, words: str) -> None:
    found = find_spelling(text, words)

    assert found is None or found in text


def test_a_lesson_without_its_place_is_dropped_and_counted() -> None:
    text = "We never plant  peas in bed three."
    said = [Utterance("user", text, "talk", 1), Utterance("user", "Beans are fine.", "talk", 2)]
    right = Lesson("fact", "plant peas", origin=Origin("talk", 1))
    wrong = [
        Lesson("fact", "plant peas"),
        Lesson("fact", "plant peas", origin=Origin("talk", 2)),
        Lesson("fact", "plant peas", origin=Origin("other", 1)),
    ]

    found = keep_grounded(LearnedLessons((right, *wrong), (), {"question": 2}), said)

    assert [lesson.text for lesson in found.lessons] == ["plant  peas"]
    assert found.skipped == {"question": 2, NOT_IN_SOURCE: 3}
