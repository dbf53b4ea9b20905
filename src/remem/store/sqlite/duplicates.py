"""Find entries that a new text may repeat, by fingerprint, within one category and trust.

`DuplicateReader` looks up one text. `DuplicateLookup` looks up hundreds of texts with a few
queries that walk the indexes in order. What is stored in the meantime is added to it, so that it
misses nothing; it may name entries that have changed since, which its callers check.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import apsw

from remem.model.entry import Category, Trust
from remem.ports.entries import IncomingText
from remem.ports.records import Located
from remem.store.sqlite.reader import FADED_ROWS, Reader
from remem.store.sqlite.rows import compact
from remem.text.similarity import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    """A reader that finds possible duplicates; the caller decides whether they are."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]:
        return {located.entry.id: located for located in self._located("e.id", ids)}

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        """One query instead of many for the most frequent case, a new text."""
        sentences = fingerprint.sentences
        if len(sentences) > _MAX_SENTENCES:
            return False
        padding = [None] * (_MAX_SENTENCES - len(sentences))
        return not self._one(_IS_KNOWN, id_, fingerprint.same, *sentences, *padding)[0]

    def same_as(self, kind: Category, trust: Trust, fingerprint: Fingerprint) -> list[Located]:
        return self._candidates("e.same = ?", [fingerprint.same], kind, trust)

    def faded_same_as(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]:
        where = f"e.same = ? AND e.category = ? AND e.trust = ? AND {FADED_ROWS}"
        return self._select(where, [fingerprint.same, kind, trust])

    def formerly_worded(
        self, kind: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Located]:
        """Entries that had the same text in an earlier version."""
        return self._candidates(
            "e.row IN (SELECT row FROM memory_versions WHERE same = ?)",
            [fingerprint.same],
            kind,
            trust,
        )

    def extended_by(self, kind: Category, trust: Trust, fingerprint: Fingerprint) -> list[Located]:
        """Entries whose longest sentence is in the new text."""
        return self._candidates(
            "e.longest IN (SELECT value FROM json_each(?))",
            [compact(fingerprint.sentences)],
            kind,
            trust,
        )

    def similar_to(self, kind: Category, trust: Trust, fingerprint: Fingerprint) -> list[Located]:
        """Entries that could share four fifths of their words with the new text.

        Of a part that very many entries have, only the newest are considered.
        """
        rows: set[int] = set()
        for start in range(0, len(fingerprint.sought), _PARTS_PER_QUERY):
            parts = fingerprint.sought[start : start + _PARTS_PER_QUERY]
            padding = [None] * (_PARTS_PER_QUERY - len(parts))
            matches = self._connection.execute(_WITH_PARTS, [*parts, *padding])
            rows.update(fingerprint.perhaps_similar(matches))
        return self._current_entries(rows, kind, trust)

    def _current_entries(
        self, rows: Collection[int], kind: Category, trust: Trust
    ) -> list[Located]:
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


MAX_HOLDERS: Final = 200
"""Of a part that very many entries have, only the newest are considered."""

_NUMPY_THRESHOLD: Final = 5_000
_HOLDERS: Final = f"""SELECT value, (
        SELECT json_group_array(json_array(row, size, sketch)) FROM (
            SELECT row, size, sketch FROM memory_likeness WHERE part = value
            ORDER BY row DESC LIMIT {MAX_HOLDERS}))
    FROM carray(?) WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""


class SimilarCandidates:
    """Entries that share parts with incoming texts: row, size and sketch, newest last."""

    def __init__(self, connection: apsw.Connection, fingerprints: Sequence[Fingerprint]) -> None:
        parts, self._shared = _distinct(
            [part for fingerprint in fingerprints for part in fingerprint.sought]
        )
        self._by_part: dict[int, list[tuple[int, int, int]]] = {}
        if len(parts):
            for part, holders in connection.execute(_HOLDERS, [apsw.carray(parts)]):
                self._by_part[part] = json.loads(holders)[::-1]

    def similar_to(self, fingerprint: Fingerprint) -> set[int]:
        """The rows of entries that could be similar."""
        rows = set[int]()
        for part in self._by_part.keys() & fingerprint.sought:
            rows.update(fingerprint.perhaps_similar(self._by_part[part][-MAX_HOLDERS:]))
        return rows

    def add(self, row: int, fingerprint: Fingerprint, *, prefetched: bool) -> None:
        """Add a stored entry. Of a prefetched text, only parts that another one shares matter."""
        holder = (row, fingerprint.size, fingerprint.sketch)
        for part in (
            self._shared.intersection(fingerprint.parts) if prefetched else fingerprint.parts
        ):
            self._by_part.setdefault(part, []).append(holder)


def _distinct(sought: list[int]) -> tuple[array[int] | NDArray[np.int64], frozenset[int]]:
    """The distinct parts in order, and those that several texts share.

    numpy sorts tens of thousands quickly; for a few, importing it would take longer.
    """
    if len(sought) < _NUMPY_THRESHOLD:
        counts = Counter(sought)
        shared = frozenset(part for part, count in counts.items() if count > 1)
        return array("q", sorted(counts)), shared
    import numpy as np

    parts, times = np.unique(np.array(sought, np.int64), return_counts=True)
    return parts, frozenset(parts[times > 1].tolist())


_TAKEN_IDS: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE id = value)
    OR EXISTS (SELECT 1 FROM erased WHERE id = value)"""
_KNOWN_WORDINGS: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE same = value)
    OR EXISTS (SELECT 1 FROM memory_versions WHERE same = value)
    OR EXISTS (SELECT 1 FROM erased WHERE same = value)"""
_KNOWN_SENTENCES: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE longest = value)"""


class DuplicateLookup:
    """What the database holds that incoming texts may repeat."""

    def __init__(self, connection: apsw.Connection, incoming: Sequence[IncomingText]) -> None:
        fingerprints = [text.fingerprint for text in incoming]
        self._fingerprints = fingerprints
        self._ids = {text.id: text.fingerprint for text in incoming}
        self._by_identity = {id(fingerprint): fingerprint for fingerprint in fingerprints}
        self._taken_ids: set[str] = _known_values(connection, _TAKEN_IDS, tuple(sorted(self._ids)))
        self._wordings = _known_numbers(
            connection, _KNOWN_WORDINGS, {fingerprint.same for fingerprint in fingerprints}
        )
        self._sentences = _known_numbers(
            connection,
            _KNOWN_SENTENCES,
            set(chain.from_iterable([fingerprint.sentences for fingerprint in fingerprints])),
        )
        self._similar: SimilarCandidates | None = None

    def is_free(self, id_: str) -> bool:
        return id_ in self._ids and id_ not in self._taken_ids

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool | None:
        """As in the port; None if the text was not prefetched."""
        if self._ids.get(id_) is not fingerprint:
            return None
        known = id_ in self._taken_ids or fingerprint.same in self._wordings
        return not known and self._sentences.isdisjoint(fingerprint.sentences)

    def similar(
        self, fingerprint: Fingerprint, flushed: Callable[[], apsw.Connection]
    ) -> set[int] | None:
        """The rows that could be similar; None if the text was not prefetched.

        `flushed` returns the connection after pending inserts. It is called for the first text
        that needs it; texts that come back from an export never do.
        """
        if id(fingerprint) not in self._by_identity:
            return None
        if self._similar is None:
            self._similar = SimilarCandidates(flushed(), self._fingerprints)
        return self._similar.similar_to(fingerprint)

    def add(self, row: int, id_: str, fingerprint: Fingerprint) -> None:
        """Add an entry that was stored in the meantime."""
        self._taken_ids.add(id_)
        self._wordings.add(fingerprint.same)
        self._sentences.add(fingerprint.longest)
        if self._similar is not None:
            self._similar.add(row, fingerprint, prefetched=id(fingerprint) in self._by_identity)

    def add_wordings(self, wordings: Iterable[int]) -> None:
        """Add earlier wordings of entries."""
        self._wordings.update(wordings)


def _known_numbers(connection: apsw.Connection, query: str, numbers: set[int]) -> set[int]:
    return _known_values(connection, query, array("q", sorted(numbers)))


def _known_values(
    connection: apsw.Connection, query: str, values: tuple[str, ...] | array[int]
) -> set[Any]:
    """Those of some sorted values that a query finds."""
    if not values:
        return set()
    return {value for (value,) in connection.execute(query, [apsw.carray(values)])}
