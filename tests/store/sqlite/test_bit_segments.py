"""Bits that lie together say what the rows say, whatever has changed since."""

from __future__ import annotations

from pathlib import Path

import apsw
import numpy as np
import pytest

from remem.model.entry import Filter
from remem.ports.entries import Store
from remem.store.sqlite import vector_bits
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.vector_bits import ModelBits, admitted
from remem.store.vector_scan import NewBits
from tests.store.sqlite.sample import MODEL, embed, entry, put, quickly, revise, unit


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_bits, "SEGMENT_SIZE", 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "entries.db"


def filled(path: Path, count: int) -> tuple[Store, list[str]]:
    store = SqliteStore(path)
    ids = []
    for number in range(count):
        ids.append(put(store, entry(f"number {number}")).id)
        embed(store, {ids[-1]: unit(number)})
    return store, ids


def segment_count(path: Path) -> int:
    connection = apsw.Connection(str(path))
    (count,) = next(iter(connection.execute("SELECT count(*) FROM bit_segments")))
    connection.close()
    return int(count)


def admitted_rows(path: Path, *, without_segments: bool = False) -> list[int]:
    """The rows that a fresh process would scan, in order."""
    connection = apsw.Connection(str(path))
    connection.execute("BEGIN")
    if without_segments:
        connection.execute("DELETE FROM bit_segments")
    scan = ModelBits(1, MODEL.dimension).refresh(connection)
    rows = scan.rows[admitted(scan, Filter(include_archived=True), connection)]
    connection.execute("ROLLBACK")
    connection.close()
    return sorted(rows.tolist())


def test_most_bits_are_in_segments(path: Path) -> None:
    store, _ = filled(path, 20)
    store.close()

    assert segment_count(path) == 2
    assert len(admitted_rows(path)) == 20


def test_later_changes_override_a_segment(path: Path) -> None:
    store, ids = filled(path, 20)
    revise(store, ids[3], content="reworded, and without a vector now")
    revise(store, ids[5], archived=True)
    store.close()

    rows = admitted_rows(path)

    assert rows == admitted_rows(path, without_segments=True)
    assert len(rows) == 19


def test_a_search_finds_the_same_with_and_without_segments(path: Path) -> None:
    store, ids = filled(path, 40)
    with store.read() as snapshot:
        warm = snapshot.nearest(MODEL, unit(7), Filter(), 5)
    store.close()
    cold = SqliteStore(path)
    with cold.read() as snapshot:
        assert snapshot.nearest(MODEL, unit(7), Filter(), 5) == warm
    cold.close()
    assert len(ids) == 40


def test_stale_segments_are_rebuilt(path: Path) -> None:
    store, ids = filled(path, 16)
    for turn in range(4):
        for id_ in ids:
            revise(store, id_, priority="high" if turn % 2 else "low")
        embed(store, {ids[0]: unit(turn)})
    store.close()

    connection = apsw.Connection(str(path))
    (held,) = next(iter(connection.execute("SELECT sum(length(rows)) / 8 FROM bit_segments")))
    connection.close()
    assert held <= 2 * 16
    assert admitted_rows(path) == admitted_rows(path, without_segments=True)


def test_the_last_occurrence_of_a_row_counts() -> None:
    fresh = NewBits(
        4,
        np.array([1, 2, 1, 3], np.int64),
        np.zeros(4, np.uint16),
        np.zeros((4, 1), np.uint64),
    )

    assert fresh.outdated().tolist() == [True, False, False, False]


def test_replaced_quick_vectors_are_not_packed_again(path: Path) -> None:
    """The known-bad version keeps a second place for every vector, and scans all of them."""
    store = SqliteStore(path)
    entries = [entry(f"number {number}") for number in range(60)]
    put(store, *entries)
    quickly(store, {stored.id: -unit(number) for number, stored in enumerate(entries)})
    for number, stored in enumerate(entries):
        embed(store, {stored.id: unit(number)})
    store.close()

    connection = apsw.Connection(str(path))
    packed = next(iter(connection.execute("SELECT sum(length(rows)) / 8 FROM bit_segments")))[0]
    scanned = len(ModelBits(1, MODEL.dimension).refresh(connection).rows)
    connection.close()
    assert 4 * packed <= 5 * 60
    assert 4 * scanned <= 5 * 60
    assert len(admitted_rows(path)) == 60
