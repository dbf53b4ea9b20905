"""What is known of the texts that are about to be stored? Looked up together, once for all.

A question for each text walks the same indexes again and again; one question for hundreds of
texts asks them in order. What is stored meanwhile is added, so that the answer stays true: it
may name what is no longer there, which whoever reads it finds out, but it misses nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Final

import apsw

from remem.core.likeness import Fingerprint
from remem.ports import Coming
from remem.stores.sqlite.holders import Holders

_TAKEN: Final = """SELECT value FROM carray(?)
    WHERE EXISTS (SELECT 1 FROM memory_entries WHERE id = value)
    OR EXISTS (SELECT 1 FROM erased WHERE id = value)"""
_HEARD: Final = """SELECT value FROM carray(?)
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
        self._prints = {id(each): each for each in prints}
        self._taken: set[str] = _found(connection, _TAKEN, tuple(sorted(self._ids)))
        self._heard = _numbers_found(connection, _HEARD, {each.same for each in prints})
        self._said = _numbers_found(
            connection, _SAID, set(chain.from_iterable([each.sentences for each in prints]))
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
