"""The conversation context of entries, and the weights of the signals for each kind of context.

The kind of an entry (note, talk, agent or diary) follows from the source, speaker and role of its
origin; its words are not examined. The kind selects the column of weights. The weights were chosen
by measurement (docs/decisions/0019, 0028, 0032, 0034): `remem bench retrieval --without SIGNAL`
measures the effect of one signal, and `bench/held_out.py` fits the weights with one conversation
held out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from remem.errors import InvalidInput, shown
from remem.model.entry import ASSISTANT, Entry, Origin
from remem.ports.entries import Snapshot
from remem.ports.records import Neighbours, Place
from remem.text.words import fold

Kind = Literal["note", "talk", "agent", "diary"]
"""note: not from a conversation. talk: from a conversation among people. agent: from a conversation
with an assistant. diary: one person's words, without an assistant."""

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
_WITHOUT_MODEL: Final[dict[str, _Row]] = {
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

_ROLES: Final = frozenset({ASSISTANT, "user", "system", "tool"})
_NO_NEIGHBOURS: Final = Neighbours()


def weights_for(
    *,
    model: bool,
    late_interaction: bool = True,
    excluded_signals: Collection[str] = frozenset(),
) -> dict[Kind, dict[str, float]]:
    """Return the weights of the signals for each kind of entry.

    `model` says whether there are vectors, `late_interaction` whether there are token vectors too.
    """
    table = _WITH_MODEL if late_interaction else _WITHOUT_TOKENS
    if not model:
        table = _WITHOUT_MODEL
    return {
        kind: {
            name: row[i] for name, row in table.items() if row[i] and name not in excluded_signals
        }
        for i, kind in enumerate(_KINDS)
    }


def require_signals(names: Collection[str]) -> None:
    for name in names:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise InvalidInput(f"unknown signal {shown(name)}", hint=f"signals: {known}")


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """The conversations around some candidates.

    Entries without a kind are notes. `extra` are the neighbours of leading candidates, which become
    candidates too.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    neighbours: Mapping[str, Neighbours] = field(default_factory=dict)
    extra: Mapping[str, Entry] = field(default_factory=dict)

    def kind(self, id_: str) -> Kind:
        return self.kinds.get(id_, "note")

    def of(self, id_: str) -> Neighbours:
        return self.neighbours.get(id_, _NO_NEIGHBOURS)


def context_of(
    snapshot: Snapshot, entries: Mapping[str, Entry], leading: Collection[str]
) -> ConversationContext:
    """Return the kinds of entries, and the neighbours of those from conversations among people.

    Neighbours of the leading entries become candidates too, with their own neighbours.
    """
    kinds = _kinds(snapshot, entries)
    neighbours = _neighbours(snapshot, {id_: entries[id_] for id_ in kinds if kinds[id_] == "talk"})
    of_leading = [neighbours[id_] for id_ in leading if id_ in neighbours]
    ids = {id_ for around in of_leading for id_ in (*around.before[:1], *around.after)}
    extra = snapshot.find(ids - set(entries))
    kinds |= dict.fromkeys(extra, "talk")
    neighbours |= _neighbours(snapshot, extra)
    return ConversationContext(kinds, neighbours, extra)


def place_of(entry: Entry) -> Place | None:
    """Return the source and position of the entry's latest origin."""
    for origin in reversed(entry.origins):
        if origin.position is not None:
            return origin.source, origin.position
    return None


def speaker_of(entry: Entry) -> str | None:
    """Return the name of the latest speaker; a role such as "user" is not a name."""
    for origin in reversed(entry.origins):
        if origin.speaker and (name := _speaker_name(origin.speaker)):
            return name
    return None


@lru_cache(maxsize=1_000)
def _speaker_name(speaker: str) -> str | None:
    # Cached, because a memory has few speakers, and each occurs often.
    folded = fold(speaker)
    return None if folded in _ROLES else folded


def role_of(entry: Entry) -> str | None:
    return entry.origins[-1].role if entry.origins else None


def _kinds(snapshot: Snapshot, entries: Mapping[str, Entry]) -> dict[str, Kind]:
    origins = {
        id_: origin
        for id_, entry in entries.items()
        for origin in entry.origins[-1:]
        if origin.speaker or origin.role
    }
    sources = list(dict.fromkeys(origin.source for origin in origins.values()))
    with_assistant = snapshot.with_assistant(sources) if sources else frozenset()
    return {id_: _kind(origin, with_assistant) for id_, origin in origins.items()}


def _kind(origin: Origin, with_assistant: frozenset[str]) -> Kind:
    if origin.source in with_assistant or origin.role == ASSISTANT:
        return "agent"
    return "talk" if origin.speaker and _speaker_name(origin.speaker) else "diary"


def _neighbours(snapshot: Snapshot, entries: Mapping[str, Entry]) -> dict[str, Neighbours]:
    places = {id_: place for id_, entry in entries.items() if (place := place_of(entry))}
    neighbours = snapshot.neighbours(dict.fromkeys(places.values()))
    return {id_: neighbours[place] for id_, place in places.items()}


def with_neighbours(context: ConversationContext, ids: Sequence[str]) -> list[str]:
    """Return the ids and those of their neighbours, without duplicates."""
    if not context.neighbours:
        return list(ids)
    unique = dict.fromkeys(ids)
    for id_ in ids:
        around = context.of(id_)
        unique |= dict.fromkeys((*around.before, *around.after))
    return list(unique)
