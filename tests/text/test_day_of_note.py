from __future__ import annotations

import pytest

from remem.text.note_dates import day_of_headings, day_of_name


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-03-18.md", "2026-03-18"),
        ("memory/2026-03-18-garden-plan.md", "2026-03-18"),
        ("memory/2026-03-18_garden.md", "2026-03-18"),
        ("memory/2026-03-18-0930.md", "2026-03-18"),
        ("memory/garden-2026-03-18.md", "2026-03-18"),
        ("memory/20260318.md", "2026-03-18"),
        ("memory/archive/2024_02_29.md", "2024-02-29"),
        ("memory/2026-W12.md", "2026-03-16"),
        ("memory/2026-03.md", "2026-03-01"),
        ("memory/2026.03.18 notes.md", "2026-03-18"),
    ],
)
def test_the_name_of_a_file_gives_the_day(path: str, day: str) -> None:
    assert day_of_name(path) == day


@pytest.mark.parametrize(
    "path",
    [
        *(
            "memory/garden.md",
            "memory/20269999.md",
            "memory/12345678901.md",
            "memory/2026-13-45.md",
        ),
        *("memory/2026-03-18/plan.md", "memory/1066-10-14.md", "memory/2026-W60.md", "a/3000.md"),
    ],
)
def test_a_number_that_is_not_a_date_gives_no_day(path: str) -> None:
    assert day_of_name(path) is None


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("2026-05-07", "2026-05-07"),
        ("Topic (2026-3-8)", "2026-03-08"),
        ("2026年3月7日（土）", "2026-03-07"),
        ("Decisions of 2026/05/07", "2026-05-07"),
        ("Mar 18, 2026 – planning", "2026-03-18"),
        ("18th of the month, 18 March 2026", "2026-03-18"),
        ("Week 2026-W12", "2026-03-16"),
        ("3 de março de 2026", "2026-03-03"),
        ("1er février 2026", "2026-02-01"),
        ("2026年三月七日", "2026-03-07"),
        ("7 марта 2026", "2026-03-07"),
    ],
)
def test_a_heading_gives_the_day(heading: str, day: str) -> None:
    assert day_of_headings((heading,)) == day


@pytest.mark.parametrize("heading", ["(Apr 3)", "updated 04-20", "Phase 2", "2026", "2026-99-99"])
def test_a_heading_without_a_complete_date_gives_no_day(heading: str) -> None:
    assert day_of_headings((heading,)) is None


def test_the_nearest_heading_gives_the_day() -> None:
    assert day_of_headings(("Log 2026-01-01", "2026-02-02", "Garden")) == "2026-02-02"
