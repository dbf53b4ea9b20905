"""How often an entry holds a word is counted as the full text sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.ports.entries import Store
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, put


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


def test_each_term_is_counted_by_its_stem_in_each_row(store: Store) -> None:
    put(store, entry("An apple, two apples."), entry("A pear."), entry("Nothing of it."))

    with store.read() as snapshot:
        found = snapshot.occurrences(["apples", "pear"], [1, 2, 3])

    assert found.counts == {1: (2.0, 0.0), 2: (0.0, 1.0)}
    assert found.lengths == {1: 4, 2: 2}
    assert found.entries_with_term == (1, 1)
    assert found.total_entries == 3


def test_a_word_in_the_tags_counts_for_less(store: Store) -> None:
    put(store, entry("Something to eat.", tags=("apple",)))

    with store.read() as snapshot:
        (count,) = snapshot.occurrences(["apple"], [1]).counts[1]

    assert 0 < count < 1


def test_only_requested_rows_are_counted(store: Store) -> None:
    put(store, entry("An apple."), entry("Another apple."))

    with store.read() as snapshot:
        found = snapshot.occurrences(["apple"], [2])

    assert list(found.counts) == [2]
    assert found.entries_with_term == (2,)


def test_counting_twice_on_one_connection_gives_the_same_result(store: Store) -> None:
    put(store, entry("An apple."))
    with store.read() as snapshot:
        first = snapshot.occurrences(["apple"], [1])
    put(store, entry("More apples, apples."))

    with store.read() as snapshot:
        second = snapshot.occurrences(["apple"], [1, 2])

    assert (first.total_entries, second.total_entries) == (1, 2)
    assert second.counts[2] == (2.0,)


def test_archived_words_do_not_count_among_the_holders(store: Store) -> None:
    put(store, entry("An apple."), entry("An old apple.", archived=True))

    with store.read() as snapshot:
        assert snapshot.occurrences(["apple"], [1, 2]).entries_with_term == (1,)


def test_archived_words_are_counted_on_request(store: Store) -> None:
    put(store, entry("An apple."), entry("An old apple.", archived=True))

    with store.read() as snapshot:
        found = snapshot.occurrences(["apple"], [1, 2], live=False)

    assert found.counts == {1: (1.0,), 2: (1.0,)}
    assert found.entries_with_term == (2,)
