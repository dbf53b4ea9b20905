from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from remem.errors import StoreClosed, StoreError
from remem.ports.records import Where
from remem.store.sqlite.connection import open_for_reading
from remem.store.sqlite.database import ReaderPool
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, put


@pytest.fixture
def path(tmp_path: Path) -> Path:
    SqliteStore(tmp_path / "entries.db").close()
    return tmp_path / "entries.db"


def is_open(connection: apsw.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except apsw.ConnectionClosedError:
        return False
    return True


def test_a_returned_connection_is_reused(path: Path) -> None:
    readers = ReaderPool(path, lambda: open_for_reading(path))
    with readers.borrow() as first:
        pass
    with readers.borrow() as second:
        assert second is first
        with readers.borrow() as third:
            assert third is not first
    readers.close()

    assert not is_open(first)


def test_the_number_of_idle_connections_is_limited(path: Path) -> None:
    readers = ReaderPool(path, lambda: open_for_reading(path))
    lent = [readers.borrow() for _ in range(20)]
    connections = [reader.__enter__() for reader in lent]
    for reader in lent:
        reader.__exit__(None, None, None)

    assert sum(map(is_open, connections)) == 8
    readers.close()
    assert not any(map(is_open, connections))


def test_a_failed_connection_is_not_reused(path: Path) -> None:
    readers = ReaderPool(path, lambda: open_for_reading(path))
    with pytest.raises(StoreError, match="no such table"), readers.borrow() as broken:
        broken.execute("SELECT * FROM nowhere")

    assert not is_open(broken)
    with readers.borrow() as fresh:
        assert is_open(fresh)
    readers.close()


def test_a_connection_in_use_is_closed_when_it_is_returned_to_a_closed_pool(path: Path) -> None:
    readers = ReaderPool(path, lambda: open_for_reading(path))
    with readers.borrow() as connection:
        readers.close()
        assert is_open(connection)

    assert not is_open(connection)
    with pytest.raises(StoreClosed), readers.borrow():
        pass


def test_closing_does_not_disturb_running_searches(path: Path) -> None:
    store = SqliteStore(path)
    put(store, *(entry(f"number {i}") for i in range(200)))
    surprises: list[Exception] = []
    started = threading.Barrier(21)

    def search() -> None:
        started.wait()
        try:
            while True:
                with store.read() as snapshot:
                    assert len(snapshot.select(Where(state="any"))) == 200
        except StoreClosed:
            pass
        except Exception as error:  # noqa: BLE001 - the test looks at it
            surprises.append(error)

    threads = [threading.Thread(target=search) for _ in range(20)]
    for thread in threads:
        thread.start()
    started.wait()
    store.close()
    for thread in threads:
        thread.join()

    assert surprises == []


def test_a_reader_sees_one_consistent_state(tmp_path: Path) -> None:
    """Or an export could show an entry and its successor, both standing."""
    store = SqliteStore(tmp_path / "entries.db")
    put(store, entry())
    with store.read() as early:
        assert len(early.ids()) == 1
        put(store, entry(content="Another one."))
        assert len(early.ids()) == 1
    with store.read() as late:
        assert len(late.ids()) == 2
    store.close()
