"""Queries on entries.

Inside the store an entry is identified by its row number, outside by its id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, ClassVar, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import Entry, Version
from remem.ports.records import Home, Order, Tally, TallyBy, Tombstone, Usage, Where
from remem.ports.state import Namespace, R
from remem.store.rows import compact, entry_of
from remem.store.sqlite.checksums import CHECKED_COLUMNS, damage_error, intact_entry, is_intact
from remem.store.sqlite.selection import condition_of, order_by
from remem.store.sqlite.shared_tables import SharedReader
from remem.store.sqlite.vector_bits import BitCache

_ENTRIES: Final = f"SELECT {CHECKED_COLUMNS} FROM memory_entries e"
_BY_ID: Final = (
    f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e "
    "WHERE e.id IN (SELECT value FROM json_each(?))"
)
TOMBSTONES: Final = (
    "SELECT id, same, at FROM erased WHERE (?1 IS NULL AND ?2 IS NULL) OR id = ?1 "
    "UNION SELECT id, same, at FROM erased WHERE same = ?2 ORDER BY id, same"
)
"""All tombstones, or those of an id or of a wording."""
_TALLIED: Final[dict[TallyBy, str]] = {
    "all": "'all'",
    "category": "e.category",
    "priority": "e.priority",
    "trust": "e.trust",
    "home": "e.home || ':' || e.part",
    "tag": "t.tag",
}


class Reader(SharedReader[str]):
    """Reads through one connection; a transaction is a reader that can also write."""

    _is_unchanging: ClassVar[bool] = True
    """Whether entries that were read once remain valid, because nobody can change them."""

    def __init__(
        self,
        connection: apsw.Connection,
        bits: BitCache,
        on_damage: Callable[[StoreDamaged], None] | None = None,
    ) -> None:
        """A damaged record raises an error; with `on_damage` it is reported and skipped."""
        super().__init__(connection, bits)
        self._on_damage = on_damage
        self._loaded: dict[str, tuple[int, Entry]] = {}

    def ids(self) -> list[str]:
        rows = self._connection.execute("SELECT id FROM memory_entries ORDER BY row")
        return [id_ for (id_,) in rows]

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the entries with these ids, in the order they were stored."""
        located = sorted(self._located(ids).values(), key=itemgetter(0))
        return {entry.id: entry for _, entry in located}

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        condition, values = condition_of(where)
        ordered, more = order_by(where, order)
        rows = self._connection.execute(
            f"{_ENTRIES} WHERE {condition} ORDER BY {ordered} LIMIT ?",
            [*values, *more, -1 if limit is None else limit],
        )
        return self._intact(rows)

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        condition, values = condition_of(where)
        column = _TALLIED[by]
        tags = " JOIN memory_tags t ON t.row = e.row" if by == "tag" else ""
        rows = self._connection.execute(
            f"SELECT {column}, count(*), sum(e.token_estimate) "
            f"FROM memory_entries e{tags} WHERE {condition} "
            f"GROUP BY {column} ORDER BY count(*) DESC, {column}",
            values,
        )
        return {value: Tally(*numbers) for value, *numbers in rows}

    def history(self, id_: str) -> list[Version]:
        current = self._one(
            f"SELECT e.row, e.change, {CHECKED_COLUMNS} FROM memory_entries e WHERE e.id = ?", id_
        )
        if current is None:
            return []
        row, change, *values = current
        last = intact_entry(values)
        earlier = list(
            self._connection.execute(
                "SELECT row, version, change, record, same, seal FROM memory_versions "
                "WHERE row = ? AND version < ? ORDER BY version",
                [row, last.version],
            )
        )
        if not all(map(is_intact, earlier)):
            raise damage_error(id_)
        entries = [(text, entry_of(record)) for _, _, text, record, _, _ in earlier]
        return [
            Version(entry.version, entry.updated_at, text, entry)
            for text, entry in [*entries, (change, last)]
        ]

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]:
        rows = self._connection.execute(
            "SELECT id, home, part, last_used, last_shown FROM memory_entries "
            "WHERE id IN (SELECT value FROM json_each(?))",
            [json.dumps(list(ids))],
        )
        return {id_: Usage(Home(stem, part), *times) for id_, stem, part, *times in rows}

    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        rows = self._connection.execute(TOMBSTONES, [id_, wording_hash])
        return [Tombstone(*row) for row in rows]

    def record(self, namespace: Namespace[R], key: str = "") -> R | None:
        row = self._one(
            "SELECT value FROM records WHERE namespace = ? AND key = ?", namespace.name, key
        )
        return namespace.load(row[0]) if row else None

    def records(self, namespace: Namespace[R]) -> dict[str, R]:
        rows = self._connection.execute(
            "SELECT key, value FROM records WHERE namespace = ? ORDER BY key", [namespace.name]
        )
        loaded = ((key, namespace.load(value)) for key, value in rows)
        return {key: record for key, record in loaded if record is not None}

    def _located(self, ids: Iterable[str]) -> dict[str, tuple[int, Entry]]:
        """Return the rows and entries with these ids; a snapshot reads each of them only once."""
        wanted = list(dict.fromkeys(ids))
        missing = [id_ for id_ in wanted if id_ not in self._loaded]
        found = {id_: self._loaded[id_] for id_ in wanted if id_ in self._loaded}
        if missing:
            rows = list(self._connection.execute(_BY_ID, [json.dumps(missing)]))
            numbers = {values[0]: row for row, *values in rows}
            intact = self._intact(values for _, *values in rows)
            found |= {entry.id: (numbers[entry.id], entry) for entry in intact}
            if self._is_unchanging:
                self._loaded |= found
        return found

    def _rows_of(self, ids: Iterable[str]) -> dict[str, int]:
        wanted = list(ids)
        rows = {id_: self._loaded[id_][0] for id_ in wanted if id_ in self._loaded}
        if len(rows) < len(wanted):
            found = self._connection.execute(
                "SELECT id, row FROM memory_entries WHERE id IN (SELECT value FROM json_each(?))",
                [json.dumps([id_ for id_ in wanted if id_ not in rows])],
            )
            rows |= dict(found)
        return rows

    def _ids_of(self, rows: Iterable[int]) -> dict[int, str]:
        found = self._connection.execute(
            "SELECT row, id FROM memory_entries WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return dict(found)

    def _matching(self, where: str, values: list[Any]) -> list[Entry]:
        return self._intact(
            self._connection.execute(f"{_ENTRIES} WHERE {where} ORDER BY e.row", values)
        )

    def _intact(self, rows: Iterable[Sequence[Any]]) -> list[Entry]:
        """Return the entries whose checksum is right.

        Damaged ones are reported or raise an error.
        """
        intact: list[Entry] = []
        for values in rows:
            try:
                intact.append(intact_entry(values))
            except StoreDamaged as error:
                if self._on_damage is None:
                    raise
                self._on_damage(error)
        return intact
