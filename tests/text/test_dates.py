"""The days that a question names; `now` anchors relative ones."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from remem.text.dates import DateRange, date_ranges
from tests.tables import each_row

NOW = date(2026, 11, 15)  # a Sunday


@each_row(
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
    expected = DateRange(date.fromisoformat(first), date.fromisoformat(last))

    assert date_ranges(question, NOW) == [expected]


@each_row(
    ("question", "first", "last"),
    [
        # Parts of months
        ("what was decided in early February", "2026-02-01", "2026-02-10"),
        ("who joined in mid-March 2025?", "2025-03-11", "2025-03-20"),
        ("the outage at the end of February", "2026-02-21", "2026-02-28"),
        ("late last month", "2026-10-21", "2026-10-31"),
        ("was war Anfang Februar", "2026-02-01", "2026-02-10"),
        ("Mitte März 2025 besprochen", "2025-03-11", "2025-03-20"),
        ("Ende letzten Monats", "2026-10-21", "2026-10-31"),
        ("qu'est-ce qui a changé début février ?", "2026-02-01", "2026-02-10"),
        ("mi-mars, qui était absent ?", "2026-03-11", "2026-03-20"),
        ("fin août 2025", "2025-08-21", "2025-08-31"),
        ("a principios de febrero", "2026-02-01", "2026-02-10"),
        ("a mediados de marzo de 2025", "2025-03-11", "2025-03-20"),
        ("a finales de agosto", "2026-08-21", "2026-08-31"),
        ("no início de fevereiro", "2026-02-01", "2026-02-10"),
        ("em meados de março de 2025", "2025-03-11", "2025-03-20"),
        ("no final de agosto", "2026-08-21", "2026-08-31"),
        ("что решили в начале февраля", "2026-02-01", "2026-02-10"),
        ("в середине марта 2025", "2025-03-11", "2025-03-20"),
        ("в конце августа", "2026-08-21", "2026-08-31"),
        ("二月上旬做了什么", "2026-02-01", "2026-02-10"),
        ("2025年三月中旬", "2025-03-11", "2025-03-20"),
        ("去年十二月底的决定", "2025-12-21", "2025-12-31"),
        ("上个月初", "2026-10-01", "2026-10-10"),
        ("2月上旬に決めたこと", "2026-02-01", "2026-02-10"),
        ("8月末の障害", "2026-08-21", "2026-08-31"),
        # Months and days
        ("was haben wir im März beschlossen", "2026-03-01", "2026-03-31"),
        ("am 3. Mai 2025", "2025-05-03", "2025-05-03"),
        ("am 14.3. besprochen", "2026-03-14", "2026-03-14"),
        ("la réunion du 3 mai", "2026-05-03", "2026-05-03"),
        ("les décisions de juillet", "2026-07-01", "2026-07-31"),
        ("el 3 de mayo de 2025", "2025-05-03", "2025-05-03"),
        ("qué decidimos en enero", "2026-01-01", "2026-01-31"),
        ("o que decidimos em fevereiro", "2026-02-01", "2026-02-28"),
        ("dia 3 de maio", "2026-05-03", "2026-05-03"),
        ("что было в феврале", "2026-02-01", "2026-02-28"),
        ("3 мая 2025", "2025-05-03", "2025-05-03"),
        ("十一月三日的会议", "2026-11-03", "2026-11-03"),
        ("二月份的预算", "2026-02-01", "2026-02-28"),
        ("notes of 2026-02", "2026-02-01", "2026-02-28"),
        ("figures of Q3 2025", "2025-07-01", "2025-09-30"),
        # Weekdays
        ("was war am Montag", "2026-11-09", "2026-11-09"),
        ("letzten Freitag", "2026-11-13", "2026-11-13"),
        ("lundi dernier", "2026-11-09", "2026-11-09"),
        ("el viernes pasado", "2026-11-13", "2026-11-13"),
        ("na quarta-feira", "2026-11-11", "2026-11-11"),
        ("sexta passada", "2026-11-13", "2026-11-13"),
        ("в понедельник", "2026-11-09", "2026-11-09"),
        ("周三说了什么", "2026-11-11", "2026-11-11"),
        ("上周三说了什么", "2026-11-04", "2026-11-04"),
        ("先週の金曜日", "2026-11-06", "2026-11-06"),
        ("水曜日に話したこと", "2026-11-11", "2026-11-11"),
        # Relative days and spans
        ("vor drei Tagen", "2026-11-12", "2026-11-12"),
        ("il y a deux semaines", "2026-10-26", "2026-11-01"),
        ("hace un mes", "2026-10-01", "2026-10-31"),
        ("há três dias", "2026-11-12", "2026-11-12"),
        ("три дня назад", "2026-11-12", "2026-11-12"),
        ("неделю назад", "2026-11-02", "2026-11-08"),
        ("三天前", "2026-11-12", "2026-11-12"),
        ("两周前", "2026-10-26", "2026-11-01"),
        ("3日前", "2026-11-12", "2026-11-12"),
        ("2週間前", "2026-10-26", "2026-11-01"),
        ("in the last three days", "2026-11-12", "2026-11-15"),
        ("in den letzten drei Tagen", "2026-11-12", "2026-11-15"),
        ("最近三天", "2026-11-12", "2026-11-15"),
        ("letzte Woche", "2026-11-02", "2026-11-08"),
        ("la semaine dernière", "2026-11-02", "2026-11-08"),
        ("la semana pasada", "2026-11-02", "2026-11-08"),
        ("mês passado", "2026-10-01", "2026-10-31"),
        ("на прошлой неделе", "2026-11-02", "2026-11-08"),
        ("qu'avons-nous décidé hier ?", "2026-11-14", "2026-11-14"),
        ("avant-hier", "2026-11-13", "2026-11-13"),
        ("the day before yesterday", "2026-11-13", "2026-11-13"),
        ("vorgestern", "2026-11-13", "2026-11-13"),
        ("o que fizemos ontem", "2026-11-14", "2026-11-14"),
        ("вчера", "2026-11-14", "2026-11-14"),
        ("im Sommer 2025", "2025-06-01", "2025-08-31"),
        ("l'été dernier", "2026-06-01", "2026-08-31"),
    ],
)
def test_dates_are_read_in_the_languages_that_remem_serves(
    question: str, first: str | None, last: str | None
) -> None:
    expected = (
        [DateRange(date.fromisoformat(first), date.fromisoformat(last))] if first and last else []
    )

    assert date_ranges(question, NOW) == expected


@each_row(
    "question",
    [
        "wo liegt das hier",
        "每周三次",
        "毎週月曜の会議",
        "on Mondays we meet",
        "le lundi, je travaille",
        "na segunda parte",
        "ende der Sitzung",
        "一个月",
        "三个月的费用",
        "who is Marco",
    ],
)
def test_a_word_that_only_looks_like_a_date_is_ignored(question: str) -> None:
    assert date_ranges(question, NOW) == []


@each_row(
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
    assert date_ranges(question, NOW) == []


@given(st.text(max_size=200), st.dates())
def test_any_text_at_any_time_is_read_without_failing(text: str, now: date) -> None:
    for window in date_ranges(text, now):
        assert window.first <= window.last
