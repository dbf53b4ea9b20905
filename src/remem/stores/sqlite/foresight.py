"""What is known of the texts that are about to be stored? Looked up together, once for all.

A question for each text walks the same indexes again and again; one question for hundreds of
texts asks them in order. What is stored meanwhile is added, so that the answer stays true: it
may name what is no longer there, which whoever reads it finds out, but it misses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import apsw

from remem.core.likeness import Fingerprint
from remem.ports import Coming
from remem.stores.sqlite.rows import compact

Key = TypeVar("Key", int, str)

NEWEST: Final = 200
"""Of a part that very many entries have, only so many are looked at."""

_TAKEN: Final = """SELECT value FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE id = value)"""
_HEARD: Final = """SELECT value FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE same = value)
    OR EXISTS (SELECT 1 FROM memory_versions WHERE same = value)
    OR EXISTS (SELECT 1 FROM erased WHERE same = value)"""
_SAID: Final = """SELECT value FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE longest = value)"""
_HOLDERS: Final = f"""SELECT value, (
        SELECT json_group_array(json_array(row, size, sketch)) FROM (
            SELECT row, size, sketch FROM memory_likeness WHERE part = value
            ORDER BY row DESC LIMIT {NEWEST}))
    FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memory_likeness WHERE part = value)"""


class Foresight:
    """What the database holds that coming texts may repeat."""

    def __init__(self, connection: apsw.Connection, coming: Sequence[Coming]) -> None:
        prints = [each.print_ for each in coming]
        self._ids = {each.id: each.print_ for each in coming}
        self._prints = {id(each): each for each in prints}
        self._taken = _found(connection, _TAKEN, self._ids)
        self._heard = _found(connection, _HEARD, {each.same for each in prints})
        self._said = _found(connection, _SAID, {one for each in prints for one in each.sentences})
        parts = sorted({part for each in prints for part in each.sought})
        self._holders: dict[int, list[tuple[int, int, int]]] = {
            part: json.loads(holders)[::-1]
            for part, holders in connection.execute(_HOLDERS, [compact(parts)])
        }

    def is_free(self, id_: str) -> bool:
        return id_ in self._ids and id_ not in self._taken

    def is_news(self, id_: str, print_: Fingerprint) -> bool | None:
        """As the port says; None where the text was not foreseen."""
        if self._ids.get(id_) is not print_:
            return None
        known = id_ in self._taken or print_.same in self._heard
        return not known and self._said.isdisjoint(print_.sentences)

    def similar(self, print_: Fingerprint) -> set[int] | None:
        """The rows that could be similar; None where the text was not foreseen."""
        if id(print_) not in self._prints:
            return None
        rows = set[int]()
        for part in print_.sought:
            if holders := self._holders.get(part):
                rows.update(print_.perhaps_similar(holders[-NEWEST:]))
        return rows

    def add(self, row: int, id_: str, print_: Fingerprint) -> None:
        """An entry that has been stored meanwhile."""
        self._taken.add(id_)
        self._heard.add(print_.same)
        self._said.add(print_.longest)
        holder = (row, print_.size, print_.sketch)
        for part in print_.parts:
            self._holders.setdefault(part, []).append(holder)


def _found(connection: apsw.Connection, question: str, values: Iterable[Key]) -> set[Key]:
    return {value for (value,) in connection.execute(question, [compact(sorted(values))])}
