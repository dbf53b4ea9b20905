from __future__ import annotations

import pytest

from remem.text.line_status import Annotations, annotations_of, without_annotations


def test_a_line_without_remarks_has_none() -> None:
    assert annotations_of("- plain <!-- a comment -->") == Annotations()


def test_remarks_at_the_end_of_a_line_are_read() -> None:
    line = (
        "- The venue is booked <!-- trigger: wedding, venue --> "
        "<!-- importance: 7 --> <!-- project: party; summer -->"
    )

    assert annotations_of(line) == Annotations(7, "wedding; venue", "party; summer")


def test_of_several_lines_the_highest_importance_counts_and_phrases_are_united() -> None:
    text = (
        "- a <!-- importance: 3 --> <!-- trigger: x -->\n- b <!-- importance: 9 --> "
        "<!-- TRIGGER: x; y -->"
    )

    assert annotations_of(text) == Annotations(9, "x; y", None)


@pytest.mark.parametrize("value", ["0", "11", "high", "", "²", "-3", "7.5"])
def test_an_importance_that_is_no_number_from_one_to_ten_does_not_count(value: str) -> None:
    assert annotations_of(f"- a <!-- importance: {value} -->").importance is None


def test_remarks_are_left_out_of_what_a_person_reads_and_other_comments_stay() -> None:
    text = "- a <!-- importance: 3 -->\n- b <!-- keep -->\n- c <!--trigger: x-->"

    assert without_annotations(text) == "- a\n- b <!-- keep -->\n- c"
