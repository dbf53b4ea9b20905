"""A consistent view of the entry database: records, searches, and what is in which file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from remem.model.entry import Entry, Filter, with_heading
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import (
    EntryFromFile,
    Matches,
    Neighbours,
    Occurrences,
    OutboxItem,
    PendingText,
    Place,
    WrittenFile,
)
from remem.store.sqlite import full_text, neighbours
from remem.store.sqlite.duplicates import DuplicateReader


class Snapshot(DuplicateReader):
    """A reader that can also search, and knows which files have to be written."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches:
        rows, total = full_text.matches(self._connection, terms, where, limit)
        return Matches(rows, total)

    def occurrences(
        self, terms: Sequence[str], rows: Sequence[int], *, live: bool = True
    ) -> Occurrences:
        return full_text.count_terms(self._connection, terms, rows, live=live)

    def neighbours(self, places: Iterable[Place]) -> dict[Place, Neighbours]:
        return neighbours.neighbours_of(self._connection, places)

    def with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        return neighbours.with_assistant(self._connection, sources)

    def newest(self, where: Filter, span: tuple[str, str] | None, limit: int) -> list[int]:
        return full_text.newest(self._connection, where, span, limit)

    def nearest(
        self, identity: ModelIdentity, query: Floats, where: Filter, limit: int
    ) -> list[tuple[int, float]]:
        return self._nearest(
            identity, query, lambda scan: scan.admitted(where, self._connection), limit
        )

    def vector_counts(self) -> dict[ModelIdentity, int]:
        """Number of vectors of each model; cached, because every recall asks."""
        return self._bits.vector_counts(self._connection)

    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]:
        condition, values = self._queued(missing_for)
        rows = self._connection.execute(
            "SELECT e.row, e.version, e.content, e.context FROM vector_queue q CROSS JOIN "
            f"memory_entries e ON e.row = q.row WHERE q.row > ? AND {condition} "
            "ORDER BY q.row LIMIT ?",
            [after, *values, limit],
        )
        return [
            PendingText(row, version, with_heading(content, context))
            for row, version, content, context in rows
        ]

    def entries_in_file(self, stem: str, part: int) -> list[Entry]:
        """The entries of one domain file, in order."""
        where = "e.home = ? AND e.part = ? AND e.standing = 1"
        return [entry_row.entry for entry_row in self._select(where, [stem, part])]

    def file_sizes(self) -> list[tuple[str, int, int, int]]:
        """Each file's stem and part with its number of entries and of tokens."""
        return list(
            self._connection.execute(
                "SELECT home, part, count(*), sum(token_estimate) FROM memory_entries "
                "WHERE standing = 1 GROUP BY home, part"
            )
        )

    def common_tags(self, stem: str, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT tag FROM memory_tags WHERE live_home = ? "
            "GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?",
            [stem, limit],
        )
        return [tag for (tag,) in rows]

    def stated_in(self, file: str) -> list[EntryFromFile]:
        return neighbours.stated_in(self._connection, file)

    def outbox(self) -> list[OutboxItem]:
        rows = self._connection.execute("SELECT file, max(seq) FROM outbox GROUP BY file")
        return [OutboxItem(file, seq) for file, seq in rows]

    def projected(self, file: str) -> WrittenFile | None:
        row = self._one("SELECT digest, items FROM projected WHERE file = ?", file)
        try:
            return WrittenFile(row[0], json.loads(row[1])) if row else None
        except ValueError:  # damaged: treated as unknown, which is safe
            return None

    def projected_files(self) -> list[str]:
        return [file for (file,) in self._connection.execute("SELECT file FROM projected")]
