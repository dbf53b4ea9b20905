"""How is it told what became of a statement? With its reason, and the places where it was said.

Which steps were taken, and which taken back? Noted in the transaction that takes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from remem.learn.consolidate.result import Verdict, Weighed
from remem.model.recurrence import Recurring, Sighting
from remem.ports.entries import Reading, Transaction

_RUNS: Final = "consolidations"
_MOST: Final = 50

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done to an entry, and how it stood afterwards.

    `places` are the sightings that were added to it; `strength` what it was before.
    """

    entry: str
    stored: bool
    version: int
    strength: int
    places: tuple[Place, ...]

    @property
    def strength_then(self) -> int:
        return self.strength + (0 if self.stored else len(self.places))


@dataclass(frozen=True, slots=True)
class FactDeed:
    """A fact that was recorded, or confirmed if it was not `stored`: by the file, words and
    origin that it has."""

    file: str
    text: str
    origin: str
    stored: bool
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Run:
    number: int
    at: str
    deeds: tuple[Deed, ...]
    undone: str | None = None
    facts: tuple[FactDeed, ...] = ()


def runs(reading: Reading) -> list[Run]:
    note = reading.note(_RUNS)
    return [_run(load) for load in json.loads(note)] if note else []


def add_run(tx: Transaction, at: str, deeds: Sequence[Deed | FactDeed]) -> int:
    known = runs(tx)
    number = known[-1].number + 1 if known else 1
    entries = tuple(deed for deed in deeds if isinstance(deed, Deed))
    facts = tuple(deed for deed in deeds if isinstance(deed, FactDeed))
    _keep(tx, [*known, Run(number, at, entries, facts=facts)])
    return number


def mark_undone(tx: Transaction, number: int, at: str) -> None:
    changed = [replace(run, undone=at) if run.number == number else run for run in runs(tx)]
    _keep(tx, changed)


def taken_back(reading: Reading) -> frozenset[Place]:
    """Sightings that the owner did not want to count."""
    return frozenset(_places(run for run in runs(reading) if run.undone))


def confirming(reading: Reading, file: str, text: str) -> frozenset[Place]:
    """Sightings that have confirmed a fact before."""
    deeds = (deed for run in runs(reading) if not run.undone for deed in run.facts)
    mine = (deed for deed in deeds if (deed.file, deed.text) == (file, text))
    return frozenset(place for deed in mine for place in deed.places)


def _places(some: Iterator[Run]) -> Iterator[Place]:
    for run in some:
        for deed in run.deeds:
            yield from deed.places
        for fact in run.facts:
            yield from fact.places


def _run(value: dict[str, Any]) -> Run:
    return Run(
        value["number"],
        value["at"],
        tuple(Deed(**_with_places(each)) for each in value["deeds"]),
        value["undone"],
        tuple(FactDeed(**_with_places(each)) for each in value.get("facts", ())),
    )


def _with_places(deed: dict[str, Any]) -> dict[str, Any]:
    return {**deed, "places": tuple((source, line) for source, line in deed["places"])}


def _keep(tx: Transaction, every: Sequence[Run]) -> None:
    tx.keep_note(_RUNS, json.dumps([asdict(run) for run in every[-_MOST:]], ensure_ascii=False))


def weighed(
    statement: Recurring,
    verdict: Verdict,
    because: str,
    entry: str | None = None,
    fact: str | None = None,
) -> Weighed:
    return Weighed(
        statement.lesson.text,
        verdict,
        because,
        statement.conversations,
        statement.days,
        said_at(statement),
        entry,
        fact,
    )


def left(
    statement: Recurring, because: str, entry: str | None = None, fact: str | None = None
) -> Weighed:
    return weighed(statement, "left", because, entry, fact)


def came_back(statement: Recurring) -> str:
    return f"said in {statement.conversations} conversations on {len(statement.days)} days"


def said_at(statement: Recurring) -> tuple[str, ...]:
    return tuple(
        f"{sighting.origin.source}#L{sighting.origin.position}" for sighting in statement.sightings
    )


def place_of(sighting: Sighting) -> Place:
    return sighting.origin.source, sighting.origin.position or 0
