"""Run the statements of a transaction, each of which has to name the transaction's scope."""

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
_SCOPE_CONDITION: Final = re.compile(r"\bscope_id = %\(scope\)s")
_INSERT_WITH_SCOPE: Final = re.compile(
    r"INSERT INTO remem\.\w+\s*\(scope_id\b.*?\b(?:VALUES \(|SELECT )%\(scope\)s", re.DOTALL
)


@lru_cache(maxsize=1_000)
def require_scope(statement: str) -> str:
    """Return the statement if it names the scope once for each of its tables.

    Otherwise, raise AssertionError.
    """
    tables = len(_TABLE.findall(statement))
    conditions = len(_SCOPE_CONDITION.findall(statement))
    inserts = len(_INSERT_WITH_SCOPE.findall(statement))
    if tables == 0 or conditions + inserts < tables:
        raise AssertionError(f"a statement does not name the scope of each table: {statement}")
    return statement


class StatementValues(dict[str, Any]):
    """The values of a statement, by the names of their placeholders."""

    def add(self, value: object) -> str:
        """Add a value under a new name, and return its placeholder."""
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
        self._cache: dict[Hashable, list[Row]] | None = {} if read_only else None

    def commit(self) -> None:
        self._connection.commit()

    def rows(self, statement: str, **values: object) -> list[Row]:
        """Return all rows of the result."""
        return self._connection.execute(
            require_scope(statement), self._with_scope(values)
        ).fetchall()

    def cached_rows(self, statement: str, **values: Hashable) -> list[Row]:
        """Return all rows of the result, which a read-only session caches.

        Arrays are given as tuples, because the values have to be hashable.
        """
        key = statement, *values.items()
        if self._cache is not None and key in self._cache:
            return self._cache[key]
        with_lists = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }
        rows = self.rows(statement, **with_lists)
        if self._cache is not None:
            self._cache[key] = rows
        return rows

    def one(self, statement: str, **values: object) -> Row | None:
        """Return the first row of the result, or None."""
        return self._connection.execute(
            require_scope(statement), self._with_scope(values)
        ).fetchone()

    def change(self, statement: str, **values: object) -> None:
        """Run a statement that changes rows."""
        self.changed = True
        self._connection.execute(require_scope(statement), self._with_scope(values))

    def change_many(self, statement: str, rows: Sequence[dict[str, Any]]) -> None:
        if not rows:
            return
        self.changed = True
        with self._connection.cursor() as cursor:
            cursor.executemany(require_scope(statement), [self._with_scope(row) for row in rows])

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Send the changes in this block without waiting for each of them."""
        with self._connection.pipeline():
            yield

    def next_number(self) -> int:
        """Return a number that is higher than all earlier ones of the scope.

        It is for an entry, a stamp or an item of the outbox.
        """
        self.changed = True
        self.counter += 1
        return self.counter

    def _with_scope(self, values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "scope": self.scope_id, "checkout": self.checkout}
