from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from remem.entries.notices import add_notice
from remem.errors import StoreError, StoreTooNew
from remem.store.sqlite.connection import (
    forbid,
    inside_transaction,
    open_for_reading,
    open_for_writing,
    require_safe_sqlite,
)
from remem.store.sqlite.entries import SqliteStore
from tests import limits
from tests.store.sqlite.internals import connection_of
from tests.store.sqlite.sample import entry, put
from tests.tables import each_row

NEW = 99


@pytest.fixture
def path(tmp_path: Path) -> Path:
    SqliteStore(tmp_path / "entries.db").close()
    return tmp_path / "entries.db"


@pytest.fixture(params=[open_for_writing, open_for_reading])
def connection(request: pytest.FixtureRequest, path: Path) -> Iterator[apsw.Connection]:
    opened: apsw.Connection = request.param(path)
    yield opened
    opened.close()


def pragma(connection: apsw.Connection, name: str) -> object:
    return next(iter(connection.execute(f"PRAGMA {name}")))[0]


@each_row("version", ["3.51.3", "3.51.10", "3.52.1", "3.53.0", "4.0.0"])
def test_safe_releases_of_sqlite_are_accepted(version: str) -> None:
    require_safe_sqlite(version)


@each_row("version", ["3.7.0", "3.40.1", "3.50.7", "3.51.2", "3.52.0"])
def test_releases_that_can_corrupt_a_shared_file_are_refused(version: str) -> None:
    with pytest.raises(StoreError, match=version):
        require_safe_sqlite(version)


def test_the_loaded_sqlite_library_is_the_one_that_is_checked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")

    for open_it in (open_for_writing, open_for_reading):
        with pytest.raises(StoreError, match=r"3\.40\.1"):
            open_it(path)


def test_every_connection_is_safe_against_power_cuts(connection: apsw.Connection) -> None:
    assert pragma(connection, "journal_mode") == "wal"
    assert pragma(connection, "synchronous") == 2


def test_a_large_log_is_truncated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in limits.CHECKPOINT_SECONDS:
        monkeypatch.setattr(limit, 3600.0)
    store = SqliteStore(path)
    log = path.with_name("entries.db-wal")
    store.write(lambda tx: add_notice(tx, "now", "x" * (90 << 20)))
    grown = log.stat().st_size
    for _ in range(3):
        put(store, entry())

    assert grown > 64 << 20 >= log.stat().st_size
    store.close()


def test_a_pragma_that_does_not_take_effect_is_an_error() -> None:
    """A database in memory cannot have a write-ahead log, and does not complain."""
    with pytest.raises(StoreError, match=r"cannot set journal_mode=wal on .*: it is 'memory'"):
        open_for_writing(Path(":memory:"))


def test_readers_cannot_write(path: Path) -> None:
    connection = open_for_reading(path)

    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM memory_entries")


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH '{folder}/other.db' AS other",
        "DETACH main",
        "VACUUM INTO '{folder}/copy.db'",
        "PRAGMA synchronous=OFF",
        "PRAGMA synchronous(0)",
        "PRAGMA journal_mode=DELETE",
        "PRAGMA writable_schema=ON",
        "PRAGMA user_version=7",
    ],
)
def test_an_open_connection_cannot_attach_files_or_change_settings(
    connection: apsw.Connection, tmp_path: Path, statement: str
) -> None:
    forbid(connection)

    with pytest.raises(apsw.Error):
        list(connection.execute(statement.format(folder=tmp_path)))

    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["entries.db"]
    assert pragma(connection, "synchronous") == 2
    assert pragma(connection, "journal_mode") == "wal"


def test_all_connections_of_a_store_are_restricted(path: Path) -> None:
    store = SqliteStore(path)

    def attach(tx: object) -> None:
        connection_of(tx).execute("ATTACH ':memory:' AS other")

    with pytest.raises(StoreError, match="not authorized"):
        store.write(attach)
    with pytest.raises(StoreError), store.read() as snapshot:
        attach(snapshot)
    store.close()


def test_a_file_of_a_later_remem_is_not_modified(path: Path) -> None:
    """Byte for byte, and with what is still in its write-ahead log."""
    later = apsw.Connection(str(path))
    later.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    later.execute(f"PRAGMA user_version={NEW}")
    later.close()
    log = path.with_name("entries.db-wal")
    before = path.read_bytes(), log.read_bytes()
    assert log.stat().st_size

    with pytest.raises(StoreTooNew, match=f"schema {NEW}"):
        SqliteStore(path)
    with pytest.raises(StoreTooNew):
        open_for_reading(path)

    assert (path.read_bytes(), log.read_bytes()) == before


def test_the_journal_mode_of_a_later_file_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    later = apsw.Connection(str(path))
    later.execute(f"CREATE TABLE t(x); PRAGMA user_version={NEW}")
    later.close()
    before = path.read_bytes()

    with pytest.raises(StoreTooNew):
        SqliteStore(path)

    assert path.read_bytes() == before


def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "entries.db")
    put(store, entry())

    assert {path.name for path in tmp_path.iterdir()} > {"entries.db", "entries.db-wal"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    store.close()


def test_only_the_thread_of_a_transaction_is_marked(path: Path) -> None:
    store = SqliteStore(path)

    assert store.write(lambda tx: inside_transaction())
    with store.read():
        assert not inside_transaction()
    with pytest.raises(LookupError):
        store.write(fail)
    assert store.write(lambda tx: inside_transaction())
    assert not inside_transaction()
    store.close()


def fail(tx: object) -> None:
    raise LookupError


def test_statements_are_prepared_once(path: Path) -> None:
    """With a plan that depends on bound values, each would be prepared at every call."""
    store = SqliteStore(path)
    prepared: list[int] = []
    put(store, entry("first"), entry("second"))

    def count_preparations(tx: object) -> None:
        connection = connection_of(tx)
        judge = connection.authorizer
        assert judge is not None

        def counting(*arguments: object) -> int:
            prepared.append(1)
            return judge(*arguments)

        connection.authorizer = counting

    store.write(count_preparations)
    put(store, entry("third"))
    prepared.clear()
    put(store, entry("fourth"))
    store.close()

    assert prepared == []
