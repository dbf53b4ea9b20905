from __future__ import annotations

from datetime import date

from remem.text.note_dates import Calendar, day_of_headings, iso_date_in_name
from tests.tables import each_row


@each_row(
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
    assert iso_date_in_name(path) == day


@each_row(
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
    assert iso_date_in_name(path) is None


@each_row(
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


@each_row("heading", ["(Apr 3)", "updated 04-20", "Phase 2", "2026", "2026-99-99"])
def test_a_heading_without_a_complete_date_gives_no_day(heading: str) -> None:
    assert day_of_headings((heading,)) is None


def test_the_nearest_heading_gives_the_day() -> None:
    assert day_of_headings(("Log 2026-01-01", "2026-02-02", "Garden")) == "2026-02-02"


@each_row(
    ("line", "day"),
    [
        ("Credits of 80 € are left (2026-04-28)", date(2026, 4, 28)),
        ("The seed list is complete (reviewed 2026-04-28).", date(2026, 4, 28)),
        ("Credits of 80 € (expires April 28, 2026)", None),
        ("The lease of the kiln (until 2026-04-28)", None),
        ("Die Lizenz (gültig bis 28.04.2026)", None),
        ("试用账号（2026年4月28日到期前，有效至 2026-04-28）", None),
    ],
)
def test_a_date_in_brackets_is_the_day_of_a_line_unless_it_is_a_limit(
    line: str, day: date | None
) -> None:
    assert Calendar("MEMORY.md", [(1, line)], date(2026, 11, 18)).of_line(line, 1) == day
