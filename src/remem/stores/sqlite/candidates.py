"""Which entries may a new text repeat? Looked up by its fingerprint; equal category and trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from remem.core.entry import Category, Trust
from remem.core.likeness import SIMILAR, Fingerprint
from remem.ports import Located
from remem.stores.sqlite.reader import Reader
from remem.stores.sqlite.rows import compact

_WORDS_AT_ONCE: Final = 8
_HOLDING_A_WORD: Final = " UNION ALL ".join(
    "SELECT * FROM (SELECT row, size, sketch FROM memory_likeness "
    f"WHERE word = ?{number} ORDER BY row DESC LIMIT 200) WHERE size BETWEEN ?9 AND ?10"
    for number in range(1, _WORDS_AT_ONCE + 1)
)


class Candidates(Reader):
    """A reader that finds what is like a text; whether it is, the core decides."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]:
        return {each.entry.id: each for each in self._located("e.id", ids)}

    def same_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        return self._candidates("e.same = ?", [print_.same], kind, trust)

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
        """Entries that could share four fifths of their words with the new text. Of a word
        that very many entries hold, only the newest are looked at."""
        rows: set[int] = set()
        similar = print_.may_be_similar
        for start in range(0, len(print_.rare), _WORDS_AT_ONCE):
            words = print_.rare[start : start + _WORDS_AT_ONCE]
            padding = [None] * (_WORDS_AT_ONCE - len(words))
            holding = self._connection.execute(
                _HOLDING_A_WORD,
                [*words, *padding, SIMILAR * print_.size, print_.size / SIMILAR],
            )
            rows.update(row for row, size, sketch in holding if similar(size, sketch))
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
