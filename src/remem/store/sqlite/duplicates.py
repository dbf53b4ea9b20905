"""What is known of the texts that are about to be stored? Looked up together, once for all.

A question for each text walks the same indexes again and again; one question for hundreds of
texts asks them in order. What is stored meanwhile is added, so that the answer stays true: it
may name what is no longer there, which whoever reads it finds out, but it misses nothing.

Which entries may a new text repeat? Looked up by its fingerprint; equal category and trust.

Which entries have a part in common with the texts that are about to be stored?

All parts are looked up in their order, once. What is stored meanwhile is added as far as one of
the texts to come could look for it: nearly every part is nobody else's.
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
from remem.ports.entries import Coming
from remem.ports.records import Located
from remem.store.sqlite.reader import FADED_ROWS, Reader
from remem.store.sqlite.rows import compact
from remem.text.similarity import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        return {located.entry.id: located for located in self._located("e.id", ids)}

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


NEWEST: Final = 200
"""Of a part that very many entries have, only so many are looked at."""

_MANY: Final = 5_000
_HOLDERS: Final = f"""SELECT value, (
        SELECT json_group_array(json_array(row, size, sketch)) FROM (
            SELECT row, size, sketch FROM memory_likeness WHERE part = value
            ORDER BY row DESC LIMIT {NEWEST}))
    FROM carray(?) WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""


class Holders:
    """Who has the parts that coming texts look for: row, size and sketch, the newest last."""

    def __init__(self, connection: apsw.Connection, prints: Sequence[Fingerprint]) -> None:
        parts, self._shared = _in_order(
            [part for fingerprint in prints for part in fingerprint.sought]
        )
        self._of: dict[int, list[tuple[int, int, int]]] = {}
        if len(parts):
            for part, holders in connection.execute(_HOLDERS, [apsw.carray(parts)]):
                self._of[part] = json.loads(holders)[::-1]

    def similar_to(self, print_: Fingerprint) -> set[int]:
        """The rows of those that could be similar."""
        rows = set[int]()
        for part in self._of.keys() & print_.sought:
            rows.update(print_.perhaps_similar(self._of[part][-NEWEST:]))
        return rows

    def add(self, row: int, print_: Fingerprint, *, foreseen: bool) -> None:
        """A foreseen text looked for its own parts; only what another looked for too matters."""
        holder = (row, print_.size, print_.sketch)
        for part in self._shared.intersection(print_.parts) if foreseen else print_.parts:
            self._of.setdefault(part, []).append(holder)


def _in_order(sought: list[int]) -> tuple[array[int] | NDArray[np.int64], frozenset[int]]:
    """All parts that are looked for, each once; and those that several texts look for. Arrays sort
    tens of thousands in no time; who stores a few does not wait until arrays are loaded."""
    if len(sought) < _MANY:
        times = Counter(sought)
        several = frozenset(part for part, count in times.items() if count > 1)
        return array("q", sorted(times)), several
    import numpy as np

    parts, counts = np.unique(np.array(sought, np.int64), return_counts=True)
    return parts, frozenset(parts[counts > 1].tolist())


_TAKEN: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE id = value)
    OR EXISTS (SELECT 1 FROM erased WHERE id = value)"""
_FORESIGHT_HEARD: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE same = value)
    OR EXISTS (SELECT 1 FROM memory_versions WHERE same = value)
    OR EXISTS (SELECT 1 FROM erased WHERE same = value)"""
_SAID: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE longest = value)"""


class Foresight:
    """What the database holds that coming texts may repeat."""

    def __init__(self, connection: apsw.Connection, coming: Sequence[Coming]) -> None:
        prints = [each.print_ for each in coming]
        self._coming = prints
        self._ids = {each.id: each.print_ for each in coming}
        self._prints = {id(fingerprint): fingerprint for fingerprint in prints}
        self._taken: set[str] = _found(connection, _TAKEN, tuple(sorted(self._ids)))
        self._heard = _numbers_found(
            connection, _FORESIGHT_HEARD, {fingerprint.same for fingerprint in prints}
        )
        self._said = _numbers_found(
            connection,
            _SAID,
            set(chain.from_iterable([fingerprint.sentences for fingerprint in prints])),
        )
        self._holders: Holders | None = None

    def is_free(self, id_: str) -> bool:
        return id_ in self._ids and id_ not in self._taken

    def is_news(self, id_: str, print_: Fingerprint) -> bool | None:
        """As the port says; None where the text was not foreseen."""
        if self._ids.get(id_) is not print_:
            return None
        known = id_ in self._taken or print_.same in self._heard
        return not known and self._said.isdisjoint(print_.sentences)

    def similar(
        self, print_: Fingerprint, written: Callable[[], apsw.Connection]
    ) -> set[int] | None:
        """The rows that could be similar; None where the text was not foreseen. `written` gives
        the database with all that was added: it is asked when the first text wants to know,
        which one that comes back from an export never does."""
        if id(print_) not in self._prints:
            return None
        if self._holders is None:
            self._holders = Holders(written(), self._coming)
        return self._holders.similar_to(print_)

    def add(self, row: int, id_: str, print_: Fingerprint) -> None:
        """An entry that has been stored meanwhile."""
        self._taken.add(id_)
        self._heard.add(print_.same)
        self._said.add(print_.longest)
        if self._holders is not None:
            self._holders.add(row, print_, foreseen=id(print_) in self._prints)

    def hear(self, wordings: Iterable[int]) -> None:
        """What entries said before."""
        self._heard.update(wordings)


def _numbers_found(connection: apsw.Connection, question: str, numbers: set[int]) -> set[int]:
    return _found(connection, question, array("q", sorted(numbers)))


def _found(
    connection: apsw.Connection, question: str, values: tuple[str, ...] | array[int]
) -> set[Any]:
    """Those of some values that a question finds; in order, so that neighbours come together."""
    if not values:
        return set()
    return {value for (value,) in connection.execute(question, [apsw.carray(values)])}
