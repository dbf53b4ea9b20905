"""How often an entry holds a word is counted as the full text sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.ports.entries import Store
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, put


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


def say(store: Store, *texts: str, **fields: Any) -> list[str]:
    """Store entries; returns their ids."""
    entries = [entry(text, **fields) for text in texts]
    put(store, *entries)
    return [stored.id for stored in entries]


def test_each_term_is_counted_by_its_stem_in_each_entry(store: Store) -> None:
    one, two, three = say(store, "An apple, two apples.", "A pear.", "Nothing of it.")

    with store.read() as snapshot:
        found = snapshot.term_statistics(["apples", "pear"], [one, two, three])

    assert found.counts == {one: (2.0, 0.0), two: (0.0, 1.0)}
    assert found.lengths == {one: 4, two: 2}
    assert found.entries_with_term == (1, 1)
    assert found.total_entries == 3


def test_a_word_in_the_tags_counts_for_less(store: Store) -> None:
    (one,) = say(store, "Something to eat.", tags=("apple",))

    with store.read() as snapshot:
        (count,) = snapshot.term_statistics(["apple"], [one]).counts[one]

    assert 0 < count < 1


def test_only_requested_entries_are_counted(store: Store) -> None:
    _, two = say(store, "An apple.", "Another apple.")

    with store.read() as snapshot:
        found = snapshot.term_statistics(["apple"], [two])

    assert list(found.counts) == [two]
    assert found.entries_with_term == (2,)


def test_counting_twice_on_one_connection_gives_the_same_result(store: Store) -> None:
    (one,) = say(store, "An apple.")
    with store.read() as snapshot:
        first = snapshot.term_statistics(["apple"], [one])
    (two,) = say(store, "More apples, apples.")

    with store.read() as snapshot:
        second = snapshot.term_statistics(["apple"], [one, two])

    assert (first.total_entries, second.total_entries) == (1, 2)
    assert second.counts[two] == (2.0,)


def test_archived_words_do_not_count_among_the_holders(store: Store) -> None:
    (one,), (two,) = say(store, "An apple."), say(store, "An old apple.", archived=True)

    with store.read() as snapshot:
        assert snapshot.term_statistics(["apple"], [one, two]).entries_with_term == (1,)


def test_archived_words_are_counted_on_request(store: Store) -> None:
    (one,), (two,) = say(store, "An apple."), say(store, "An old apple.", archived=True)

    with store.read() as snapshot:
        found = snapshot.term_statistics(["apple"], [one, two], live=False)

    assert found.counts == {one: (1.0,), two: (1.0,)}
    assert found.entries_with_term == (2,)
