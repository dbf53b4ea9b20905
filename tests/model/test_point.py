"""Points are told group by group, in words of their own or in a sentence that tells them."""

from __future__ import annotations

from remem.model.page import Point, Sentence, page_lines
from remem.text.marked_line import add_mark

POINTS = [
    Point("a-2", "Lives in Lisbon.", "Status", "2026-05-03"),
    Point("a-1", "Works at Halden since 2025-01-01.", "Status", "2025-01-01", "completed"),
    Point("a-3", "Likes tea.", "Preferences"),
]


def test_points_stand_under_their_headings_with_state_and_day() -> None:
    assert page_lines("lead", POINTS) == [
        "lead",
        "",
        "## Status",
        "",
        add_mark("- Lives in Lisbon. (2026-05-03)", ("a-2",)),
        add_mark("- Works at Halden since 2025-01-01. (completed)", ("a-1",)),
        "",
        "## Preferences",
        "",
        add_mark("- Likes tea.", ("a-3",)),
    ]


def test_a_sentence_stands_for_its_points_and_the_rest_is_told_plainly() -> None:
    told = [Sentence("She lives in Lisbon and likes tea.", ("a-2", "a-3"))]

    assert page_lines("lead", POINTS, told)[2:] == [
        "## Status",
        "",
        add_mark("She lives in Lisbon and likes tea.", ("a-2", "a-3")),
        "",
        add_mark("- Works at Halden since 2025-01-01. (completed)", ("a-1",)),
    ]
