"""The weight of a memory falls with time, but never to zero."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.decay import (
    ARCHIVE_WEIGHT,
    FLOOR,
    archive_day,
    current_weight,
    days_until,
    never_decays,
    retention,
)
from remem.model.entry import Entry
from tests.tables import each_row

DAYS = st.floats(0, 10**6, allow_nan=False)
TIMES = st.integers(1, 10**4)


def entry(**values: object) -> Entry:
    plain: dict[str, object] = {
        "id": "mem-00000000",
        "category": "fact",
        "content": "The mill is shut.",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        **values,
    }
    return Entry(**plain)  # type: ignore[arg-type]


@given(days=DAYS, more=DAYS, times=TIMES)
def test_weight_falls_with_idle_time_and_never_below_the_floor(
    days: float, more: float, times: int
) -> None:
    now, later = retention(days, times), retention(days + more, times)

    assert FLOOR <= later <= now <= 1.0


@given(days=DAYS, times=TIMES, more=TIMES)
def test_reinforced_memories_decay_more_slowly(days: float, times: int, more: int) -> None:
    assert retention(days, times + more) >= retention(days, times)


def test_the_loss_is_logarithmic_in_the_idle_time() -> None:
    """Each further step takes twice the time of all before it."""
    steps = [retention(days, 1) for days in (0, 30, 90, 210)]

    assert steps == pytest.approx([1.0, 0.8, 0.6, 0.4])


@given(left=st.floats(FLOOR, 1.0), times=st.integers(1, 100))
def test_the_day_of_a_given_weight_is_computed(left: float, times: int) -> None:
    days = days_until(left, times)

    assert retention(days, times) <= left + 1e-9
    assert days == 0 or retention(days - 1, times) >= left - 1e-9


@each_row("kept", [{"priority": "critical"}, {"category": "instruction"}])
def test_critical_memories_and_rules_do_not_decay(kept: dict[str, object]) -> None:
    always = entry(**kept)

    assert never_decays(always)
    assert current_weight(always, None, date(2036, 1, 1)) == 1.0
    assert archive_day(entry(**{"priority": "low", **kept}), date(2026, 1, 1)) is None


def test_use_restarts_the_idle_time() -> None:
    today = date(2026, 8, 1)

    assert current_weight(entry(), None, today) < 0.5
    assert current_weight(entry(), "2026-07-31T08:00:00Z", today) > 0.95


def test_a_slow_clock_does_not_change_the_weight() -> None:
    assert current_weight(entry(), "2050-01-01T00:00:00Z", date(2026, 1, 1)) == 1.0


@each_row("priority", ["high", "medium"])
def test_only_low_memories_go_stale(priority: str) -> None:
    since = date(2026, 1, 1)

    assert archive_day(entry(priority=priority), since) is None
    assert archive_day(entry(priority="low"), since) == since + timedelta(days=210)
    assert archive_day(entry(priority="low", uses=1), since) == since + timedelta(days=420)
    assert archive_day(entry(priority="low", archived=True), since) is None
    assert archive_day(entry(priority="low"), date(9999, 12, 1)) is None
    assert retention(210, 1) == pytest.approx(ARCHIVE_WEIGHT)
