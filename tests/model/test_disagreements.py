"""Contradictory statements are reported as a pair."""

from __future__ import annotations

import pytest

from remem.model.disagreements import disagreements
from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.model.recurrence import Sighting, group_sightings

PAIRS = [
    ("I live in Porto.", "I live in Lisbon now."),
    ("The rent of the flat is 900 euros.", "The rent of the flat is 950 euros."),
    ("We use tabs in the scripts.", "We don't use tabs in the scripts."),
    ("Mara works at Acme.", "Mara works at Globex."),
    ("Never use the helper script.", "The helper script is now the primary way."),
    ("我住在北京。", "我现在住在上海。"),
]
AT_PEACE = [
    ("I live in Porto.", "Mara lives in Lisbon."),
    ("He lives in Porto.", "He lives in Lisbon."),
    ("My friend lives in Porto.", "My friend lives in Lisbon."),
    ("I like green tea.", "I like black coffee."),
    ("The door is red.", "The door is old."),
    ("I live in a city near the sea.", "I live in Porto."),
]


def seen(text: str, talk: str, day: str, *, role: str = "user", hint: bool = False) -> Sighting:
    return Sighting(Lesson("fact", text, origin=Origin(talk, 3, None, role)), talk, day, hint)


def told(first: Sighting, second: Sighting, *, one_speaker: bool = True) -> list[list[str]]:
    found = disagreements(group_sightings([first, second]), one_speaker=one_speaker)
    return [[pair.earlier.lesson.text, pair.later.lesson.text] for pair in found]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_contradictory_statements_are_reported_earlier_first(one: str, other: str) -> None:
    assert told(seen(other, "b", "2026-11-09"), seen(one, "a", "2026-11-02")) == [[one, other]]


@pytest.mark.parametrize(("one", "other"), AT_PEACE)
def test_compatible_statements_are_not_reported(one: str, other: str) -> None:
    assert told(seen(one, "a", "2026-11-02"), seen(other, "b", "2026-11-09")) == []


def test_a_correction_within_one_conversation_is_not_reported() -> None:
    one, other = PAIRS[0]

    assert told(seen(one, "a", "2026-11-02"), seen(other, "a", "2026-11-02")) == []


def test_hints_and_statements_of_the_agent_are_ignored() -> None:
    one, other = PAIRS[0]
    standing = seen(one, "a", "2026-11-02")

    assert told(standing, seen(other, "b", "2026-11-09", hint=True)) == []
    assert told(standing, seen(other, "b", "2026-11-09", role="assistant")) == []


def test_statements_about_different_speakers_are_not_compared() -> None:
    one, other = PAIRS[0]

    assert told(seen(one, "a", "d"), seen(other, "b", "e"), one_speaker=False) == []
    mara, too = PAIRS[3]
    assert told(seen(mara, "a", "d"), seen(too, "b", "e"), one_speaker=False) == [[mara, too]]


def test_dates_decide_if_they_differ() -> None:
    one, other = PAIRS[3]
    (apart,) = disagreements(
        group_sightings([seen(one, "a", "2026-11-02"), seen(other, "b", "2026-11-09")]),
        one_speaker=True,
    )
    (same_day,) = disagreements(
        group_sightings([seen(one, "a", "2026-11-02"), seen(other, "b", "2026-11-02")]),
        one_speaker=True,
    )

    assert apart.why == "the second is later (2026-11-09 after 2026-11-02)"
    assert same_day.why == "their dates do not tell which one is current; decide which is right"
