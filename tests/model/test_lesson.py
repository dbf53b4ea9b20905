"""A lesson is identified by its words, whatever their origin."""

from __future__ import annotations

from dataclasses import replace

from remem.model.entry import Origin
from remem.model.lesson import Lesson

BEANS = Lesson("decision", "We plant beans in bed 3.")


def test_the_same_words_are_the_same_lesson_whatever_their_origin() -> None:
    again = Lesson("decision", "we plant  BEANS in bed 3.", origin=Origin("talk.jsonl", 7))

    assert again.id == BEANS.id


def test_other_words_another_kind_or_another_project_is_another_lesson() -> None:
    others = [
        replace(BEANS, text="We plant beans in bed 4."),
        replace(BEANS, kind="fact"),
        replace(BEANS, project="garden"),
        replace(BEANS, topic="beds"),
        replace(BEANS, trust="untrusted"),
    ]

    assert len({BEANS.id, *(lesson.id for lesson in others)}) == len(others) + 1
