"""The days that a question names; `now` anchors relative ones."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.text.dates import Window, date_windows

NOW = date(2026, 11, 15)  # a Sunday


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what happened on 2026-03-14?", "2026-03-14", "2026-03-14"),
        ("what did we do yesterday", "2026-11-14", "2026-11-14"),
        ("notes of last week", "2026-11-02", "2026-11-08"),
        ("decisions this month", "2026-11-01", "2026-11-30"),
        ("what changed last month", "2026-10-01", "2026-10-31"),
        ("where were we in March", "2026-03-01", "2026-03-31"),
        ("where were we in December", "2025-12-01", "2025-12-31"),
        ("what did Ann say in May 2025?", "2025-05-01", "2025-05-31"),
        ("on 3 May 2025", "2025-05-03", "2025-05-03"),
        ("on May 3rd, 2025", "2025-05-03", "2025-05-03"),
        ("two weeks ago", "2026-10-26", "2026-11-01"),
        ("3 days ago", "2026-11-12", "2026-11-12"),
        ("what did we plan last spring", "2026-03-01", "2026-05-31"),
        ("last winter", "2025-12-01", "2026-02-28"),
        ("the talk last friday", "2026-11-13", "2026-11-13"),
        ("anything since 2024", "2024-01-01", "2024-12-31"),
        ("昨天说了什么", "2026-11-14", "2026-11-14"),
        ("上周的决定", "2026-11-02", "2026-11-08"),
        ("2025年3月14日发生了什么", "2025-03-14", "2025-03-14"),
        ("去年的项目", "2025-01-01", "2025-12-31"),
        ("先月の決定", "2026-10-01", "2026-10-31"),
        ("어제 뭐라고 했지", "2026-11-14", "2026-11-14"),
        ("was haben wir gestern beschlossen", "2026-11-14", "2026-11-14"),
    ],
)
def test_a_named_day_or_span_is_read(question: str, first: str, last: str) -> None:
    expected = Window(date.fromisoformat(first), date.fromisoformat(last))

    assert date_windows(question, NOW) == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "what may we do",
        "march on",
        "PR 42",
        "version 20.04",
        "we met on the second floor",
        "2026-02-31",
        "who said may I",
    ],
)
def test_an_impossible_date_is_ignored(question: str) -> None:
    assert date_windows(question, NOW) == []


@given(st.text(max_size=200), st.dates())
def test_any_text_at_any_time_is_read_without_failing(text: str, now: date) -> None:
    for window in date_windows(text, now):
        assert window.first <= window.last
