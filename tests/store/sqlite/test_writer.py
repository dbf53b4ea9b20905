from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from remem.entries.notices import add_notice, latest_notices
from remem.errors import StoreBusy, StoreClosed, StoreError, UnknownEntry
from remem.ports import without_waiting
from remem.ports.entries import Transaction
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.writer import MAX_GROUP
from tests import limits
from tests.store.sqlite.internals import (
    connection_of,
    is_closing,
    queue_length,
    replace_reconnect,
    writing_connection,
)
from tests.store.sqlite.sample import NOW, entry, found, insert, put


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


@contextmanager
def held_up(store: SqliteStore) -> Iterator[list[str]]:
    """While the writer is busy with one operation, others queue up; yields what it executes."""
    begun, go_on = threading.Event(), threading.Event()
    executed: list[str] = []

    def operation(tx: Transaction) -> None:
        begun.set()
        go_on.wait()

    thread = threading.Thread(target=store.write, args=(operation,))
    thread.start()
    begun.wait()
    connection = writing_connection(store)

    def trace(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        executed.append(statement)
        return True

    connection.exec_trace = trace
    try:
        yield executed
    finally:
        go_on.set()
        thread.join()


class Callers:
    """Threads that each do one thing and keep what came of it."""

    def __init__(self) -> None:
        self.results: dict[int, object] = {}
        self._threads: list[threading.Thread] = []

    def add(self, number: int, act: Callable[[], object]) -> None:
        def run() -> None:
            try:
                self.results[number] = act()
            except Exception as error:  # noqa: BLE001 - the test looks at it
                self.results[number] = error

        self._threads.append(threading.Thread(target=run))
        self._threads[-1].start()

    def join(self) -> dict[int, object]:
        for thread in self._threads:
            thread.join()
        return self.results


def wait_for(store: SqliteStore, count: int) -> None:
    while queue_length(store) < count:
        threading.Event().wait(0.001)


def test_queued_operations_are_committed_together(store: SqliteStore) -> None:
    callers = Callers()
    with held_up(store) as executed:
        for number in range(50):
            callers.add(number, lambda n=number: put(store, entry(f"{n}")))
        wait_for(store, 50)

    stored = callers.join()
    assert executed.count("COMMIT") == 2  # the one that held it up, and all the others
    assert len(found(store, [value.id for value in stored.values()])) == 50  # type: ignore[attr-defined]


def test_the_size_of_a_group_is_limited(store: SqliteStore) -> None:
    callers = Callers()
    with held_up(store) as executed:
        for number in range(MAX_GROUP + 4):
            callers.add(number, lambda: store.write(lambda tx: None))
        wait_for(store, MAX_GROUP + 4)

    callers.join()
    assert executed.count("COMMIT") == 3


def test_an_answer_comes_after_the_commit(store: SqliteStore, tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "entries.db"))
    for number in range(20):
        kept = put(store, entry(f"{number}"))
        rows = other.execute("SELECT content FROM memory_entries WHERE id = ?", [kept.id])
        assert list(rows) == [(f"{number}",)]
    other.close()


def test_a_failing_operation_does_not_affect_the_others(store: SqliteStore) -> None:
    taken = put(store, entry("taken"))
    callers = Callers()
    runs: list[int] = []

    def failing(number: int) -> Callable[[Transaction], None]:
        def operation(tx: Transaction) -> None:
            runs.append(number)
            insert(tx, entry("half done"))
            raise UnknownEntry(f"number {number}")

        return operation

    with held_up(store) as executed:
        for number in range(30):
            if number in (3, 17):
                callers.add(number, lambda n=number: store.write(failing(n)))
            elif number == 20:
                callers.add(number, lambda: put(store, entry("again", id=taken.id)))
            else:
                callers.add(number, lambda n=number: put(store, entry(f"{n}")))
        wait_for(store, 30)

    results = callers.join()
    errors = {number: result for number, result in results.items() if isinstance(result, Exception)}
    assert sorted(errors) == [3, 17, 20]
    assert [str(errors[number]) for number in (3, 17)] == ["number 3", "number 17"]
    assert isinstance(errors[20], StoreError)
    assert sorted(runs) == [3, 3, 17, 17]
    assert executed.count("COMMIT") <= 2
    with store.read() as snapshot:
        assert len(snapshot.select(Where())) == 1 + 27


def test_a_disk_error_is_reported_to_all_and_the_file_is_reopened(
    store: SqliteStore,
) -> None:
    put(store, entry("before"))
    before = writing_connection(store)

    def operation(tx: Transaction) -> None:
        insert(tx, entry("lost"))
        raise apsw.IOError("the disk is gone")

    with pytest.raises(StoreError, match="the disk is gone"):
        store.write(operation)

    put(store, entry("after"))
    assert writing_connection(store) is not before
    with store.read() as snapshot:
        assert [stored.content for stored in snapshot.select(Where(state="any"))] == [
            "before",
            "after",
        ]


def test_a_failed_commit_fails_for_the_whole_group(store: SqliteStore) -> None:
    callers = Callers()
    with held_up(store):
        for number in range(5):
            callers.add(number, lambda n=number: put(store, entry(f"{n}")))
        wait_for(store, 5)
        connection = writing_connection(store)
        commits = iter([False, True])  # the second COMMIT becomes an error
        connection.set_commit_hook(lambda: next(commits))

    results = callers.join()
    assert all(isinstance(result, StoreError) for result in results.values())
    put(store, entry("after"))
    with store.read() as snapshot:
        assert [stored.content for stored in snapshot.select(Where(state="any"))] == ["after"]


def test_the_writer_survives_when_the_file_cannot_be_reopened(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> apsw.Connection:
        raise StoreError("not now")

    def fail(tx: Transaction) -> None:
        raise apsw.IOError("once")

    with monkeypatch.context() as patch:
        replace_reconnect(patch, store, refuse)
        with pytest.raises(StoreError, match="once"):
            store.write(fail)
        for _ in range(2):
            with pytest.raises(StoreError, match="not now"):
                put(store, entry("refused"))

    kept = put(store, entry("kept"))
    assert found(store, [kept.id]) == [kept]


def test_the_writer_survives_a_failed_rollback(store: SqliteStore) -> None:
    def operation(tx: Transaction) -> None:
        connection_of(tx).execute("ROLLBACK")
        connection_of(tx).close()
        raise LookupError

    with pytest.raises(LookupError):
        store.write(operation)

    kept = put(store, entry("kept"))
    assert found(store, [kept.id]) == [kept]


def test_closing_writes_queued_operations_and_then_refuses_new_ones(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "entries.db")
    callers = Callers()
    with held_up(store):
        for number in range(20):
            callers.add(number, lambda n=number: put(store, entry(f"{n}")))
        wait_for(store, 20)
        callers.add(99, store.close)
        while not is_closing(store):
            threading.Event().wait(0.001)
        with pytest.raises(StoreClosed):
            put(store, entry("too late"))

    results = callers.join()
    assert not any(isinstance(result, Exception) for result in results.values())
    with SqliteStore(tmp_path / "entries.db").read() as snapshot:
        assert len(snapshot.select(Where())) == 20


def test_a_write_inside_a_write_is_refused_instead_of_waiting_forever(store: SqliteStore) -> None:
    with pytest.raises(AssertionError, match="would wait for itself"):
        store.write(lambda tx: store.write(lambda inner: None))


def test_writes_of_one_thread_keep_their_order(store: SqliteStore) -> None:
    callers = Callers()

    def speak(name: int) -> None:
        for number in range(20):
            put(store, entry(f"{name} {number:02}"))

    for name in range(5):
        callers.add(name, lambda n=name: speak(n))
    callers.join()

    with store.read() as snapshot:
        said = [stored.content for stored in snapshot.select(Where(state="any"))]
    for name in range(5):
        own = [text for text in said if text.startswith(f"{name} ")]
        assert own == sorted(own)
        assert len(own) == 20


def test_callers_that_were_answered_together_are_awaited_briefly(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[float] = []
    monkeypatch.setattr("remem.store.sqlite.writer.sleep", rested.append)
    put(store, entry("alone"))
    put(store, entry("alone again"))
    assert not rested

    callers = Callers()
    with held_up(store):
        for number in range(5):
            callers.add(number, lambda n=number: put(store, entry(f"{n}")))
        wait_for(store, 5)
    callers.join()
    put(store, entry("after them"))

    assert len(rested) <= 3  # nobody came meanwhile, so nobody is waited for
    assert rested


def test_an_entry_that_cannot_be_written_fails_alone(store: SqliteStore) -> None:
    texts = ["one", "two", "half \ud800 of a character", "four", "five"]
    new = [entry(text) for text in texts]
    callers = Callers()
    with held_up(store):
        for number, item in enumerate(new):
            callers.add(number, lambda item=item: put(store, item))
        wait_for(store, 5)

    failed = {n for n, result in callers.join().items() if isinstance(result, Exception)}
    assert failed == {2}
    assert len(found(store, [item.id for item in new])) == 4


@contextmanager
def another_program(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """It holds the database; nobody waits long for it."""
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 20)
    monkeypatch.setattr(limits.SHORT_BUSY_MILLISECONDS, 1)
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def notices(store: SqliteStore) -> list[str]:
    with store.read() as snapshot:
        return [notice.split()[-1] for notice in latest_notices(snapshot, 9)]


def test_a_caller_that_does_not_wait_is_refused_once_with_the_reason(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with another_program(tmp_path / "entries.db", monkeypatch):
        tried = []
        with without_waiting() as refused:
            for _ in range(3):
                with pytest.raises(StoreBusy):
                    store.write(tried.append)
        assert ["busy" in message for message in refused] == [True]

    with without_waiting() as refused:
        store.write(lambda tx: add_notice(tx, NOW, "after"))
    assert list(refused) == []
    assert notices(store) == ["after"]
    assert tried == []
