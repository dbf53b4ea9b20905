"""Times are stored in UTC to the second, and read back unchanged."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import InvalidInput
from remem.text.timestamps import (
    date_of,
    format_time,
    normalize_end_time,
    normalize_time,
    parse_time,
)
from tests.tables import each_row

MOMENTS = st.datetimes(timezones=st.just(UTC)).map(lambda when: when.replace(microsecond=0))


@each_row(
    ("text", "stored"),
    [
        ("2026-11-15", "2026-11-15T00:00:00Z"),
        (" 2026-11-15 ", "2026-11-15T00:00:00Z"),
        ("2026-11-15T23:30", "2026-11-15T23:30:00Z"),
        ("2026-11-15T23:30:00+02:00", "2026-11-15T21:30:00Z"),
        ("2026-11-15T23:30:00.999999Z", "2026-11-15T23:30:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("9999-12-31", "9999-12-31T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("2038-01-19T03:14:08Z", "2038-01-19T03:14:08Z"),
        ("2026-11-15 23:30:00Z", "2026-11-15T23:30:00Z"),
        ("2026-W46-7T23:30:00Z", "2026-11-15T23:30:00Z"),
    ],
)
def test_a_date_is_stored_as_utc_to_the_second(text: str, stored: str) -> None:
    assert normalize_time(text, "created_at") == stored


def test_a_bare_date_lasts_until_its_last_second() -> None:
    assert normalize_end_time("2026-11-15", "expires") == "2026-11-15T23:59:59Z"
    assert normalize_end_time("20261115", "expires") == "2026-11-15T23:59:59Z"
    assert normalize_end_time("2026-W46-7", "expires") == "2026-11-15T23:59:59Z"
    assert normalize_end_time("9999-12-31", "expires") == "9999-12-31T23:59:59Z"
    assert normalize_end_time("2026-11-15T08:00:00Z", "expires") == "2026-11-15T08:00:00Z"


@each_row(
    "text", ["", "soon", "2026-02-30", "15.11.2026", "0001-01-01T00:00:00+10:00", "2026-13-01"]
)
def test_an_invalid_date_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidInput, match="expires"):
        normalize_time(text, "expires")


@given(MOMENTS, MOMENTS)
def test_stored_times_sort_chronologically(one: datetime, other: datetime) -> None:
    assert (format_time(one) < format_time(other)) == (one < other)


@given(MOMENTS)
def test_a_stored_time_is_read_back_unchanged(when: datetime) -> None:
    assert parse_time(format_time(when)) == when
    assert date_of(format_time(when)) == when.date()


def test_another_zone_is_the_same_moment() -> None:
    zone = timezone(timedelta(hours=-9))

    assert format_time(datetime(2026, 11, 15, 20, tzinfo=zone)) == "2026-11-16T05:00:00Z"
