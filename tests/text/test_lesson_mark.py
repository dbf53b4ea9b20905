"""Whoever writes a lesson again finds its mark in the file."""

from __future__ import annotations

from remem.text.marked_line import lesson_ids_in, lesson_mark, remove_lesson_marks

BEANS = "3f2a9c1e77aa"


def test_a_mark_is_found_again_with_and_without_its_place() -> None:
    line = f"- beans {lesson_mark(BEANS, '3f2a9c1e#L12')} {lesson_mark('0123456789ab')}"

    assert lesson_ids_in(line) == {BEANS, "0123456789ab"}
    assert remove_lesson_marks(line) == "- beans"


def test_other_comments_are_no_marks() -> None:
    line = "- beans <!-- remem: end 497c5737 --> <!-- importance: 7 --> <!-- remem:short -->"

    assert lesson_ids_in(line) == frozenset()
    assert remove_lesson_marks(line) == line
