"""The neighbours of an entry are found; only live entries have a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from remem.model.entry import Entry, Origin
from remem.ports.entries import Store
from remem.ports.records import Neighbours
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from tests.store.sqlite.sample import entry, put, revise, touch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "entries.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened = SqliteStore(path)
    yield opened
    opened.close()


def said(position: int, source: str = "chat", role: str = "user") -> Entry:
    origins = (Origin(source, position, "Zoë", role),)
    return entry(f"{source} {position}", id=f"{source} {position}", origins=origins)


def beside(store: Store, source: str, position: int) -> Neighbours:
    with store.read() as snapshot:
        return snapshot.neighbours([(source, position)])[source, position]


def test_neighbours_are_from_the_same_source_nearest_first(store: Store) -> None:
    put(store, said(1), said(2), said(2, "another"), said(3), said(4))

    assert beside(store, "chat", 3) == Neighbours(before=("chat 2", "chat 1"), after=("chat 4",))
    assert beside(store, "another", 2) == Neighbours()


def test_distant_turns_are_not_neighbours(store: Store) -> None:
    put(store, said(1), said(50), said(99))

    assert beside(store, "chat", 50) == Neighbours()


def test_an_archived_entry_leaves_its_place_and_gets_it_back(store: Store) -> None:
    first = said(1)
    put(store, first, said(2))

    revise(store, first.id, archived=True)
    assert beside(store, "chat", 2) == Neighbours()

    revise(store, first.id, archived=False)
    assert beside(store, "chat", 2) == Neighbours(before=("chat 1",))


def test_untrusted_entries_have_no_place(store: Store) -> None:
    origins = (Origin("chat", 1, "Mallory", "user"),)
    put(store, entry("trust me", trust="untrusted", origins=origins), said(2))

    assert beside(store, "chat", 2) == Neighbours()


def test_a_second_origin_is_a_second_place(store: Store) -> None:
    kept = put(store, said(1))
    put(store, said(8))
    touch(store, kept.id, origins=(*kept.origins, Origin("chat", 7, "Zoë", "user")))

    assert beside(store, "chat", 8) == Neighbours(before=("chat 1",))


def test_sources_with_an_assistant_are_known(store: Store) -> None:
    put(store, said(1), said(1, "help"), said(2, "help", "assistant"))

    with store.read() as snapshot:
        assert snapshot.sources_with_assistant(["chat", "help", "nowhere"]) == {"help"}


def test_places_are_rebuilt_with_the_other_derived_tables(store: Store) -> None:
    put(store, said(1), said(2))

    store.write(lambda tx: tx.rebuild_search())
    assert beside(store, "chat", 2) == Neighbours(before=("chat 1",))


def test_a_missing_place_is_detected(store: Store, path: Path) -> None:
    put(store, said(1), said(2))
    store.close()
    assert not examine(path).derived
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM memory_places WHERE position = 1")
    connection.close()

    assert any("place of an entry" in problem for problem in examine(path).derived)


def test_the_same_words_of_both_sides_at_one_place_are_no_damage(store: Store, path: Path) -> None:
    users = said(1)
    put(store, replace(users, origins=(*users.origins, *said(1, role="assistant").origins)))
    store.close()

    assert not examine(path).derived
