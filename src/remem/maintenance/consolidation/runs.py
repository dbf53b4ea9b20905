"""Which steps were taken, and which taken back? Noted in the transaction that takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from remem.ports import Reading, Transaction

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
class Run:
    number: int
    at: str
    deeds: tuple[Deed, ...]
    undone: str | None = None


def runs(reading: Reading) -> list[Run]:
    note = reading.note(_RUNS)
    return [_run(each) for each in json.loads(note)] if note else []


def add_run(tx: Transaction, at: str, deeds: Sequence[Deed]) -> int:
    known = runs(tx)
    number = known[-1].number + 1 if known else 1
    _keep(tx, [*known, Run(number, at, tuple(deeds))])
    return number


def mark_undone(tx: Transaction, number: int, at: str) -> None:
    changed = [
        Run(each.number, each.at, each.deeds, at) if each.number == number else each
        for each in runs(tx)
    ]
    _keep(tx, changed)


def taken_back(reading: Reading) -> frozenset[Place]:
    """Sightings that the owner did not want to count."""
    return frozenset(_places(each for each in runs(reading) if each.undone))


def _places(some: Iterator[Run]) -> Iterator[Place]:
    for run in some:
        for deed in run.deeds:
            yield from deed.places


def _run(value: dict[str, Any]) -> Run:
    deeds = [
        Deed(**{**each, "places": tuple((source, line) for source, line in each["places"])})
        for each in value["deeds"]
    ]
    return Run(value["number"], value["at"], tuple(deeds), value["undone"])


def _keep(tx: Transaction, every: Sequence[Run]) -> None:
    tx.keep_note(_RUNS, json.dumps([asdict(each) for each in every[-_MOST:]], ensure_ascii=False))
