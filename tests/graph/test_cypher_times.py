"""Days, times and durations in queries."""

from __future__ import annotations

import pytest

from remem.graph.answer import plain
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.run import run_query
from tests.memory_graph import MemoryGraph


def value(expression: str) -> object:
    return plain(run_query(MemoryGraph(), f"RETURN {expression} AS x").rows[0][0])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("date('2026-02-03')", "2026-02-03"),
        ("date('2026034')", "2026-02-03"),
        ("date('2026-W06-2')", "2026-02-03"),
        ("date('2026-02-03T09:30:00Z')", "2026-02-03"),
        ("date(datetime('2026-02-03T09:30:00Z'))", "2026-02-03"),
        ("date({year: 2026, quarter: 2, dayOfQuarter: 3})", "2026-04-03"),
        ("date(null)", None),
        ("datetime('2026-02-03')", "2026-02-03T00:00Z"),
        ("datetime('2026-02-03T09:30:05.25+01:00')", "2026-02-03T09:30:05.250+01:00"),
        ("datetime({year: 2026, month: 7, hour: 9, timezone: '+02:00'})",
         "2026-07-01T09:00+02:00"),
        ("localtime({hour: 9, nanosecond: 1})", "09:00:00.000000001"),
        ("time('0930-0130')", "09:30-01:30"),
        ("duration({months: 0.75})", "P22DT19H51M49.5S"),
        ("duration('P1Y14M3W2DT-1.5S')", "P2Y2M23DT-1.5S"),
        ("duration('-P1D')", "P-1D"),
        ("duration({seconds: 3661}) * 2", "PT2H2M2S"),
        ("date('2026-01-31') + duration({months: 1})", "2026-02-28"),
        ("date('2026-03-01') - duration('P1D')", "2026-02-28"),
        ("datetime('2026-12-31T23:00:00Z') + duration({hours: 2})", "2027-01-01T01:00Z"),
        ("time('23:30Z') + duration('PT1H')", "00:30Z"),
        ("duration.between(date('2026-01-31'), date('2026-03-01'))", "P1M1D"),
        ("duration.between(date('2026-03-01'), date('2026-01-31'))", "P-1M-1D"),
        ("duration.inDays(date('2026-01-31'), date('2026-03-01')).days", 29),
        ("date('2026-02-03') < date('2026-02-04')", True),
        ("date('2026-02-03') = date({year: 2026, ordinalDay: 34})", True),
        ("datetime('2026-02-03T09:00+01:00') < datetime('2026-02-03T08:30Z')", True),
        ("date('2026-02-03') < datetime('2026-02-04')", None),
        ("date('2026-02-03') = '2026-02-03'", False),
        ("duration('P1M') < duration('P2M')", None),
        ("date('2026-02-03').week + date('2026-02-03').weekDay", 8),
        ("datetime('1970-01-02T00:00:01Z').epochSeconds", 86_401),
        ("time('09:30:05.25+02:00').offsetMinutes", 120),
        ("'on ' + date('2026-02-03')", "on 2026-02-03"),
        ("[x IN [date('2026-02-03'), date('2025-12-31')] | x.year]", [2026, 2025]),
        ("toString(datetime('2026-02-03T09:30Z'))", "2026-02-03T09:30Z"),
        ("date({date: date('2026-02-03'), day: 28})", "2026-02-28"),
        ("date({date: date('2026-02-03'), week: 1})", "2025-12-30"),
        ("datetime({date: date('2026-02-03'), time: time('09:30+02:00'), second: 5})",
         "2026-02-03T09:30:05+02:00"),
        ("datetime({datetime: datetime('2026-02-03T23:30Z'), timezone: '+02:00'})",
         "2026-02-04T01:30+02:00"),
        ("date.truncate('month', datetime('2026-02-03T09:30Z'))", "2026-02-01"),
        ("date.truncate('week', date('2026-01-01'), {dayOfWeek: 2})", "2025-12-30"),
        ("datetime.truncate('millisecond', datetime('2026-02-03T09:30:05.25Z'), {nanosecond: 1})",
         "2026-02-03T09:30:05.250000001Z"),
        ("localtime.truncate('hour', localdatetime('2026-02-03T09:30'))", "09:00"),
        ("date.truncate('decade', null)", None),
        ("date.truncate('year', date('2026-02-03'), null)", "2026-01-01"),
        ("duration.inMonths(date('2025-01-31'), date('2026-03-01'))", "P1Y1M"),
        ("duration.inSeconds(date('2026-01-01'), date('2026-01-03'))", "PT48H"),
        ("duration.inDays(datetime('2026-01-01T00:00-02:00'), localdatetime('2026-01-02'))", "P1D"),
        ("duration('PT3661.5S').minutesOfHour", 1),
        ("duration('P14M').monthsOfYear", 2),
        ("datetime.fromEpoch(86401, 5)", "1970-01-02T00:00:01.000000005Z"),
        ("datetime.fromEpochMillis(-1)", "1969-12-31T23:59:59.999Z"),
        ("date.transaction(null)", None),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_of_opencypher(expression: str, expected: object) -> None:
    assert value(expression) == expected


def test_the_time_is_the_same_everywhere_in_a_query() -> None:
    query = (
        "UNWIND range(1, 1000) AS x RETURN datetime() = datetime() AS same, "
        "count(DISTINCT datetime()) + count(DISTINCT time()) + count(DISTINCT timestamp()) AS n"
    )
    assert run_query(MemoryGraph(), query).rows == ((True, 3),)


def test_times_are_sorted_by_the_instant() -> None:
    query = (
        "UNWIND ['2026-02-03T09:00+02:00', '2026-02-03T08:00Z', '2026-02-03T07:30Z'] AS x "
        "RETURN x ORDER BY datetime(x) DESC"
    )
    rows = run_query(MemoryGraph(), query).rows
    assert [row[0][11:] for row in rows] == ["08:00Z", "07:30Z", "09:00+02:00"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("date('2026-02-30')", "2026-02-30"),
        ("date({year: 2026, month: 13})", "month"),
        ("date({year: 2026, day: 3})", "no date with these fields"),
        ("date({year: 2026, week: 2, month: 5})", "no date with these fields"),
        ("date({date: time('09:30Z')})", "the field date of date() is not a date"),
        ("time({date: date('2026-01-01')})", "does not support 'date'"),
        ("datetime({datetime: datetime(), time: time()})", "either datetime, or date and time"),
        ("localtime({minute: 5})", "no localtime with these fields"),
        (
            "localtime({hour: 23, minute: 59, second: 59, millisecond: 999, microsecond: 999999})",
            "no localtime with these fields",
        ),
        ("date.truncate('fortnight', date())", "'fortnight' is not one of"),
        ("date.truncate('hour', datetime())", "does not take this value"),
        ("time.truncate('hour', date())", "does not take this value"),
        ("date.truncate('day', time())", "needs a day"),
        ("date.truncate('month', date(), {year: 2026})", "year is not smaller than month"),
        ("date.truncate('month', date(), {day: 99})", "no date with these fields"),
        (
            "datetime.truncate('millisecond', datetime(), {nanosecond: 1000000})",
            "no datetime with these fields",
        ),
        ("date.truncate('millennium', date('0999-01-01'))", "between the years 1 and 9999"),
        ("datetime.fromEpoch(1000000000000000000, 0)", "between the years 1 and 9999"),
        ("datetime.statement('UTC')", "takes no time zone"),
        ("date('9999-12-31') + duration('P1D')", "9999"),
        ("datetime({year: 2026, timezone: 'Europe/Madrid'})", "not an offset"),
        ("datetime('2026-01-01T09:00[Europe/Madrid]')", "not a datetime"),
        ("date('2026-01-01') + duration({months: 1e18})", "9999"),
        ("duration({years: 1e300})", "too long"),
        ("duration({days: 0.0 / 0.0})", "is a number"),
        ("time('09:00+19:00')", "at most 18 hours"),
        ("date('2026-02-03') > '2026-01-01'", "convert the text"),
        ("date('2026-02-03').hour", "there is no 'hour'"),
        ("date('2026-02-03') + 1", "expected a number"),
        ("date.trunc('month', date('2026-02-03'))", "there is no function date.trunc()"),
        ("duration('1 day')", "P1M3DT2H"),
        ("duration({days: 1}) / 0", "expected a number"),
    ],
)
def test_what_is_wrong_or_missing_is_refused(expression: str, said: str) -> None:
    with pytest.raises(CypherError) as refused:
        value(expression)
    assert said in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize("function", ["date", "datetime", "localdatetime", "time", "localtime"])
def test_without_an_argument_it_is_now(function: str) -> None:
    assert value(f"{function}() <= {function}()") is True


@pytest.mark.parametrize(
    "expression", ["date('never')", "1 + date('2026-02-03')", "[1, 2]['a']", "toFloat([])"]
)
def test_an_error_names_the_position(expression: str) -> None:
    with pytest.raises(CypherError, match=r"at character \d+$"):
        value(expression)
