"""Which part of which domain file an entry is in, and which files a change queues."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from remem.entries import placement
from remem.model.domain_routing import INDEX_FILE_KEY, LONG_ENTRY, PART_SIZE
from remem.model.entry import Entry
from remem.ports.entries import Store, Transaction
from remem.ports.records import Home, Tally, TallyBy, Where
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.transaction import SqliteTransaction
from tests.store.sqlite.sample import entry


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return SqliteStore(tmp_path / "entries.db")


def put(store: Store, *entries: Entry) -> Entry:
    def operation(tx: Transaction) -> None:
        for new in entries:
            placement.insert(tx, new, "stored", ())

    store.write(operation)
    return entries[-1]


def revise(store: Store, kept: Entry, **fields: object) -> Entry:
    new = replace(kept, version=kept.version + 1, **fields)
    store.write(lambda tx: placement.save_version(tx, new, "changed", ()))
    return new


def written(store: Store) -> None:
    """Let every file that waits count as written."""
    with store.read() as snapshot:
        waiting = snapshot.outbox()

    def operation(tx: Transaction) -> None:
        for item in waiting:
            tx.remove_from_outbox(item.file, item.seq)

    store.write(operation)


def outbox(store: Store) -> set[str]:
    with store.read() as snapshot:
        return {item.file for item in snapshot.outbox()}


def test_a_full_part_is_followed_by_another(store: Store) -> None:
    entries = [entry(f"{i}") for i in range(PART_SIZE + 1)]
    put(store, *entries)

    with store.read() as snapshot:
        assert snapshot.select(Where(home=Home("facts", 1))) == entries[:PART_SIZE]
        assert snapshot.select(Where(home=Home("facts", 2))) == entries[PART_SIZE:]


def test_parts_are_counted_over_several_transactions(store: Store) -> None:
    put(store, *(entry(f"a{i}") for i in range(PART_SIZE - 1)))
    put(store, entry("b"))
    last = put(store, entry("c"))

    with store.read() as snapshot:
        assert snapshot.usage([last.id])[last.id].home == ("facts", 2)


def test_a_full_part_is_counted_without_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a memory twice as large would take four times as long to import."""
    put(store, *(entry(f"{i}") for i in range(2 * PART_SIZE)))
    counted: list[Home | None] = []
    real = SqliteTransaction.tally

    def tally(tx: SqliteTransaction, by: TallyBy, where: Where) -> dict[str, Tally]:
        counted.append(where.home)
        return real(tx, by, where)

    monkeypatch.setattr(SqliteTransaction, "tally", tally)
    put(store, entry("next"))

    assert counted == [Home("facts", 2)]


def test_a_long_entry_counts_as_several(store: Store) -> None:
    length = LONG_ENTRY * PART_SIZE
    put(store, entry("x" * length, token_estimate=length // 4))
    short = put(store, entry("short"))

    with store.read() as snapshot:
        assert snapshot.usage([short.id])[short.id].home == ("facts", 2)


def test_entries_that_left_a_full_part_make_room(store: Store) -> None:
    entries = [entry(f"{i}") for i in range(PART_SIZE)]
    put(store, *entries)
    for gone in entries[:2]:
        revise(store, gone, archived=True)

    with store.read() as snapshot:
        assert snapshot.tally("home", Where())["facts:1"].entries == PART_SIZE - 2
    assert put(store, entry("new")).id
    with store.read() as snapshot:
        assert list(snapshot.tally("home", Where())) == ["facts:1"]


def test_an_entry_that_moves_to_another_file_queues_both(store: Store) -> None:
    kept = put(store, entry(trust="untrusted"))
    written(store)
    revise(store, kept, trust="owner")

    with store.read() as snapshot:
        assert snapshot.usage([kept.id])[kept.id].home == ("facts", 1)
    assert outbox(store) == {"untrusted:1", "facts:1", INDEX_FILE_KEY}


def test_every_change_queues_the_file_and_the_index(store: Store) -> None:
    kept = put(store, entry())
    assert outbox(store) == {"facts:1", INDEX_FILE_KEY}

    stronger = replace(kept, version=2, strength=9)
    for change in (
        lambda: revise(store, kept, content="other words"),
        lambda: store.write(lambda tx: placement.update(tx, stronger)),
        lambda: revise(store, stronger, archived=True),
        lambda: store.write(lambda tx: placement.erase(tx, kept.id, "2026-11-18T00:00:00Z")),
    ):
        written(store)
        assert outbox(store) == set()
        change()
        assert outbox(store) == {"facts:1", INDEX_FILE_KEY}


def test_untrusted_entries_do_not_queue_the_index(store: Store) -> None:
    put(store, entry(trust="untrusted"))

    assert outbox(store) == {"untrusted:1"}


def test_placing_again_follows_the_topics(store: Store) -> None:
    kept = put(store, entry(tags=("Boats",)))
    written(store)
    store.write(lambda tx: placement.reassign_all(tx, ("boats",)))

    with store.read() as snapshot:
        assert snapshot.usage([kept.id])[kept.id].home == ("boats", 1)
    assert outbox(store) == {"facts:1", "boats:1", INDEX_FILE_KEY}
