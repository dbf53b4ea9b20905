"""Make a database look as it did before records had namespaces (schema 10)."""

from __future__ import annotations

import apsw


def to_schema_10(connection: apsw.Connection, **state: str) -> None:
    """Replace the records by the former tables; `state` is the content of `meta`."""
    connection.execute("DROP TABLE records")
    connection.execute(
        "CREATE TABLE projected (file TEXT PRIMARY KEY, digest TEXT NOT NULL, items TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE notices (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, "
        "text TEXT NOT NULL)"
    )
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(state.items()))
    connection.execute("PRAGMA user_version=10")
