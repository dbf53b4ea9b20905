"""Marked lines name their sources, and show whether somebody changed them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from remem.text.marked_line import (
    MarkedLine,
    add_mark,
    lesson_ids_in,
    lesson_mark,
    line_digest,
    read_mark,
    remove_lesson_marks,
    shorten_lesson_marks,
)


def test_a_line_names_its_sources_and_is_unchanged() -> None:
    line = add_mark("- Lives in Lisbon.", ("anna-001", "anna-002"))
    mark = read_mark(line)

    assert line.startswith("- Lives in Lisbon. ^anna-001,anna-002-")
    assert mark is not None
    assert (mark.text, mark.sources, mark.changed) == (
        "- Lives in Lisbon.",
        ("anna-001", "anna-002"),
        False,
    )


def test_the_marks_of_earlier_versions_are_read() -> None:
    digest = line_digest("- Lives in Lisbon.")

    mark = read_mark(f"- Lives in Lisbon. <!-- anna-001 anna-002 {digest} -->")

    assert mark == MarkedLine("- Lives in Lisbon.", ("anna-001", "anna-002"), changed=False)


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
    assert "<!--" not in line
    assert mark is not None
    assert not mark.changed


BEANS = "3f2a9c1e77aa"


def test_lesson_marks_of_this_and_of_earlier_versions_are_found() -> None:
    former = f"<!-- remem:{BEANS} from 3f2a9c1e#L12 --> <!-- remem:ffffffffffff -->"
    line = f"- beans {lesson_mark('0123456789ab')} {former}"

    assert lesson_ids_in(line) == {BEANS, "0123456789ab", "ffffffffffff"}
    assert remove_lesson_marks(line) == "- beans"


@given(st.integers(0, 2**48 - 1))
def test_a_lesson_mark_is_a_short_block_id_that_gives_its_id_back(number: int) -> None:
    id_ = f"{number:012x}"

    assert re.fullmatch(r"\^rem-[0-9a-z]{10}", lesson_mark(id_))
    assert lesson_ids_in(f"- [x] seeds {lesson_mark(id_)}") == {id_}
    assert lesson_ids_in(rf"- seeds \{lesson_mark(id_)} {lesson_mark(id_)}0") == frozenset()


def test_marks_of_earlier_versions_are_shortened_unless_they_name_a_source() -> None:
    text = f"- a <!-- remem:{BEANS} -->\r\n- b <!-- remem:{BEANS} from x#L1 -->\r\n"

    short = shorten_lesson_marks(text)

    assert short == f"- a {lesson_mark(BEANS)}\r\n- b <!-- remem:{BEANS} from x#L1 -->\r\n"
    assert shorten_lesson_marks(short) == short


def test_other_comments_are_not_lesson_marks() -> None:
    line = "- beans <!-- remem: end 497c5737 --> <!-- importance: 7 --> <!-- remem:short -->"

    assert lesson_ids_in(line) == frozenset()
    assert remove_lesson_marks(line) == line
