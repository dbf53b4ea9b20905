"""The record of consolidation runs, and how a statement's verdict is reported.

A run is recorded in the transaction that makes its changes, so that it can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from remem.learn.consolidate.result import Verdict, WeighedStatement
from remem.model.recurrence import Recurring, Sighting
from remem.ports.entries import EntryReader, Transaction

_RUNS: Final = "consolidations"
_MAX_RUNS: Final = 50

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class EntryAction:
    """A change to an entry; `version` is its version afterwards.

    `places` are the sightings that were added to it; `strength` is its strength before.
    """

    entry: str
    stored: bool
    version: int
    strength: int
    places: tuple[Place, ...]

    @property
    def strength_after(self) -> int:
        return self.strength + (0 if self.stored else len(self.places))


@dataclass(frozen=True, slots=True)
class FactAction:
    """A fact that was recorded or, if not `stored`, confirmed, found by file, text and origin."""

    file: str
    text: str
    origin: str
    stored: bool
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One consolidation; `deeds` are its changes to entries (the name is stored)."""

    number: int
    at: str
    deeds: tuple[EntryAction, ...]
    undone: str | None = None
    facts: tuple[FactAction, ...] = ()


def runs(reader: EntryReader) -> list[Run]:
    value = reader.get_state(_RUNS)
    return [_run(load) for load in json.loads(value)] if value else []


def add_run(tx: Transaction, at: str, actions: Sequence[EntryAction | FactAction]) -> int:
    known = runs(tx)
    number = known[-1].number + 1 if known else 1
    entries = tuple(action for action in actions if isinstance(action, EntryAction))
    facts = tuple(action for action in actions if isinstance(action, FactAction))
    _save(tx, [*known, Run(number, at, entries, facts=facts)])
    return number


def mark_undone(tx: Transaction, number: int, at: str) -> None:
    changed = [replace(run, undone=at) if run.number == number else run for run in runs(tx)]
    _save(tx, changed)


def undone_places(reader: EntryReader) -> frozenset[Place]:
    """Sightings that must not count, because the owner undid their run."""
    return frozenset(_places(run for run in runs(reader) if run.undone))


def confirming_places(reader: EntryReader, file: str, text: str) -> frozenset[Place]:
    """Sightings that have confirmed a fact before."""
    actions = (action for run in runs(reader) if not run.undone for action in run.facts)
    matching = (action for action in actions if (action.file, action.text) == (file, text))
    return frozenset(place for action in matching for place in action.places)


def _places(undone: Iterator[Run]) -> Iterator[Place]:
    for run in undone:
        for entry in run.deeds:
            yield from entry.places
        for fact in run.facts:
            yield from fact.places


def _run(value: dict[str, Any]) -> Run:
    return Run(
        value["number"],
        value["at"],
        tuple(EntryAction(**_with_places(action)) for action in value["deeds"]),
        value["undone"],
        tuple(FactAction(**_with_places(action)) for action in value.get("facts", ())),
    )


def _with_places(action: dict[str, Any]) -> dict[str, Any]:
    return {**action, "places": tuple((source, line) for source, line in action["places"])}


def _save(tx: Transaction, all_runs: Sequence[Run]) -> None:
    tx.put_state(
        _RUNS, json.dumps([asdict(run) for run in all_runs[-_MAX_RUNS:]], ensure_ascii=False)
    )


def with_verdict(
    statement: Recurring,
    verdict: Verdict,
    because: str,
    entry: str | None = None,
    fact: str | None = None,
) -> WeighedStatement:
    return WeighedStatement(
        statement.lesson.text,
        verdict,
        because,
        statement.conversations,
        statement.days,
        sources_of(statement),
        entry,
        fact,
    )


def left_out(
    statement: Recurring, because: str, entry: str | None = None, fact: str | None = None
) -> WeighedStatement:
    return with_verdict(statement, "left", because, entry, fact)


def recurrence_reason(statement: Recurring) -> str:
    return f"said in {statement.conversations} conversations on {len(statement.days)} days"


def sources_of(statement: Recurring) -> tuple[str, ...]:
    return tuple(
        f"{sighting.origin.source}#L{sighting.origin.position}" for sighting in statement.sightings
    )


def place_of(sighting: Sighting) -> Place:
    return sighting.origin.source, sighting.origin.position or 0
