"""The conversation context of entries, and keyword scores in which the words of neighbours count.

The kind of an entry (note, talk, agent or diary) follows from the source, speaker and role of its
origin; its words are not examined. The kind selects the weights of the signals. An entry records
its speaker and role. A file has no such record, so if it contains a conversation, its speakers are
read from the beginnings of its lines: `Mara: …`, `- **User:** …`.

Keyword scores are BM25 scores. How strongly they are normalised by length (BM25's b) depends on how
much the lengths vary: hardly at all among turns of similar length, almost fully if there are both
pages and single lines. The mean length is taken over all entries, because candidates are longer
than average.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from math import fsum, sqrt
from typing import Final, Literal

from remem.fast_dataclass import dataclass
from remem.model.entry import ASSISTANT, Entry, Origin
from remem.ports.entries import Snapshot
from remem.ports.records import Neighbours, SourcePosition, TermStatistics
from remem.search.query.terms import idf
from remem.text.words import fold

Kind = Literal["note", "talk", "agent", "diary", "passage"]
"""note: an entry that is not from a conversation. talk: from a conversation among people. agent:
from a conversation with an assistant. diary: one person's words, without an assistant. passage: a
piece of a file."""
CONVERSATIONS: Final[tuple[Kind, ...]] = ("talk", "agent", "diary")

_K1: Final = 1.2
_BEFORE: Final = (0.5, 0.2)
_AFTER: Final = (0.2,)
"""How much the words of the neighbours before and after an entry count; its own words count 1."""
_ROLES: Final = frozenset({ASSISTANT, "user", "system", "tool"})
_SPEAKER: Final = re.compile(
    r"^[ \t]*(?:[-*+>•][ \t]+)?(?:\*\*|__)?([^\W\d_][\w .'’-]{0,30}?)[ \t]*"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?(?=[ \t]|$)",
    re.MULTILINE,
)
_PEOPLE: Final = frozenset({"user", "human", "me"})
_ASSISTANTS: Final = frozenset({ASSISTANT, "ai", "bot", "system", "tool"})
_MIN_LINES: Final = 3
"""A name at the beginning of fewer lines may be a heading or a label."""
_NO_NEIGHBOURS: Final = Neighbours()


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

    def neighbours_of(self, id_: str) -> Neighbours:
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


def place_of(entry: Entry) -> SourcePosition | None:
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
    """Return the role of who said an entry; None if it does not come from a conversation."""
    return entry.origins[-1].role if entry.origins else None


@lru_cache(maxsize=4_096)
def speakers_in(text: str) -> tuple[str, ...]:
    """Return the names that the lines begin with, in order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def named_speakers(texts: Iterable[str]) -> set[str]:
    """Return the names of people that begin several lines of these texts."""
    counts = Counter(name for text in texts if _is_talk(text) for name in speakers_in(text))
    return {
        name
        for name, lines in counts.items()
        if lines >= _MIN_LINES and name not in _PEOPLE and name not in _ASSISTANTS
    }


@lru_cache(maxsize=4_096)
def _is_talk(text: str) -> bool:
    """Return whether at least half of several lines begin with a name.

    The name at the beginning of a single line, as in a list, is what the line is about.
    """
    lines = sum(1 for line in text.split("\n") if line.strip())
    return lines > 1 and 2 * len(speakers_in(text)) >= lines


def share_by_people(speakers: Sequence[str]) -> float:
    """Return the share of lines by people among the lines that begin with a role.

    The result is 0 if there are none.
    """
    roles = [name for name in speakers if name in _PEOPLE or name in _ASSISTANTS]
    return sum(name in _PEOPLE for name in roles) / len(roles) if roles else 0.0


def share_by_speaker(person: str | None, speakers: Sequence[str]) -> float:
    """Return the share of the lines that begin with this name."""
    return speakers.count(person) / len(speakers) if person and speakers else 0.0


def _kinds(snapshot: Snapshot, entries: Mapping[str, Entry]) -> dict[str, Kind]:
    origins = {
        id_: origin
        for id_, entry in entries.items()
        for origin in entry.origins[-1:]
        if origin.speaker or origin.role
    }
    sources = list(dict.fromkeys(origin.source for origin in origins.values()))
    with_assistant = snapshot.sources_with_assistant(sources) if sources else frozenset()
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
    """Return the ids and the ids of their neighbours, without duplicates."""
    if not context.neighbours:
        return list(ids)
    unique = dict.fromkeys(ids)
    for id_ in ids:
        around = context.neighbours_of(id_)
        unique |= dict.fromkeys((*around.before, *around.after))
    return list(unique)


def keyword_scores(
    statistics: TermStatistics,
    ids: Sequence[str],
    neighbours: Mapping[str, Neighbours],
    term_weights: Sequence[float],
) -> list[float]:
    """Return a score from 0 to 1 for each entry; a term's rarity is multiplied by its weight."""
    own = [statistics.lengths[id_] for id_ in ids if id_ in statistics.lengths]
    b = normalisation(own, statistics.mean_length)
    norms = {
        id_: 1 - b + b * length / statistics.mean_length
        for id_, length in statistics.lengths.items()
    }
    weights = _weights(statistics, term_weights)
    full_match = sum(weights) or 1.0
    scored = []
    for id_ in ids:
        frequencies = [0.0] * len(weights)
        for source_id, share in _fields(id_, neighbours.get(id_)):
            if source_id in statistics.counts:
                scale = share / norms[source_id]
                for i, count in enumerate(statistics.counts[source_id]):
                    if count:
                        frequencies[i] += scale * count
        scored.append(_bm25(weights, frequencies) / full_match)
    return scored


def source_scores(
    statistics: TermStatistics, sources: Mapping[str, str], term_weights: Sequence[float]
) -> dict[str, float]:
    """Return how much of the question each source covers, over all of its entries."""
    weights = _weights(statistics, term_weights)
    totals: dict[str, list[float]] = {}
    for id_, counts in statistics.counts.items():
        if id_ in sources:
            total = totals.setdefault(sources[id_], [0.0] * len(counts))
            for i, count in enumerate(counts):
                total[i] += count
    return {source: _bm25(weights, frequencies) for source, frequencies in totals.items()}


def _fields(id_: str, neighbours: Neighbours | None) -> list[tuple[str, float]]:
    """Return an entry and its neighbours, each with its share."""
    if neighbours is None:
        return [(id_, 1.0)]
    before = zip(neighbours.before, _BEFORE, strict=False)
    return [(id_, 1.0), *before, *zip(neighbours.after, _AFTER, strict=False)]


def _weights(statistics: TermStatistics, term_weights: Sequence[float]) -> list[float]:
    idfs = [idf(count, statistics.total_entries) for count in statistics.entries_with_term]
    return [idf * weight for idf, weight in zip(idfs, term_weights, strict=True)]


def _bm25(weights: Sequence[float], frequencies: Sequence[float]) -> float:
    return sum(w * tf / (tf + _K1) for w, tf in zip(weights, frequencies, strict=True) if tf)


def normalisation(lengths: Sequence[int], mean: float) -> float:
    """Return BM25's b, which is higher the more the lengths deviate from the mean."""
    if len(lengths) < 2:
        return 0.2
    spread = sqrt(fsum((length - mean) ** 2 for length in lengths) / len(lengths)) / max(mean, 1e-9)
    return min(0.9, max(0.2, 0.2 + 1.6 * (spread - 0.5)))
