"""Marked lines name their sources, and show whether somebody changed them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.marked_line import (
    add_mark,
    lesson_ids_in,
    lesson_mark,
    read_mark,
    remove_lesson_marks,
)


def test_a_line_names_its_sources_and_is_unchanged() -> None:
    line = add_mark("- Lives in Lisbon.", ("anna-001", "anna-002"))
    mark = read_mark(line)

    assert line.startswith("- Lives in Lisbon. <!-- anna-001 anna-002 ")
    assert mark is not None
    assert (mark.text, mark.sources, mark.changed) == (
        "- Lives in Lisbon.",
        ("anna-001", "anna-002"),
        False,
    )


def test_a_changed_word_is_noticed() -> None:
    line = add_mark("- Lives in Lisbon.", ("anna-001",)).replace("Lisbon", "Porto")

    mark = read_mark(line)

    assert mark is not None
    assert mark.changed
    assert mark.text == "- Lives in Porto."


def test_a_line_without_a_mark_is_a_persons() -> None:
    assert read_mark("- Lives in Lisbon.") is None
    assert read_mark("- A remark <!-- anna-001 -->") is None


@given(st.text(), st.text(min_size=1))
def test_any_text_and_any_id_make_one_line_that_is_read_back(text: str, source: str) -> None:
    line = add_mark(text, (source,))
    mark = read_mark(line)

    assert len(line.splitlines()) == 1 or "\n" not in line
    assert line.count("<!--") == 1
    assert mark is not None
    assert not mark.changed


BEANS = "3f2a9c1e77aa"


def test_a_lesson_mark_is_found_with_and_without_its_source() -> None:
    line = f"- beans {lesson_mark(BEANS, '3f2a9c1e#L12')} {lesson_mark('0123456789ab')}"

    assert lesson_ids_in(line) == {BEANS, "0123456789ab"}
    assert remove_lesson_marks(line) == "- beans"


def test_other_comments_are_not_lesson_marks() -> None:
    line = "- beans <!-- remem: end 497c5737 --> <!-- importance: 7 --> <!-- remem:short -->"

    assert lesson_ids_in(line) == frozenset()
    assert remove_lesson_marks(line) == line
