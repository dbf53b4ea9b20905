"""The statements of one transaction, each of them bound to the transaction's scope."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import UUID

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

Row = Any
"""A row of a result, as a tuple."""
_TABLE: Final = re.compile(r"\bremem\.\w+")
_BOUND: Final = re.compile(r"\bscope_id = %\(scope\)s")
_INSERTED: Final = re.compile(
    r"INSERT INTO remem\.\w+\s*\(scope_id\b.*?\b(?:VALUES \(|SELECT )%\(scope\)s", re.DOTALL
)


@lru_cache(maxsize=1_000)
def require_scope(statement: str) -> str:
    """Return the statement, if it binds the scope once for each table that it names."""
    tables, bound = len(_TABLE.findall(statement)), len(_BOUND.findall(statement))
    if tables == 0 or bound + len(_INSERTED.findall(statement)) < tables:
        raise AssertionError(f"a statement does not bind the scope of each table: {statement}")
    return statement


class StatementValues(dict[str, Any]):
    """The values of a statement; `add` returns the placeholder of a new one."""

    def add(self, value: object) -> str:
        name = f"v{len(self)}"
        self[name] = value
        return f"%({name})s"


class PostgresSession:
    """Runs statements in a transaction of one scope."""

    def __init__(
        self, connection: Connection, scope_id: UUID, checkout: str, *, read_only: bool = False
    ) -> None:
        self._connection = connection
        self.scope_id = scope_id
        self.checkout = checkout
        self.changed = False
        self.counter = 0
        self._remembered: dict[Hashable, list[Row]] | None = {} if read_only else None

    def commit(self) -> None:
        self._connection.commit()

    def rows(self, statement: str, **values: object) -> list[Row]:
        """Return all rows of the result."""
        return self._connection.execute(require_scope(statement), self._bound(values)).fetchall()

    def remembered_rows(self, statement: str, **values: Hashable) -> list[Row]:
        """Return all rows of the result; a reader, who sees one moment, asks the server once.

        Arrays are tuples here, because values have to be hashable.
        """
        key = statement, *values.items()
        if self._remembered is not None and key in self._remembered:
            return self._remembered[key]
        arrays = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        rows = self.rows(statement, **arrays)
        if self._remembered is not None:
            self._remembered[key] = rows
        return rows

    def one(self, statement: str, **values: object) -> Row | None:
        """Return the first row of the result, or None."""
        return self._connection.execute(require_scope(statement), self._bound(values)).fetchone()

    def change(self, statement: str, **values: object) -> None:
        """Change rows."""
        self.changed = True
        self._connection.execute(require_scope(statement), self._bound(values))

    def change_many(self, statement: str, rows: Sequence[dict[str, Any]]) -> None:
        if not rows:
            return
        self.changed = True
        with self._connection.cursor() as cursor:
            cursor.executemany(require_scope(statement), [self._bound(row) for row in rows])

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Send the changes in this block without waiting for each of them."""
        with self._connection.pipeline():
            yield

    def next_number(self) -> int:
        """Return a number that is higher than all before it: of an entry, a stamp, or an outbox
        row."""
        self.changed = True
        self.counter += 1
        return self.counter

    def _bound(self, values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "scope": self.scope_id, "checkout": self.checkout}
