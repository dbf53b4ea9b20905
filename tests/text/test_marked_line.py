"""A line of ours says what it was made from, and whether somebody has changed it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.marked_line import add_mark, read_mark


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


def test_a_changed_word_is_seen() -> None:
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
