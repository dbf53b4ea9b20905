"""Recalls are recorded without delaying them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from remem.errors import StoreBusy
from remem.ports.entries import Transaction
from remem.ports.state import ACTIVITY
from remem.search.usage_log import UsageLog
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, put

T = TypeVar("T")
FIRST, LATER = "2026-11-15T12:00:01Z", "2026-11-15T12:00:40Z"
NEXT = "2026-11-15T12:01:05Z"


class Writes(SqliteStore):
    """A store that counts its writes, or is busy."""

    count = 0
    busy = False

    def write(self, operation: Callable[[Transaction], T]) -> T:
        if self.busy:
            raise StoreBusy("another program is writing")
        self.count += 1
        return super().write(operation)


class Clock:
    def __init__(self) -> None:
        self.now = FIRST

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Writes]:
    store = Writes(tmp_path / "entries.db")
    yield store
    store.close()


def last(store: Writes) -> str | None:
    with store.read() as snapshot:
        return snapshot.record(ACTIVITY, "recall")


def test_the_first_recall_of_a_minute_is_written_and_the_others_wait(store: Writes) -> None:
    one, two = put(store, entry("one")), put(store, entry("two"))
    clock = Clock()
    log = UsageLog(store, clock)
    store.count = 0

    log.record_shown([one.id])
    clock.now = LATER
    log.record_shown([two.id])

    assert store.count == 1
    assert last(store) == FIRST
    clock.now = NEXT
    log.record_shown([])
    assert store.count == 2
    assert last(store) == NEXT


def test_pending_usage_is_written_on_close(store: Writes) -> None:
    kept = put(store, entry("one"))
    clock = Clock()
    log = UsageLog(store, clock)
    store.count = 0
    log.record_shown([])
    log.record_shown([kept.id])
    assert store.count == 1

    log.close()
    log.close()

    assert store.count == 2


def test_use_is_written_at_once_with_everything_pending(store: Writes) -> None:
    one, two = put(store, entry("one")), put(store, entry("two"))
    clock = Clock()
    log = UsageLog(store, clock)
    store.count = 0
    log.record_shown([])
    log.record_shown([one.id])

    log.record_used([two.id])
    log.close()

    assert store.count == 2
    with store.read() as snapshot:
        usage = snapshot.usage([one.id, two.id])
    assert {id_: use.used for id_, use in usage.items()} == {one.id: None, two.id: FIRST}


def test_the_time_of_the_last_recall_never_moves_backwards(store: Writes) -> None:
    one, two = put(store, entry("one")), put(store, entry("two"))
    clock = Clock()
    log = UsageLog(store, clock)
    log.record_shown([one.id])
    log.record_shown([two.id])
    clock.now = NEXT
    log.record_used([one.id])
    clock.now = LATER
    log.record_shown([two.id])

    log.close()

    assert last(store) == NEXT


def test_a_use_that_is_written_on_close_has_its_time(store: Writes) -> None:
    one = put(store, entry("one"))
    log = UsageLog(store, Clock())
    store.busy = True
    log.record_used([one.id])
    store.busy = False

    log.close()

    assert last(store) == FIRST


def test_without_a_recall_nothing_is_written(store: Writes) -> None:
    UsageLog(store, Clock()).close()

    assert store.count == 0


def test_what_a_busy_store_refuses_is_written_with_the_next(store: Writes) -> None:
    one, two = put(store, entry("one")), put(store, entry("two"))
    log = UsageLog(store, Clock())
    store.busy = True
    log.record_used([one.id])
    log.record_shown([two.id])
    store.busy = False

    log.close()

    with store.read() as snapshot:
        usage = snapshot.usage([one.id, two.id])
    assert usage[one.id].used == FIRST
    assert usage[two.id].listed == FIRST
    assert log.problem is None
