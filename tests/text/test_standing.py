"""A line that is ticked, struck through or marked as done no longer waits for anybody."""

from __future__ import annotations

import pytest

from remem.text.line_status import LineStatus, is_ticked, leading_brackets, line_status


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("[done] The ledger moved to SQLite.", "done"),
        ("**[Done]** The ledger moved to SQLite.", "done"),
        ("[x] Wrote the importer.", "done"),
        ("[ops] [完成] 迁移", "done"),
        ("~~Write the importer~~ ✅", "done"),
        ("[ ] Write the importer.", "current"),
        ("[ops] Write the importer.", "current"),
        ("Write down what is [done].", "current"),
        ("The relay (deprecated) runs on atlas.", "superseded"),
    ],
)
def test_the_marks_of_a_line_say_whether_it_still_holds(text: str, standing: LineStatus) -> None:
    assert line_status(text) == standing


def test_an_annotation_may_say_it_instead() -> None:
    assert line_status("The relay runs on atlas.", "inactive") == "superseded"


def test_a_box_is_ticked_or_not_or_not_there() -> None:
    assert [is_ticked(each) for each in ("[x] a", "[ ] a", "a [x]")] == [True, False, None]


def test_a_link_is_no_bracket() -> None:
    assert leading_brackets("[ops] [home](http://127.0.0.1) x") == ["ops"]
