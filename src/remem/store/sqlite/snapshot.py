"""A consistent view of the entry database: the reader, with searches and lookups of duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from remem.model.entry import Category, Entry, Filter, Trust, with_heading
from remem.ports.entries import Duplicate
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import (
    Matches,
    Neighbours,
    OutboxItem,
    PendingText,
    SourcePosition,
    TermStatistics,
)
from remem.store.rows import MAX_SENTENCES, compact
from remem.store.selection import FADED
from remem.store.sqlite import full_text, neighbours, similar_texts
from remem.store.sqlite.reader import SqliteReader
from remem.store.sqlite.vector_bits import admitted
from remem.text.similarity import Fingerprint

_IS_KNOWN: Final = (
    "SELECT EXISTS (SELECT 1 FROM memory_entries WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM erased WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_versions WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM erased WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE longest IN "
    f"({', '.join(f'?{3 + number}' for number in range(MAX_SENTENCES))}))"
)
_DUPLICATES: Final[dict[Duplicate, str]] = {
    "same": "e.same = ? AND e.standing = 1",
    "faded": f"e.same = ? AND {FADED}",
    "former": "e.row IN (SELECT row FROM memory_versions WHERE same = ?) AND e.standing = 1",
    "part": "e.longest IN (SELECT value FROM json_each(?)) AND e.standing = 1",
    "similar": "e.row IN (SELECT value FROM json_each(?)) AND e.standing = 1",
}


class SqliteSnapshot(SqliteReader):
    """A reader that can also search."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]:
        rows, total = full_text.matches(self._connection, terms, where, limit)
        return Matches(self._with_ids(rows), total)

    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        if not terms:
            return []
        rows = full_text.search_not_live(self._connection, terms, FADED, limit)
        ids = self._ids_of(rows)
        entries = self.find(ids.values())
        return [entries[ids[row]] for row in rows]

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        rows = {row: id_ for id_, row in self._rows_of(ids).items()}
        return full_text.count_terms(self._connection, terms, rows, live=live)

    def neighbours(self, places: Iterable[SourcePosition]) -> dict[SourcePosition, Neighbours]:
        return neighbours.neighbours_of(self._connection, places)

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        return neighbours.sources_with_assistant(self._connection, sources)

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[str, float]]:
        return self._nearest(
            identity, query, lambda scan: admitted(scan, where, self._connection), limit
        )

    def _vector_counts(self) -> dict[ModelIdentity, int]:
        """Return the number of vectors of each model; cached, because every recall asks."""
        return self._bits.vector_counts(self._connection)

    def _pending(
        self, condition: str, values: Sequence[int | str | None]
    ) -> list[PendingText[str]]:
        rows = self._connection.execute(
            "SELECT e.id, e.version, e.content, e.context FROM vector_queue q CROSS JOIN "
            f"memory_entries e ON e.row = q.row WHERE {condition}",
            values,
        )
        return [
            PendingText(id_, version, with_heading(content, context))
            for id_, version, content, context in rows
        ]

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        sentences = fingerprint.sentences
        if len(sentences) > MAX_SENTENCES:
            return False
        padding = [None] * (MAX_SENTENCES - len(sentences))
        return not self._one(_IS_KNOWN, id_, fingerprint.same, *sentences, *padding)[0]

    def duplicates(
        self, kind: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Entry]:
        value: object = fingerprint.same
        if kind == "part":
            value = compact(fingerprint.sentences)
        elif kind == "similar":
            rows = similar_texts.similar_rows(self._connection, fingerprint)
            if not rows:
                return []
            value = compact(sorted(rows))
        condition = f"{_DUPLICATES[kind]} AND +e.category = ? AND +e.trust = ?"
        return self._entries_where(condition, [value, category, trust])

    def outbox(self) -> list[OutboxItem]:
        rows = self._connection.execute("SELECT file, max(seq) FROM outbox GROUP BY file")
        return [OutboxItem(file, seq) for file, seq in rows]
