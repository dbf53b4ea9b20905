"""Queries on entries, their history, the records, the tombstones and the outbox.

Inside the store an entry is identified by its number, outside by its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from remem.model.entry import Entry, Version
from remem.ports.records import Home, Order, OutboxItem, Tally, TallyBy, Tombstone, Usage, Where
from remem.ports.state import CHECKOUT_STATE, Namespace, R
from remem.store.postgres.selection import SELECTION
from remem.store.postgres.session import PostgresSession, StatementValues
from remem.store.rows import (
    COLUMNS,
    TALLY_COLUMNS,
    EntryLookup,
    entry_from_json,
    entry_from_values,
    history_of,
)

_COLUMNS: Final = ", ".join(f"e.{column}" for column in (*COLUMNS, "archive_reason"))
_ENTRIES: Final = f"SELECT e.number, {_COLUMNS} FROM remem.entries e WHERE "
_HAS_ID: Final = "e.scope_id = %(scope)s AND e.id = ANY(%(ids)s::text[])"
_JOIN_TAGS: Final = " JOIN remem.tags t ON t.scope_id = %(scope)s AND t.number = e.number"
_FROM_RECORDS: Final = (
    "FROM remem.records WHERE scope_id = %(scope)s AND checkout = %(record_checkout)s "
    "AND namespace = %(namespace)s"
)


class PostgresReader(EntryLookup):
    """Reads the entries of one scope through one session."""

    def __init__(self, session: PostgresSession) -> None:
        super().__init__()
        self._session = session

    def change_mark(self) -> str:
        row = self._session.one("SELECT counter FROM remem.scopes WHERE scope_id = %(scope)s")
        return "" if row is None else str(row[0])

    def ids(self) -> list[str]:
        rows = self._session.rows(
            "SELECT id FROM remem.entries WHERE scope_id = %(scope)s ORDER BY number"
        )
        return [id_ for (id_,) in rows]

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        values = StatementValues()
        condition = SELECTION.condition_of(where, values)
        order_by = SELECTION.order_by(where, order, values)
        rows = self._session.rows(
            f"{_ENTRIES}{condition} ORDER BY {order_by} LIMIT {values.add(limit)}::bigint", **values
        )
        return [entry for _, entry in map(_with_number, rows)]

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        values = StatementValues()
        condition, column = SELECTION.condition_of(where, values), TALLY_COLUMNS[by]
        rows = self._session.rows(
            f"SELECT {column}, count(*), sum(e.token_estimate)::bigint FROM remem.entries e"
            f"{_JOIN_TAGS if by == 'tag' else ''} WHERE {condition} "
            "GROUP BY 1 ORDER BY 2 DESC, 1",
            **values,
        )
        return {value: Tally(*numbers) for value, *numbers in rows}

    def history(self, id_: str) -> list[Version]:
        current = self._session.one(
            f"SELECT e.change, e.number, {_COLUMNS} FROM remem.entries e WHERE {_HAS_ID}", ids=[id_]
        )
        if current is None:
            return []
        last_change, *columns = current
        number, last = _with_number(columns)
        earlier = self._session.rows(
            "SELECT change, record FROM remem.versions WHERE scope_id = %(scope)s "
            "AND number = %(number)s AND version < %(version)s ORDER BY version",
            number=number,
            version=last.version,
        )
        changes = [(change, entry_from_json(record)) for change, record in earlier]
        return history_of([*changes, (last_change, last)])

    def usage(self, ids: Iterable[str]) -> dict[str, Usage]:
        rows = self._session.rows(
            "SELECT e.id, e.home, e.part, e.last_used, e.last_shown FROM remem.entries e "
            f"WHERE {_HAS_ID}",
            ids=list(ids),
        )
        return {id_: Usage(Home(stem, part), *times) for id_, stem, part, *times in rows}

    def tombstones(
        self, id_: str | None = None, wording_hash: int | None = None
    ) -> list[Tombstone]:
        values = StatementValues()
        conditions = [
            f"{column} = {values.add(value)}"
            for column, value in (("id", id_), ("same", wording_hash))
            if value is not None
        ]
        rows = self._session.rows(
            "SELECT id, same, at FROM remem.erased WHERE scope_id = %(scope)s "
            f"AND ({' OR '.join(conditions) or 'TRUE'}) ORDER BY id, same",
            **values,
        )
        return [Tombstone(*row) for row in rows]

    def record(self, namespace: Namespace[R], key: str = "") -> R | None:
        row = self._session.one(
            f"SELECT value {_FROM_RECORDS} AND key = %(key)s",
            record_checkout=self._checkout_of(namespace),
            namespace=namespace.name,
            key=key,
        )
        return namespace.load(row[0]) if row else None

    def records(self, namespace: Namespace[R]) -> dict[str, R]:
        rows = self._session.rows(
            f"SELECT key, value {_FROM_RECORDS} ORDER BY key",
            record_checkout=self._checkout_of(namespace),
            namespace=namespace.name,
        )
        loaded = ((key, namespace.load(value)) for key, value in rows)
        return {key: record for key, record in loaded if record is not None}

    def outbox(self) -> list[OutboxItem]:
        rows = self._session.rows(
            "SELECT file, seq FROM remem.outbox WHERE scope_id = %(scope)s "
            "AND checkout = %(checkout)s ORDER BY file"
        )
        return [OutboxItem(*row) for row in rows]

    def _checkout_of(self, namespace: Namespace[R]) -> str:
        """Return the value of the column `checkout` for records of a namespace.

        It is this checkout, or empty if all checkouts share the records.
        """
        return self._session.checkout if namespace.name in CHECKOUT_STATE else ""

    def _read_entries(self, ids: list[str]) -> dict[str, tuple[int, Entry]]:
        rows = map(_with_number, self._session.rows(f"{_ENTRIES}{_HAS_ID}", ids=ids))
        return {entry.id: (number, entry) for number, entry in rows}

    def _read_numbers(self, ids: list[str]) -> dict[str, int]:
        return dict(
            self._session.rows(
                f"SELECT e.id, e.number FROM remem.entries e WHERE {_HAS_ID}", ids=ids
            )
        )

    def _with_ids(self, hits: Sequence[tuple[int, float]]) -> list[tuple[str, float]]:
        ids = self._ids_of([number for number, _ in hits])
        return [(ids[number], score) for number, score in hits if number in ids]

    def _ids_of(self, numbers: Sequence[int]) -> dict[int, str]:
        if not numbers:
            return {}
        rows = self._session.rows(
            "SELECT number, id FROM remem.entries WHERE scope_id = %(scope)s "
            "AND number = ANY(%(numbers)s::bigint[])",
            numbers=list(numbers),
        )
        return dict(rows)

    def _entries_where(self, condition: str, **values: object) -> list[Entry]:
        rows = self._session.rows(
            f"{_ENTRIES}e.scope_id = %(scope)s AND {condition} ORDER BY e.number", **values
        )
        return [entry for _, entry in map(_with_number, rows)]


def _with_number(row: Sequence[Any]) -> tuple[int, Entry]:
    """Return the number and the entry of a row that was read with `_ENTRIES`."""
    number, *values, archive_reason = row
    return number, entry_from_values(values, archive_reason)
