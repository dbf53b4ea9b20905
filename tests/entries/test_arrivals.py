"""Decay knows since when it has known an entry, and errs on the side of keeping it."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from remem.entries.decay import Arrivals

FIRST = date(2026, 1, 1)


def test_an_entry_is_known_since_the_first_run_that_saw_it() -> None:
    watch = Arrivals().with_day(FIRST, "b").with_day(FIRST + timedelta(days=5), "d")

    assert watch.first_days(list("abcde")) == {
        "a": FIRST,
        "b": FIRST,
        "c": FIRST + timedelta(days=5),
        "d": FIRST + timedelta(days=5),
    }


def test_a_day_whose_last_entry_was_erased_does_not_count() -> None:
    later = FIRST + timedelta(days=5)
    watch = Arrivals().with_day(FIRST, "b").with_day(later, "d")

    assert watch.first_days(list("acde")) == dict.fromkeys("acd", later)


@given(growth=st.lists(st.integers(0, 3), min_size=1, max_size=300), number=st.integers(1, 900))
def test_thinning_never_makes_an_entry_older_and_keeps_the_list_short(
    growth: list[int], number: int
) -> None:
    ids = [f"{i}" for i in range(sum(growth))]
    watch, exact, last = Arrivals(), date.max, 0
    for day, more in enumerate(growth):
        last += more
        today = FIRST + timedelta(days=day)
        watch = watch.with_day(today, ids[last - 1]) if last else watch
        if number <= last and exact == date.max:
            exact = today

    assert watch.first_days(ids).get(f"{number - 1}", date.max) >= exact
    assert len(watch.last_ids) <= 65
