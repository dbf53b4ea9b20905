"""A consistent view of the passage database: files, keywords and vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from remem.model.passage import FileMark, Passage, Source
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import Matches, PendingText
from remem.store.rows import FACET_NO_VECTOR, compact
from remem.store.sqlite import full_text
from remem.store.sqlite.passage_tables import FACET_SESSIONS, SELECT, passage_from
from remem.store.sqlite.shared_tables import SharedReader
from remem.store.vector_scan import Scan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WEIGHTS: Final = "1.0, 0.5, 0.3"  # text, context, path
_FROM: Final = "FROM passages p CROSS JOIN files f ON f.number = p.file"
_SOURCES: Final[tuple[Source, ...]] = ("memory", "sessions")


class PassageSnapshot(SharedReader[int]):
    """Reads passages through one connection; a transaction is a snapshot that can also write."""

    def _rows_of(self, ids: Iterable[int]) -> dict[int, int]:
        """A passage's number is its row."""
        return {number: number for number in ids}

    def _ids_of(self, rows: Iterable[int]) -> dict[int, int]:
        return {row: row for row in rows}

    def files(self) -> dict[str, FileMark]:
        rows = self._connection.execute(
            "SELECT path, size, mtime_ns, inode, digest, tokens, trouble, changed_ns FROM files"
        )
        return {values[0]: FileMark(*values) for values in rows}

    def passages(self, numbers: Iterable[int]) -> dict[int, Passage]:
        result = self._connection.execute(
            f"SELECT p.row, {SELECT} {_FROM} WHERE p.row IN (SELECT value FROM json_each(?))",
            [compact(list(numbers))],
        )
        return {row: passage_from(values) for row, *values in result}

    def of_file(self, path: str) -> list[tuple[int, Passage]]:
        """Return the passages of a file in the order of its lines."""
        result = self._connection.execute(
            f"SELECT p.row, {SELECT} FROM files f CROSS JOIN passages p ON p.file = f.number "
            "WHERE f.path = ? ORDER BY p.start, p.row",
            [path],
        )
        return [(row, passage_from(values)) for row, *values in result]

    def keyword(self, terms: Sequence[str], sources: Sequence[Source], limit: int) -> Matches[int]:
        if not terms or not sources:
            return Matches([], 0)
        match = " OR ".join(map(full_text.quoted, terms))
        source, values = "memory_fts", [match]
        if set(sources) != set(_SOURCES):
            source += " CROSS JOIN passages p ON p.row = memory_fts.rowid"
        hits = f"FROM {source} WHERE memory_fts MATCH ?"
        if source != "memory_fts":
            hits += " AND p.source = ?"
            values.append(sources[0])
        rows = list(
            self._connection.execute(
                f"SELECT memory_fts.rowid, -bm25(memory_fts, {_WEIGHTS}) AS score {hits} "
                "ORDER BY score DESC, memory_fts.rowid LIMIT ?",
                [*values, limit],
            )
        )
        total = len(rows) if len(rows) < limit else self._one(f"SELECT count(*) {hits}", *values)[0]
        return Matches(rows, total)

    def nearest(
        self, identity: ModelIdentity, query: Floats, sources: Sequence[Source], limit: int
    ) -> list[tuple[int, float]]:
        def allowed_rows(scan: Scan) -> NDArray[np.bool_]:
            allowed: NDArray[np.bool_] = (scan.facets & FACET_NO_VECTOR) == 0
            for source, wanted in (("memory", 0), ("sessions", FACET_SESSIONS)):
                if source not in sources:
                    allowed &= (scan.facets & FACET_SESSIONS) != wanted
            return allowed

        return self._nearest(identity, query, allowed_rows, limit)

    def pending(
        self, limit: int, after: int | None = None, missing_for: ModelIdentity | None = None
    ) -> list[PendingText[int]]:
        """Queued passages; a passage never changes, so its version is always 1."""
        condition, values = self._queued(after, missing_for)
        return self._pending(f"{condition} ORDER BY q.row LIMIT ?", [*values, limit])

    def pending_among(self, ids: Sequence[int]) -> list[PendingText[int]]:
        found = self._pending("q.row IN (SELECT value FROM json_each(?))", [compact(list(ids))])
        return sorted(found, key=lambda pending: ids.index(pending.id))

    def _pending(
        self, condition: str, values: Sequence[int | str | None]
    ) -> list[PendingText[int]]:
        rows = self._connection.execute(
            f"SELECT p.row, {SELECT} FROM vector_queue q CROSS JOIN passages p ON p.row = q.row "
            f"CROSS JOIN files f ON f.number = p.file WHERE {condition}",
            values,
        )
        return [PendingText(row, 1, passage_from(values).in_context) for row, *values in rows]

    def counts(self) -> tuple[int, int]:
        files, passages = self._one(
            "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM passages)"
        )
        return files, passages

    def conversation_count(self) -> int:
        result = self._one("SELECT count(*) FROM passages WHERE source = 'sessions'")
        return int(result[0])
