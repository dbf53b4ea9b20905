"""Many rows get into a table in one statement, or in as few as SQLite allows."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from remem.store.sqlite import batched_insert


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    opened = apsw.Connection(":memory:")
    opened.execute("CREATE TABLE cups(name TEXT UNIQUE, size INTEGER, note TEXT)")
    yield opened
    opened.close()


def rows_of(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return list(connection.execute("SELECT name, size, note FROM cups ORDER BY rowid"))


def statements(connection: apsw.Connection) -> list[str]:
    seen: list[str] = []
    connection.exec_trace = lambda _cursor, sql, _values: not seen.append(sql)  # type: ignore[func-returns-value]
    return seen


def test_the_rows_stand_in_their_order_and_are_one_statement(connection: apsw.Connection) -> None:
    rows = [(f"cup {number}", number, None) for number in range(2_000)]
    seen = statements(connection)

    batched_insert.insert(connection, "cups(name, size, note)", rows)

    assert len(seen) == 1
    assert rows_of(connection) == rows


def test_more_rows_than_a_statement_takes_are_several(connection: apsw.Connection) -> None:
    rows = [(f"cup {number}", number, "x") for number in range(25_000)]
    seen = statements(connection)

    batched_insert.insert(connection, "cups(name, size, note)", rows)

    assert len(seen) == 3
    assert rows_of(connection) == rows


def test_no_rows_are_no_statement(connection: apsw.Connection) -> None:
    seen = statements(connection)

    assert batched_insert.insert(connection, "cups(name, size, note)", []) == []
    assert seen == []


def test_what_is_there_already_is_changed_and_told(connection: apsw.Connection) -> None:
    batched_insert.insert(connection, "cups(name, size, note)", [("red", 1, None)])

    told = batched_insert.insert(
        connection,
        "cups(name, size, note)",
        [("blue", 2, None), ("red", 3, None)],
        "ON CONFLICT (name) DO UPDATE SET size = excluded.size RETURNING name, rowid",
    )

    assert dict(told) == {"red": 1, "blue": 2}
    assert rows_of(connection) == [("red", 3, None), ("blue", 2, None)]
