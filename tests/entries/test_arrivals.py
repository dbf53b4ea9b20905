"""Decay knows since when it has known an entry, and errs on the side of keeping it."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from remem.entries.decay import Arrivals

FIRST = date(2026, 1, 1)


def test_a_row_is_known_since_the_first_run_that_saw_it() -> None:
    watch = Arrivals().with_day(FIRST, 10).with_day(FIRST + timedelta(days=5), 20)

    assert watch.since(10, date.max) == FIRST
    assert watch.since(11, date.max) == FIRST + timedelta(days=5)
    assert watch.since(21, date(2030, 1, 1)) == date(2030, 1, 1)


@given(growth=st.lists(st.integers(0, 3), min_size=1, max_size=300), row=st.integers(1, 900))
def test_thinning_never_makes_a_row_older_and_keeps_the_list_short(
    growth: list[int], row: int
) -> None:
    watch, exact, last = Arrivals(), date.max, 0
    for number, more in enumerate(growth):
        last += more
        today = FIRST + timedelta(days=number)
        watch = watch.with_day(today, last) if last else watch
        if row <= last and exact == date.max:
            exact = today

    assert watch.since(row, date.max) >= exact
    assert len(watch.seen) <= 65
