"""Queries on entries, their history, the records and the tombstones.

Inside the store an entry is identified by its row number, outside by its id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import Entry, Version
from remem.ports.records import Home, Order, Tally, TallyBy, Tombstone, Usage, Where
from remem.ports.state import Namespace, R
from remem.store.rows import TALLY_COLUMNS, EntryLookup, compact, entry_from_json, history_of
from remem.store.sqlite.checksums import CHECKED_COLUMNS, damage_error, intact_entry, is_intact
from remem.store.sqlite.counter_file import lifetime_counts
from remem.store.sqlite.selection import SELECTION, ListedValues
from remem.store.sqlite.shared_tables import SharedReader
from remem.store.sqlite.vector_bits import SqliteBitCache

_ENTRIES: Final = f"SELECT {CHECKED_COLUMNS} FROM memory_entries e"
_ENTRIES_WITH_USAGE: Final = (
    f"SELECT e.row, e.home, e.part, e.last_used, e.last_shown, {CHECKED_COLUMNS} "
    "FROM memory_entries e WHERE e.id IN (SELECT value FROM json_each(?))"
)
TOMBSTONES: Final = (
    "SELECT id, same, at FROM erased WHERE (?1 IS NULL AND ?2 IS NULL) OR id = ?1 "
    "UNION SELECT id, same, at FROM erased WHERE same = ?2 ORDER BY id, same"
)
"""The tombstones with an id or a wording hash; all of them if both are NULL."""


class SqliteReader(EntryLookup, SharedReader[str]):
    """Reads the entry database through one connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        bits: SqliteBitCache,
        on_damage: Callable[[StoreDamaged], None] | None = None,
    ) -> None:
        """Use an open connection.

        A damaged entry raises an error; if `on_damage` is given, it is called and the entry
        skipped.
        """
        EntryLookup.__init__(self)
        SharedReader.__init__(self, connection, bits)
        self._on_damage = on_damage
        self._cached_usage: dict[str, tuple[Any, ...]] = {}

    def change_mark(self) -> str:
        counts = lifetime_counts(self._connection)
        newest = self._one("SELECT id FROM memory_entries ORDER BY row DESC LIMIT 1")
        return f"{counts.entries}-{counts.changes}-{newest[0] if newest else ''}"

    def ids(self) -> list[str]:
        rows = self._connection.execute("SELECT id FROM memory_entries ORDER BY row")
        return [id_ for (id_,) in rows]

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        values = ListedValues()
        condition = SELECTION.condition_of(where, values)
        ordered = SELECTION.order_by(where, order, values)
        values.append(-1 if limit is None else limit)
        rows = self._connection.execute(
            f"{_ENTRIES} WHERE {condition} ORDER BY {ordered} LIMIT ?",
            values,
        )
        return self._intact(rows)

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        values = ListedValues()
        condition, column = SELECTION.condition_of(where, values), TALLY_COLUMNS[by]
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
        row, last_change, *values = current
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
        changes = [(change, entry_from_json(record)) for _, _, change, record, _, _ in earlier]
        return history_of([*changes, (last_change, last)])

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]:
        requested = list(ids)
        usage = {id_: self._cached_usage[id_] for id_ in requested if id_ in self._cached_usage}
        if missing := [id_ for id_ in requested if id_ not in usage]:
            rows = self._connection.execute(
                "SELECT id, home, part, last_used, last_shown FROM memory_entries "
                "WHERE id IN (SELECT value FROM json_each(?))",
                [json.dumps(missing)],
            )
            usage |= {id_: tuple(values) for id_, *values in rows}
        return {id_: Usage(Home(stem, part), *times) for id_, (stem, part, *times) in usage.items()}

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

    def _read_entries(self, ids: list[str]) -> dict[str, tuple[int, Entry]]:
        result = list(self._connection.execute(_ENTRIES_WITH_USAGE, [json.dumps(ids)]))
        rows: dict[str, int] = {}
        checked_values: list[Sequence[Any]] = []
        for row, stem, part, used, listed, *values in result:
            id_ = values[0]
            rows[id_] = row
            checked_values.append(values)
            if self._may_cache:
                self._cached_usage[id_] = (stem, part, used, listed)
        return {entry.id: (rows[entry.id], entry) for entry in self._intact(checked_values)}

    def _rows_of(self, ids: Iterable[str]) -> dict[str, int]:
        return self._numbers_of(ids)

    def _read_numbers(self, ids: list[str]) -> dict[str, int]:
        rows = self._connection.execute(
            "SELECT id, row FROM memory_entries WHERE id IN (SELECT value FROM json_each(?))",
            [json.dumps(ids)],
        )
        return dict(rows)

    def _ids_of(self, rows: Iterable[int]) -> dict[int, str]:
        result = self._connection.execute(
            "SELECT row, id FROM memory_entries WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return dict(result)

    def _entries_where(self, condition: str, values: list[Any]) -> list[Entry]:
        return self._intact(
            self._connection.execute(f"{_ENTRIES} WHERE {condition} ORDER BY e.row", values)
        )

    def _intact(self, rows: Iterable[Sequence[Any]]) -> list[Entry]:
        """Return the entries of rows with `CHECKED_COLUMNS`.

        Raise an error for a damaged one, or report and skip it if there is `on_damage`.
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
