"""The conversation context of an entry follows from its origin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.model.entry import Origin
from remem.ports.entries import Store
from remem.search.rank.context import ConversationContext, context_of, speaker_of, with_neighbours
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, put


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


def say(store: Store, *origins: Origin | None) -> None:
    """Store entries whose ids count from 1."""
    put(
        store,
        *(
            entry(f"words {number}", id=name(number), origins=(origin,) if origin else ())
            for number, origin in enumerate(origins, 1)
        ),
    )


def name(number: int) -> str:
    return f"mem-{number:08}"


def company(store: Store, *numbers: int) -> ConversationContext:
    ids = [name(number) for number in numbers]
    with store.read() as snapshot:
        return context_of(snapshot, snapshot.find(ids), ids)


def test_an_entry_without_a_speaker_is_a_note_without_neighbours(store: Store) -> None:
    say(store, None, Origin("notes.md", 4), Origin("notes.md", 5))

    found = company(store, 1, 2, 3)

    ids = [name(number) for number in (1, 2, 3)]
    assert [found.kind(id_) for id_ in ids] == ["note"] * 3
    assert with_neighbours(found, ids) == ids


def test_words_among_people_are_a_talk(store: Store) -> None:
    say(store, *(Origin("chat", i, name, "user") for i, name in enumerate(("Mara", "Tom", "Mara"))))

    found = company(store, 2)

    assert found.kind(name(2)) == "talk"
    assert set(found.extra) == {name(1), name(3)}
    assert sorted(with_neighbours(found, [name(2)])) == [name(1), name(2), name(3)]


def test_only_neighbours_of_leading_hits_become_candidates(store: Store) -> None:
    say(store, *(Origin("chat", i, "Mara", "user") for i in range(9)))

    with store.read() as snapshot:
        found = context_of(snapshot, snapshot.find([name(2), name(8)]), leading=[name(2)])

    assert set(found.extra) == {name(1), name(3)}
    assert found.neighbours_of(name(8)).before == (name(7), name(6)), (
        "its neighbours' words count for it all the same"
    )


def test_an_assistant_makes_the_whole_conversation_one_with_an_agent(store: Store) -> None:
    say(store, Origin("help", 0, "Mara", "user"), Origin("help", 1, "Bot", "assistant"))

    found = company(store, 1)

    assert found.kind(name(1)) == "agent"
    assert not found.extra


def test_the_words_of_one_person_without_an_assistant_are_a_diary(store: Store) -> None:
    say(
        store,
        Origin("alone", 0, "user", "user"),
        Origin("help", 0, "user", "user"),
        Origin("help", 1, "assistant", "assistant"),
    )

    found = company(store, 1, 2, 3)

    assert [found.kind(name(number)) for number in (1, 2, 3)] == ["diary", "agent", "agent"]


def test_words_of_an_assistant_are_always_of_kind_agent(store: Store) -> None:
    say(store, Origin("nowhere", None, "Bot", "assistant"))

    assert company(store, 1).kind(name(1)) == "agent"


def test_a_role_is_not_a_name(store: Store) -> None:
    say(store, Origin("alone", None, "user", "user"), Origin("alone too", None, "Mara", None))

    found = company(store, 1, 2)

    assert [found.kind(name(number)) for number in (1, 2)] == ["diary", "talk"]
    assert speaker_of(entry("x", origins=(Origin("s", 1, "Assistant", "assistant"),))) is None
