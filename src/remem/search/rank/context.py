"""In what company does a memory stand? Alone, in a talk, with an assistant, in a diary.

What marks a conversation comes from where a memory was said: its source, its place there, who
spoke, in which role. Nothing is read out of its words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from remem.core.entry import ASSISTANT, Entry, Origin
from remem.core.words import fold
from remem.ports import Beside, Place, Snapshot
from remem.recall.weights import Kind

_ROLES: Final = frozenset({ASSISTANT, "user", "system", "tool"})
_ALONE: Final = Beside()


@dataclass(frozen=True, slots=True)
class Company:
    """What is known of the candidates' surroundings; rows that are missing stand alone."""

    kinds: Mapping[int, Kind] = field(default_factory=dict)
    beside: Mapping[int, Beside] = field(default_factory=dict)
    around: Mapping[int, Entry] = field(default_factory=dict)

    def kind(self, row: int) -> Kind:
        return self.kinds.get(row, "note")

    def of(self, row: int) -> Beside:
        return self.beside.get(row, _ALONE)


def company_of(
    snapshot: Snapshot, entries: Mapping[int, Entry], leading: Collection[int]
) -> Company:
    """The kinds of some entries and, for what was said among people, their neighbours; those
    of the leading ones may answer too, and come with their own."""
    kinds = _kinds(snapshot, entries)
    beside = _neighbours(snapshot, {row: entries[row] for row in kinds if kinds[row] == "talk"})
    led = [beside[row] for row in leading if row in beside]
    rows = {row for each in led for row in (*each.before[:1], *each.after)}
    around = snapshot.locate(sorted(rows - set(entries)))
    kinds |= dict.fromkeys(around, "talk")
    beside |= _neighbours(snapshot, around)
    return Company(kinds, beside, around)


def place_of(entry: Entry) -> Place | None:
    """Where it was said last."""
    for origin in reversed(entry.origins):
        if origin.position is not None:
            return origin.source, origin.position
    return None


def speaker_of(entry: Entry) -> str | None:
    """The name of whoever said it; a role is no name."""
    for origin in reversed(entry.origins):
        if origin.speaker and (name := _name(origin.speaker)):
            return name
    return None


@lru_cache(maxsize=1_000)
def _name(speaker: str) -> str | None:
    """Few people speak in a memory, and each of them often."""
    folded = fold(speaker)
    return None if folded in _ROLES else folded


def role_of(entry: Entry) -> str | None:
    return entry.origins[-1].role if entry.origins else None


def _kinds(snapshot: Snapshot, entries: Mapping[int, Entry]) -> dict[int, Kind]:
    said = {
        row: origin
        for row, entry in entries.items()
        for origin in entry.origins[-1:]
        if origin.speaker or origin.role
    }
    sources = list(dict.fromkeys(origin.source for origin in said.values()))
    assisted = snapshot.with_assistant(sources) if sources else frozenset()
    return {row: _kind(origin, assisted) for row, origin in said.items()}


def _kind(origin: Origin, assisted: frozenset[str]) -> Kind:
    if origin.source in assisted or origin.role == ASSISTANT:
        return "agent"
    return "talk" if origin.speaker and _name(origin.speaker) else "diary"


def _neighbours(snapshot: Snapshot, entries: Mapping[int, Entry]) -> dict[int, Beside]:
    places = {row: place for row, entry in entries.items() if (place := place_of(entry))}
    found = snapshot.beside(dict.fromkeys(places.values()))
    return {row: found[place] for row, place in places.items()}


def rows_around(company: Company, rows: Sequence[int]) -> list[int]:
    """The rows and everything that stands beside one of them, each once."""
    if not company.beside:
        return list(rows)
    found = dict.fromkeys(rows)
    for row in rows:
        beside = company.of(row)
        found |= dict.fromkeys((*beside.before, *beside.after))
    return list(found)
