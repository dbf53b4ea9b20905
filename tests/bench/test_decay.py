"""The simulated year is always the same, and shows what decay promises."""

from __future__ import annotations

import pytest

from bench.decay import WEEKS, Year, lines, simulate_year


@pytest.fixture(scope="module")
def year() -> Year:
    return simulate_year()


def course(year: Year, name: str) -> tuple[float | None, ...]:
    (found,) = (course.left for course in year.courses if course.name == name)
    return found


def test_instructions_and_critical_memories_never_fade(year: Year) -> None:
    for name in ("instruction, never used", "critical, never used"):
        assert course(year, name) == (1.0,) * (WEEKS + 1)


def test_used_memories_keep_their_weight_and_unused_ones_fade(year: Year) -> None:
    used, unused = (
        course(year, "medium, read every eight weeks"),
        course(year, "medium, never used"),
    )

    assert None not in unused
    assert list(unused) == sorted(unused, key=lambda left: -(left or 0))
    assert (used[-1] or 0) > 0.8 > 0.3 > (unused[-1] or 0)


def test_a_low_priority_memory_is_archived_after_thirty_weeks_and_restored_by_a_read(
    year: Year,
) -> None:
    gone = course(year, "low, never used")
    asked = course(year, "low, never used, asked for at last")

    assert gone.index(None) == 30
    assert set(gone[30:]) == {None}
    assert set(asked[30:42]) == {None}
    assert asked[42] == 1.0
    assert len(year.notices) == 1


def test_every_memory_has_a_line(year: Year) -> None:
    shown = list(lines(year))

    assert len(shown) == len(year.courses)
    assert shown[-1].endswith("archived")
    assert "·" * 12 in shown[-2]
