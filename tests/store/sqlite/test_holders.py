"""Entries that have a part in common with a coming text are found, whenever they came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.ports.entries import Transaction
from remem.store.sqlite import duplicates
from remem.store.sqlite.batched_insert import BatchedInserts
from remem.store.sqlite.duplicates import SimilarCandidates
from remem.store.sqlite.entries import SqliteStore
from remem.text.similarity import Fingerprint, fingerprint_of
from tests.store.sqlite.sample import entry, put, row_of

SAID = "the printer in the hall runs every morning at eight"
LIKE = "the printer in the hall runs each morning at eight"
OTHER = "ada keeps her boat in a cellar and drinks black tea"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


def looked_up(store: SqliteStore, *prints: Fingerprint) -> SimilarCandidates:
    def operation(tx: Transaction) -> SimilarCandidates:
        assert isinstance(tx, BatchedInserts)
        return SimilarCandidates(tx._connection, prints)

    return store.write(operation)


def test_an_entry_that_may_be_similar_is_found(store: SqliteStore) -> None:
    row = row_of(store, put(store, entry(SAID)).id)
    like, other = fingerprint_of(LIKE), fingerprint_of(OTHER)
    found = looked_up(store, like, other)

    assert found.similar_to(like) == {row}
    assert found.similar_to(other) == set()


def test_of_what_comes_together_the_later_finds_the_earlier(store: SqliteStore) -> None:
    said, like, other = map(fingerprint_of, (SAID, LIKE, OTHER))
    found = looked_up(store, said, like, other)

    found.add(7, said, prefetched=True)
    found.add(8, other, prefetched=True)

    assert found.similar_to(like) == {7}


def test_what_nobody_foresaw_is_found_too(store: SqliteStore) -> None:
    like = fingerprint_of(LIKE)
    found = looked_up(store, like, fingerprint_of(OTHER))

    found.add(7, fingerprint_of(SAID), prefetched=False)

    assert found.similar_to(like) == {7}


def test_many_parts_are_looked_up_as_few_are(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, *(entry(f"{SAID} {number}") for number in range(20)))
    like = [fingerprint_of(f"{LIKE} {number}") for number in range(20)]
    few = looked_up(store, *like)

    monkeypatch.setattr(duplicates, "_NUMPY_THRESHOLD", 1)
    many = looked_up(store, *like)

    assert [few.similar_to(each) for each in like] == [many.similar_to(each) for each in like]
    assert all(few.similar_to(each) for each in like)
