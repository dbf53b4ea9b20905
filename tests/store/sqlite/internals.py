"""The inside of an open store, for tests that count its statements or make one of them fail."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import pytest

from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.writer import Writer


def connection_of(reader: object) -> apsw.Connection:
    """The connection of a snapshot or of a transaction."""
    connection = reader._connection  # type: ignore[attr-defined]
    assert isinstance(connection, apsw.Connection)
    return connection


def writing_connection(store: SqliteStore) -> apsw.Connection:
    return connection_of(_writer(store))


def queue_length(store: SqliteStore) -> int:
    return len(_writer(store)._queue)


def is_closing(store: SqliteStore) -> bool:
    return _writer(store)._closing


def replace_reconnect(
    patch: pytest.MonkeyPatch, store: SqliteStore, reconnect: Callable[[], apsw.Connection]
) -> None:
    """After an error, the writer opens the file with this function."""
    patch.setattr(_writer(store), "_reconnect", reconnect)


def _writer(store: SqliteStore) -> Writer:
    assert store._writer is not None
    return store._writer
