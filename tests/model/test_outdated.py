"""Memories that build on something that was replaced are recognised."""

from __future__ import annotations

from dataclasses import replace

from remem.model.entry import Entry
from remem.model.outdated import outdated_by


def entry(id_: str, day: int, *related: str, **given: str) -> Entry:
    at = f"2026-01-{day:02}T00:00:00Z"
    return Entry(id_, "fact", id_, at, at, related_to=related, **given)  # type: ignore[arg-type]


OLD = replace(entry("old", 1, superseded_by="new"), updated_at="2026-01-05T00:00:00Z")
NEW = entry("new", 5)


def found(one: Entry, *others: Entry) -> str | None:
    return outdated_by(one, {other.id: other for other in (OLD, NEW, *others)}.get)


def test_what_builds_on_a_replaced_memory_may_be_outdated() -> None:
    assert found(entry("plan", 3, "old")) == "old"


def test_so_may_what_builds_on_that() -> None:
    assert found(entry("detail", 4, "plan"), entry("plan", 3, "old")) == "old"


def test_what_was_changed_since_or_knows_the_replacement_is_not() -> None:
    assert found(entry("plan", 6, "old")) is None
    assert found(replace(entry("plan", 3, "old"), updated_at="2026-01-07T00:00:00Z")) is None
    assert found(entry("plan", 3, "old", "new")) is None
    assert found(replace(NEW, related_to=("old",))) is None


def test_an_older_memory_does_not_build_on_a_newer_one() -> None:
    late = replace(entry("late", 4, superseded_by="new"), updated_at="2026-01-05T00:00:00Z")
    assert found(entry("plan", 3, "late"), late) is None


def test_memories_that_name_each_other_are_followed_once() -> None:
    assert found(entry("a", 3, "b"), entry("a", 3, "b"), entry("b", 3, "a")) is None
