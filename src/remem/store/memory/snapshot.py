"""The reading side of a store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remem.model.entry import ASSISTANT, Category, Entry, Filter, Trust, Version, with_heading
from remem.ports.entries import Duplicate
from remem.ports.models import Embedding, Floats, ModelIdentity, require_dimension
from remem.ports.records import (
    Matches,
    Neighbours,
    Order,
    OutboxItem,
    PendingText,
    SourcePosition,
    Tally,
    TallyBy,
    TermStatistics,
    Tombstone,
    Usage,
    VectorState,
    Where,
)
from remem.ports.state import Namespace, R
from remem.store.full_text_rules import (
    can_be_misspelled,
    corrections,
    stems_by_column,
    stems_of_term,
)
from remem.store.memory import full_text
from remem.store.memory.state import MemoryState, StoredEntry
from remem.store.rows import MAX_GAP, MAX_SENTENCES
from remem.text.similarity import Fingerprint, fingerprint_of


class MemorySnapshot:
    """Reads one state of the store."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def change_mark(self) -> str:
        return str(self._state.counter)

    def ids(self) -> list[str]:
        return list(self._state.entries)

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        requested = set(ids)
        return {
            id_: stored.entry for id_, stored in self._state.entries.items() if id_ in requested
        }

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        return self._state.select(where, order, limit)

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        return self._state.tally(by, where)

    def history(self, id_: str) -> list[Version]:
        stored = self._state.entries.get(id_)
        if stored is None:
            return []
        entry = stored.entry
        return [*stored.earlier, Version(entry.version, entry.updated_at, stored.change, entry)]

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]:
        known = ((id_, self._state.entries[id_]) for id_ in ids if id_ in self._state.entries)
        return {id_: Usage(stored.home, stored.used, stored.listed) for id_, stored in known}

    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        everything = id_ is None and wording_hash is None
        return [
            tombstone
            for key, tombstone in sorted(self._state.tombstones.items())
            if everything or key[0] == id_ or key[1] == wording_hash
        ]

    def record(self, namespace: Namespace[R], key: str = "") -> R | None:
        text = self._state.records.get((namespace.name, key))
        return namespace.load(text) if text else None

    def records(self, namespace: Namespace[R]) -> dict[str, R]:
        names = sorted(key for name, key in self._state.records if name == namespace.name)
        loaded = ((key, self.record(namespace, key)) for key in names)
        return {key: record for key, record in loaded if record is not None}

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]:
        hits = full_text.ranked(self._live(), terms)
        if not where.only_live:
            hits += full_text.ranked(self._not_live(), terms)
            hits.sort(key=lambda hit: -hit[1])
        matches = [(entry.id, score) for entry, score in hits if where.admits(entry)]
        return Matches(matches[:limit], len(matches))

    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        hits = full_text.ranked(self._not_live(), terms)
        return [entry for entry, _ in hits if entry.faded][:limit]

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        if not terms or not ids:
            return TermStatistics(entries_with_term=(0,) * len(terms))
        phrases, requested = [stems_of_term(term) for term in terms], set(ids)
        corpus = self._live() if live else [*self._not_live(), *self._live()]
        counts = {
            entry.id: tuple(full_text.weighted_count(entry, phrase) for phrase in phrases)
            for entry in corpus
        }
        matches = {
            entry.id: entry for entry in corpus if entry.id in requested and any(counts[entry.id])
        }
        return TermStatistics(
            {id_: counts[id_] for id_ in matches},
            {id_: full_text.length(entry) for id_, entry in matches.items()},
            tuple(sum(bool(row[i]) for row in counts.values()) for i in range(len(terms))),
            len(corpus),
            max(1.0, full_text.mean_length(corpus)),
        )

    def stored_spelling(self, term: str) -> str | None:
        if not can_be_misspelled(term):
            return None
        live = self._live()
        known = {stem for entry in live for column in stems_by_column(entry) for stem in column}
        if set(stems_of_term(term)) <= known:
            return term
        return next((word for word, stem in corrections(term).items() if stem in known), None)

    def neighbours(self, places: Iterable[SourcePosition]) -> dict[SourcePosition, Neighbours]:
        return {place: self._neighbours(*place) for place in places}

    def _neighbours(self, source: str, position: int) -> Neighbours:
        near = sorted(
            (origin.position, stored.number, id_)
            for id_, stored in self._state.entries.items()
            if stored.entry.live
            for origin in stored.entry.origins
            if origin.source == source and origin.position is not None
            if abs(origin.position - position) <= MAX_GAP
        )
        before = [id_ for at, _, id_ in reversed(near) if at < position]
        after = [id_ for at, _, id_ in near if at > position]
        return Neighbours(tuple(before[:2]), tuple(after[:1]))

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        with_assistant = {
            origin.source
            for entry in self._live()
            for origin in entry.origins
            if origin.role == ASSISTANT and origin.position is not None
        }
        return frozenset(sources) & with_assistant

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        if len(fingerprint.sentences) > MAX_SENTENCES or self.tombstones(id_, fingerprint.same):
            return False
        sentences = set(fingerprint.sentences)
        return id_ not in self._state.entries and not any(
            fingerprint.same in stored.wordings
            or fingerprint_of(stored.entry.content).longest in sentences
            for stored in self._state.entries.values()
        )

    def duplicates(
        self, kind: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Entry]:
        return [
            stored.entry
            for stored in self._state.entries.values()
            if (stored.entry.category, stored.entry.trust) == (category, trust)
            and (stored.entry.faded if kind == "faded" else stored.current)
            and _repeats(stored, kind, fingerprint)
        ]

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]:
        require_dimension(query, identity)
        known = self._state.vectors.get(identity, {})
        hits = [
            (id_, float(known[id_].embedding.pooled @ query))
            for id_, stored in self._state.entries.items()
            if id_ in known and where.admits(stored.entry)
        ]
        return sorted(hits, key=lambda hit: -hit[1])[:limit]

    def vectors_of(
        self, identity: ModelIdentity, ids: Iterable[str], *, quick: bool = True
    ) -> dict[str, Embedding]:
        known = self._state.vectors.get(identity, {})
        vectors = {id_: known[id_] for id_ in ids if id_ in known}
        return {
            id_: vector.embedding for id_, vector in vectors.items() if quick or not vector.quick
        }

    def vector_state(self) -> VectorState:
        vectors, pending = self._state.vectors, len(self._state.queue)
        quick = {
            model: sum(vector.quick for vector in known.values())
            for model, known in vectors.items()
        }
        counts = {model: len(known) for model, known in vectors.items()}
        return VectorState(self._state.models, counts, pending, quick if pending else {})

    def sample_vectors(self, identity: ModelIdentity, count: int) -> list[Embedding]:
        known = list(self._state.vectors.get(identity, {}).values())
        step = max(1, len(known) // count)
        return [vector.embedding for vector in known[::step]][:count]

    def pending(
        self,
        limit: int,
        after: str | None = None,
        missing_for: ModelIdentity | None = None,
        *,
        among: Sequence[str] | None = None,
    ) -> list[PendingText[str]]:
        state = self._state
        last = state.entries[after].number if after in state.entries else 0
        known = state.vectors.get(missing_for, {}) if missing_for else {}
        entries = [
            stored.entry
            for id_, stored in state.entries.items()
            if id_ in state.queue
            and stored.number > last
            and id_ not in known
            and (among is None or id_ in among)
        ]
        return [
            PendingText(entry.id, entry.version, with_heading(entry.content, entry.context))
            for entry in entries[:limit]
        ]

    def outbox(self) -> list[OutboxItem]:
        return [OutboxItem(file, seq) for file, seq in sorted(self._state.outbox.items())]

    def _live(self) -> list[Entry]:
        return [stored.entry for stored in self._state.entries.values() if stored.entry.live]

    def _not_live(self) -> list[Entry]:
        return [stored.entry for stored in self._state.entries.values() if not stored.entry.live]


def _repeats(stored: StoredEntry, kind: Duplicate, fingerprint: Fingerprint) -> bool:
    """Return whether the text with a fingerprint repeats a stored entry in the way `kind`."""
    own = fingerprint_of(stored.entry.content)
    match kind:
        case "same" | "faded":
            return own.same == fingerprint.same
        case "former":
            earlier = (version.entry.content for version in stored.earlier)
            return any(fingerprint_of(text).same == fingerprint.same for text in earlier)
        case "part":
            return own.longest in fingerprint.sentences
        case "similar":
            shared = set(own.parts) & set(fingerprint.lookup_parts)
            return bool(shared) and fingerprint.may_be_similar(own.size, own.sketch)
