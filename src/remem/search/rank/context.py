"""In what company does a memory stand? Alone, in a talk, with an assistant, in a diary.

What marks a conversation comes from where a memory was said: its source, its place there, who
spoke, in which role. Nothing is read out of its words.

What does each signal count? One table; the kind of a memory's company chooses the column.

Every weight was measured (docs/decisions/0019, 0028, 0032, 0034). `remem bench retrieval --without
SIGNAL` measures it again, and `scripts/held_out.py` which ones a conversation gets from others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from remem.errors import InvalidInput, shown
from remem.model.entry import ASSISTANT, Entry, Origin
from remem.ports.entries import Snapshot
from remem.ports.records import Beside, Place
from remem.text.words import fold

Kind = Literal["note", "talk", "agent", "diary"]
"""note: stands for itself. talk: said among people. agent: said to or by an assistant. diary: one
person's words where no assistant speaks."""

_KINDS: Final[tuple[Kind, ...]] = ("note", "talk", "agent", "diary")
_Row = tuple[float, float, float, float]
_WITH_MODEL: Final[dict[str, _Row]] = {
    # signal      note  talk  agent  diary
    "keyword": (0.15, 0.15, 0.2, 0.2),
    "meaning": (0.6, 0.4, 0.35, 0.35),
    "tokens": (0.6, 0.65, 0.2, 0.2),
    "source": (0.0, 0.4, 0.1, 0.1),
    "answer": (0.0, 0.4, 0.0, 0.0),
    "asks": (0.0, -0.4, 0.0, 0.0),
    "length": (0.0, 0.3, -0.2, -0.2),
    "brevity": (1.0, 0.0, 0.0, 0.0),
    "when": (0.0, 1.5, 0.0, 0.0),
    "role": (0.0, 0.0, 1.0, 1.0),
    "person": (1.0, 1.5, 0.0, 0.0),
    "date": (2.0, 4.0, 0.5, 0.5),
    "category": (0.3, 0.3, 0.3, 0.3),
    "priority": (0.1, 0.1, 0.1, 0.1),
    "retention": (0.1, 0.1, 0.1, 0.1),
    "strength": (0.05, 0.05, 0.05, 0.05),
}
_WITHOUT_TOKENS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (0.4, 0.4, 0.5, 0.4),
    "meaning": (0.6, 0.5, 0.6, 0.6),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.35, 0.1, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.35, -0.3, -0.2),
    "role": (0.0, 0.0, 1.5, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
_BY_WORDS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (1.0, 0.6, 1.0, 1.0),
    "meaning": (0.0, 0.0, 0.0, 0.0),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.4, 0.2, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.2, -0.8, -0.2),
    "role": (0.0, 0.0, 2.0, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
SIGNALS: Final = tuple(_WITH_MODEL)

Weights = Mapping[str, float]


def weights_for(
    *, model: bool, tokens: bool = True, without: Collection[str] = frozenset()
) -> dict[Kind, dict[str, float]]:
    """The weights of each kind of memory; `model` says whether one took part, and `tokens`
    whether it has vectors of single words."""
    table = (_WITH_MODEL if tokens else _WITHOUT_TOKENS) if model else _BY_WORDS
    return {
        kind: {name: row[i] for name, row in table.items() if row[i] and name not in without}
        for i, kind in enumerate(_KINDS)
    }


def require_signals(names: Collection[str]) -> None:
    for name in names:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise InvalidInput(f"no signal is called {shown(name)}", hint=f"known: {known}")


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
    rows = {row for beside in led for row in (*beside.before[:1], *beside.after)}
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
