"""Find entries that a new text may repeat, by fingerprint, within one category and trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from remem.model.entry import Category, Trust
from remem.ports.records import EntryRow
from remem.store.sqlite.reader import FADED_ROWS, Reader
from remem.store.sqlite.rows import compact
from remem.text.similarity import Fingerprint

_PARTS_PER_QUERY: Final = 16
_WITH_PARTS: Final = " UNION ALL ".join(
    "SELECT * FROM (SELECT row, size, sketch FROM memory_likeness "
    f"WHERE part = ?{number} ORDER BY row DESC LIMIT 200)"
    for number in range(1, _PARTS_PER_QUERY + 1)
)
_MAX_SENTENCES: Final = 8
_IS_KNOWN: Final = (
    "SELECT EXISTS (SELECT 1 FROM memory_entries WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM erased WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_versions WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM erased WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE longest IN "
    f"({', '.join(f'?{3 + number}' for number in range(_MAX_SENTENCES))}))"
)


class DuplicateReader(Reader):
    """A reader that finds possible duplicates; the caller decides whether they really are."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, EntryRow]:
        return {entry_row.entry.id: entry_row for entry_row in self._with_keys("e.id", ids)}

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """One query instead of several for the most frequent case, a new text."""
        sentences = fingerprint.sentences
        if len(sentences) > _MAX_SENTENCES:
            return False
        padding = [None] * (_MAX_SENTENCES - len(sentences))
        return not self._one(_IS_KNOWN, id_, fingerprint.same, *sentences, *padding)[0]

    def same_as(self, category: Category, trust: Trust, fingerprint: Fingerprint) -> list[EntryRow]:
        return self._candidates("e.same = ?", [fingerprint.same], category, trust)

    def faded_same_as(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]:
        where = f"e.same = ? AND e.category = ? AND e.trust = ? AND {FADED_ROWS}"
        return self._select(where, [fingerprint.same, category, trust])

    def formerly_worded(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]:
        """Entries that had the same text in an earlier version."""
        return self._candidates(
            "e.row IN (SELECT row FROM memory_versions WHERE same = ?)",
            [fingerprint.same],
            category,
            trust,
        )

    def extended_by(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]:
        """Entries whose longest sentence is in the new text."""
        return self._candidates(
            "e.longest IN (SELECT value FROM json_each(?))",
            [compact(fingerprint.sentences)],
            category,
            trust,
        )

    def similar_to(
        self, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[EntryRow]:
        """Entries that could share four fifths of their words with the new text.

        If very many entries share a part, only the newest are considered.
        """
        rows: set[int] = set()
        for start in range(0, len(fingerprint.sought), _PARTS_PER_QUERY):
            parts = fingerprint.sought[start : start + _PARTS_PER_QUERY]
            padding = [None] * (_PARTS_PER_QUERY - len(parts))
            matches = self._connection.execute(_WITH_PARTS, [*parts, *padding])
            rows.update(
                row for row, size, sketch in matches if fingerprint.may_be_similar(size, sketch)
            )
        if not rows:
            return []
        return self._candidates(
            "e.row IN (SELECT value FROM json_each(?))", [compact(sorted(rows))], category, trust
        )

    def _candidates(
        self, condition: str, values: list[Any], category: Category, trust: Trust
    ) -> list[EntryRow]:
        return self._select(
            f"{condition} AND +e.category = ? AND +e.trust = ? AND e.standing = 1",
            [*values, category, trust],
        )
