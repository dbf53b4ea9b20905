from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.entry import Filter
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.vector_bits import ModelBits, admitted
from remem.store.vector_scan import signs
from tests.store.sqlite.internals import connection_of
from tests.store.sqlite.sample import MODEL, embed, entry, put, revise, unit


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


@given(st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_the_signs_of_a_vector_fill_whole_words(dimension: int, seed: int) -> None:
    vector = unit(seed, dimension)
    words = signs(vector)

    assert words.dtype == np.uint64
    assert len(words) == -(-dimension // 64)
    assert int(np.bitwise_count(words).sum()) == int((vector > 0).sum())


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_bits_differ_where_signs_do(one: int, other: int) -> None:
    a, b = unit(one, 70), unit(other, 70)

    assert int(np.bitwise_count(signs(a) ^ signs(b)).sum()) == int(((a > 0) != (b > 0)).sum())


def test_outdated_positions_are_dropped(store: SqliteStore) -> None:
    """A memory that is reinforced for years must not grow in RAM."""
    kept = put(store, entry("one"))
    put(store, *(entry(f"{i}") for i in range(9)))
    embed(store, {kept.id: unit(1)})
    with store.read() as snapshot:
        bits = ModelBits(1, MODEL.dimension)
        for version in range(600):
            priority = ("high", "low")[version % 2]
            revise(store, kept.id, priority=priority)
            scan = bits.refresh(connection_of(snapshot))
            assert admitted(scan, Filter(), connection_of(snapshot)).sum() == 1

    assert len(scan.rows) < 10


def test_later_writes_do_not_change_a_running_scan(store: SqliteStore) -> None:
    kept = put(store, entry("one"))
    embed(store, {kept.id: unit(1)})
    bits = ModelBits(1, MODEL.dimension)
    with store.read() as snapshot:
        connection = connection_of(snapshot)
        before = bits.refresh(connection)
        revise(store, kept.id, archived=True)
        put(store, *(entry(f"{i}") for i in range(300)))
        bits.refresh(connection)

        assert admitted(before, Filter(), connection).tolist() == [True]
        assert before.nearest(unit(1), admitted(before, Filter(), connection), 9) == [1]


def test_many_threads_search_while_vectors_are_written(store: SqliteStore) -> None:
    entries = [entry(f"{i}") for i in range(400)]
    put(store, *entries)
    embed(store, {entries[0].id: unit(0)})
    surprises: list[BaseException] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                with store.read() as snapshot:
                    hits = snapshot.nearest(MODEL, unit(0), Filter(priority_min="medium"), 5)
                    assert hits[0][0] == entries[0].id
                    assert len({id_ for id_, _ in hits}) == len(hits)
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            surprises.append(error)

    threads = [threading.Thread(target=search) for _ in range(6)]
    for worker in threads:
        worker.start()
    for i in range(1, 400, 10):
        embed(store, {stored.id: unit(i + k) for k, stored in enumerate(entries[i : i + 10])})
        revise(store, entries[0].id, strength=i)
    done.set()
    for thread in threads:
        thread.join()

    assert surprises == []
