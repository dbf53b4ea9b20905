"""In what company does a memory stand? Alone, in a talk between people, or with an assistant.

What marks a conversation comes from where a memory was said: its source, its place there, who
spoke, in which role. Nothing is read out of its words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
        if origin.speaker and fold(origin.speaker) not in _ROLES:
            return fold(origin.speaker)
    return None


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
    named = origin.speaker is not None and fold(origin.speaker) not in _ROLES
    return "talk" if named and origin.source not in assisted else "agent"


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
