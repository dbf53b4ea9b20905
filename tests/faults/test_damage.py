"""A damaged file is named as such, is not written again, and what can be healed is healed."""

from __future__ import annotations

from pathlib import Path
from random import Random

import apsw
import pytest

from remem.entries.notices import add_notice, latest_notices
from remem.errors import StoreDamaged, StoreError
from remem.model.entry import Filter
from remem.ports.entries import Transaction
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, found, put

pytestmark = pytest.mark.disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = SqliteStore(tmp_path / "entries.db")
    put(store, *(entry(f"tea number {i} {'x' * 300}", id=f"mem-{i:08}") for i in range(400)))
    store.close()
    return tmp_path / "entries.db"


def overwrite(path: Path, table: str) -> None:
    """Spoil every page of a table but its first."""
    connection = apsw.Connection(str(path))
    pages = [
        page
        for (page,) in connection.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", [table]
        )
    ]
    size = next(iter(connection.execute("PRAGMA page_size")))[0]
    connection.close()
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 400, b"SQLite format 3\0" + b"x" * 5000]
)
def test_what_is_no_database_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "entries.db"
    path.write_bytes(content)

    with pytest.raises(StoreDamaged, match=r"entries\.db"):
        SqliteStore(path)

    assert path.read_bytes() == content


def test_damaged_entries_stop_all_writing(path: Path) -> None:
    overwrite(path, "memory_entries")
    store = SqliteStore(path)
    assert store.writable

    with pytest.raises(StoreDamaged), store.read() as snapshot:
        snapshot.select(Where(state="any"))

    assert not store.writable
    assert store.problem is not None
    assert "is damaged" in store.problem
    with pytest.raises(StoreDamaged):
        store.write(lambda tx: add_notice(tx, "now", "news"))
    with store.read() as snapshot:
        assert latest_notices(snapshot, 9) == []  # what is sound can still be read
    store.close()


def test_a_write_that_meets_damage_is_the_last_one(path: Path) -> None:
    overwrite(path, "sqlite_autoindex_memory_entries_1")
    store = SqliteStore(path)

    with pytest.raises(StoreDamaged):
        put(store, entry("new"))
    with pytest.raises(StoreDamaged):
        store.write(lambda tx: add_notice(tx, "now", "news"))
    store.close()


def test_busy_and_failing_disks_are_no_damage(path: Path) -> None:
    for error in (apsw.BusyError, apsw.LockedError, apsw.IOError, apsw.CantOpenError):
        store = SqliteStore(path)

        def fail(tx: Transaction, error: type[apsw.Error] = error) -> None:
            raise error("for a moment")

        with pytest.raises(StoreError):
            store.write(fail)
        assert store.writable
        put(store, entry("goes on"))
        store.close()
    assert sorted(file.name for file in path.parent.glob("*.db*")) == ["entries.db"]


def rebuild(tx: Transaction) -> None:
    tx.rebuild_search()


def keyword(store: SqliteStore) -> int:
    with store.read() as snapshot:
        return snapshot.keyword(["tea"], Filter(), 5).total


@pytest.mark.parametrize("table", ["memory_fts", "memory_fts_aside"])
def test_damaged_full_text_says_how_to_heal_it_and_is_healed(path: Path, table: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE {table}_data SET block = ?", [Random(1).randbytes(90)])
    connection.close()
    store = SqliteStore(path)

    with pytest.raises(StoreError, match="remem rebuild`"), store.read() as snapshot:
        snapshot.keyword(["tea"], Filter(include_archived=True), 5)
    assert store.writable
    store.write(rebuild)

    assert keyword(store) == 400
    assert len(found(store, [f"mem-{i:08}" for i in range(400)])) == 400
    put(store, entry("new tea"))
    assert keyword(store) == 401
    store.close()
    connection = apsw.Connection(str(path))
    assert list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
    connection.close()


@pytest.mark.parametrize("table", ["memory_fts_data", "memory_likeness", "memory_tags"])
def test_spoiled_pages_elsewhere_leave_the_entries_readable(path: Path, table: str) -> None:
    overwrite(path, table)
    store = SqliteStore(path)

    with pytest.raises(StoreDamaged):
        store.write(rebuild)

    assert not store.writable
    assert len(found(store, [f"mem-{i:08}" for i in range(400)])) == 400
    store.close()
