"""A copy has every entry of the source with its history, use, records and vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from remem.entries.copying import compare, copy_entries
from remem.errors import StoreError
from remem.model.entry import Origin
from remem.ports.entries import Store, Transaction
from remem.ports.records import Tombstone
from remem.ports.state import ACTIVITY, Namespace
from tests.contracts.stores import ADAPTERS
from tests.store.sqlite.sample import NOW, embed, entry, put, quickly, revise, unit
from tests.tables import each_row

_VERDICTS = Namespace("verdict", dict[str, str])


def filled(store: Store) -> list[str]:
    """A store with something of every kind; returns the ids."""
    entries = [
        entry("Zoë drinks 绿茶.", tags=("Tea", "home"), context="asked twice"),
        entry("Nothing \0 printable.", origins=(Origin("chat:1", 3, "Zoë", "user"),)),
        entry("Gone.", archived=True, archive_reason="faded"),
        entry("Not to be trusted.", trust="untrusted", priority="low"),
    ]
    put(store, *entries)
    ids = [item.id for item in entries]
    revise(store, ids[0], content="Zoë drinks coffee.", updated_at="2026-11-16T12:00:00Z")
    embed(store, {ids[0]: unit(1), ids[1]: unit(2)})
    quickly(store, {ids[3]: unit(3)})

    def more(tx: Transaction) -> None:
        tx.record_use(ids[:2], NOW, was_used=True)
        tx.record_use(ids[1:3], NOW, was_used=False)
        tx.add_tombstones([Tombstone("mem-erased00", -5, NOW)])
        tx.put_record(ACTIVITY, "store", NOW)
        tx.put_record(_VERDICTS, "line", {"verdict": "keep"})
        tx.add_to_outbox("facts:1")

    store.write(more)
    return ids


@each_row(
    ("source", "target"),
    [("sqlite", "postgres"), ("postgres", "sqlite"), ("postgres", "memory"), ("memory", "sqlite")],
)
def test_everything_is_copied(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    old, new = ADAPTERS[source](tmp_path / "a"), ADAPTERS[target](tmp_path / "b")
    ids = filled(old)
    done = copy_entries(old, new)
    assert (done.entries, done.versions, done.vectors) == (4, 5, 2)
    with old.read() as before, new.read() as after:
        assert after.ids() == before.ids() == ids
        assert after.outbox()[0].file == "facts:1"
        assert {text.id for text in after.pending(9)} == {ids[2], ids[3]}
        assert after.vector_state().models == before.vector_state().models
    assert copy_entries(old, new) == done  # again: nothing to do, and equal
    old.close()
    new.close()


def test_a_difference_is_found_and_named(tmp_path: Path) -> None:
    old, new = ADAPTERS["memory"](tmp_path), ADAPTERS["sqlite"](tmp_path)
    ids = filled(old)
    copy_entries(old, new)
    revise(new, ids[1], content="Changed.")
    with old.read() as snapshot, pytest.raises(StoreError, match="an entry differs"):
        compare(snapshot, new)
    with pytest.raises(StoreError, match="already has entries of this scope"):
        copy_entries(old, new)
    new.close()


class Stopped(Exception):
    pass


@each_row("target", ["sqlite", "postgres"])
@each_row("writes", [1, 2, 3, 5])
def test_an_interrupted_copy_continues(tmp_path: Path, target: str, writes: int) -> None:
    old = ADAPTERS["memory"](tmp_path / str(uuid4()))
    put(old, *(entry(f"Number {number}.") for number in range(206)))
    filled(old)
    new = ADAPTERS[target](tmp_path)
    original, left = new.write, writes

    def failing(operation):  # type: ignore[no-untyped-def]
        nonlocal left
        if not left:
            raise Stopped
        left -= 1
        return original(operation)

    new.write = failing  # type: ignore[method-assign]
    try:
        copy_entries(old, new)
    except Stopped:
        with pytest.raises(StoreError, match="unfinished copy of copy"):
            copy_entries(old, ADAPTERS[target](tmp_path), "another source")
    again = ADAPTERS[target](tmp_path)
    assert copy_entries(old, again).entries == 210
    for store in (again, new):
        store.close()


def test_use_that_was_counted_is_counted_once(tmp_path: Path) -> None:
    old, new = ADAPTERS["memory"](tmp_path), ADAPTERS["sqlite"](tmp_path)
    kept = put(old, replace(entry("Used."), uses=4))
    old.write(lambda tx: tx.record_use([kept.id], NOW, was_used=True))
    copy_entries(old, new)
    with new.read() as snapshot:
        assert snapshot.find([kept.id])[kept.id].uses == 5
    new.close()
