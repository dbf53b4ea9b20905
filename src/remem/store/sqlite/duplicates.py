"""Which entries may a new text repeat? Looked up by its fingerprint; equal category and trust."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from remem.core.entry import Category, Trust
from remem.core.likeness import Fingerprint
from remem.ports import Located
from remem.stores.sqlite.reader import FADED_ROWS, Reader
from remem.stores.sqlite.rows import compact

_AT_ONCE: Final = 16
_HAVING_A_PART: Final = " UNION ALL ".join(
    "SELECT * FROM (SELECT row, size, sketch FROM memory_likeness "
    f"WHERE part = ?{number} ORDER BY row DESC LIMIT 200)"
    for number in range(1, _AT_ONCE + 1)
)
_FEW_SENTENCES: Final = 8
_HEARD: Final = (
    "SELECT EXISTS (SELECT 1 FROM memory_entries WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM erased WHERE id = ?1) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_versions WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM erased WHERE same = ?2) "
    "OR EXISTS (SELECT 1 FROM memory_entries WHERE longest IN "
    f"({', '.join(f'?{3 + number}' for number in range(_FEW_SENTENCES))}))"
)


class Candidates(Reader):
    """A reader that finds what is like a text; whether it is, the core decides."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]:
        return {each.entry.id: each for each in self._located("e.id", ids)}

    def is_news(self, id_: str, print_: Fingerprint) -> bool:
        """One question instead of many, for what is stored most often: something new."""
        said = print_.sentences
        if len(said) > _FEW_SENTENCES:
            return False
        padding = [None] * (_FEW_SENTENCES - len(said))
        return not self._one(_HEARD, id_, print_.same, *said, *padding)[0]

    def same_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        return self._candidates("e.same = ?", [print_.same], kind, trust)

    def faded_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        where = f"e.same = ? AND e.category = ? AND e.trust = ? AND {FADED_ROWS}"
        return self._select(where, [print_.same, kind, trust])

    def worded_before(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Entries that once said the same, and have been reworded since."""
        return self._candidates(
            "e.row IN (SELECT row FROM memory_versions WHERE same = ?)",
            [print_.same],
            kind,
            trust,
        )

    def extended_by(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Entries whose longest sentence stands in the new text."""
        return self._candidates(
            "e.longest IN (SELECT value FROM json_each(?))",
            [compact(print_.sentences)],
            kind,
            trust,
        )

    def similar_to(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Entries that could share four fifths of their words with the new text. Of a part
        that very many entries have, only the newest are looked at."""
        rows: set[int] = set()
        for start in range(0, len(print_.sought), _AT_ONCE):
            parts = print_.sought[start : start + _AT_ONCE]
            padding = [None] * (_AT_ONCE - len(parts))
            having = self._connection.execute(_HAVING_A_PART, [*parts, *padding])
            rows.update(print_.perhaps_similar(having))
        return self._standing(rows, kind, trust)

    def _standing(self, rows: Collection[int], kind: Category, trust: Trust) -> list[Located]:
        if not rows:
            return []
        return self._candidates(
            "e.row IN (SELECT value FROM json_each(?))", [compact(sorted(rows))], kind, trust
        )

    def _candidates(
        self, condition: str, values: list[Any], kind: Category, trust: Trust
    ) -> list[Located]:
        return self._select(
            f"{condition} AND +e.category = ? AND +e.trust = ? AND e.standing = 1",
            [*values, kind, trust],
        )
