"""What every store must know of use and fading."""

from __future__ import annotations

import pytest

from remem.model.decay import FADED_PREFIX
from remem.model.entry import Entry
from remem.ports.entries import Store
from tests.store.sqlite.sample import NOW, entry, put, revise

LATER = "2027-01-01T00:00:00Z"


def fade(store: Store, kept: Entry, change: str = f"{FADED_PREFIX}nobody asked") -> None:
    revise(store, kept.id, change, archived=True)


def row_of(store: Store, kept: Entry) -> int:
    with store.read() as snapshot:
        return snapshot.by_ids([kept.id])[kept.id].row


def test_the_last_use_is_known_and_a_listing_does_not_count(store: Store) -> None:
    used, shown = put(store, entry("one")), put(store, entry("two"))
    store.write(lambda tx: tx.record_shown([used.id], LATER, used=True))
    store.write(lambda tx: tx.record_shown([shown.id], LATER, used=False))
    rows = [row_of(store, id_) for id_ in (used, shown)]

    with store.read() as snapshot:
        assert snapshot.last_used([*rows, 999]) == {rows[0]: LATER}
        assert snapshot.last_used([]) == {}


def test_idle_entries_of_a_priority_are_found(store: Store) -> None:
    idle = put(store, entry("idle", priority="low"))
    put(store, entry("important", priority="high"))
    put(store, entry("strange", priority="low", trust="untrusted"))
    used = put(store, entry("used", priority="low"))
    store.write(lambda tx: tx.record_shown([used.id], LATER, used=True))

    with store.read() as snapshot:
        found = [match.entry.id for match in snapshot.idle("low", LATER)]
        assert found == [idle.id]
        assert snapshot.idle("low", NOW) == []


def test_faded_entries_are_distinguished_from_other_archived_ones(store: Store) -> None:
    faded, forgotten, live = (put(store, entry(f"the {n} harbour")) for n in ("a", "b", "c"))
    fade(store, faded)
    fade(store, forgotten, "forgotten")
    rows = [row_of(store, id_) for id_ in (faded, forgotten, live)]

    with store.read() as snapshot:
        assert [match.entry.id for match in snapshot.faded()] == [faded.id]
        assert [match.entry.id for match in snapshot.faded(rows)] == [faded.id]
        assert snapshot.faded(rows[1:]) == []
        assert snapshot.faded([]) == []
        assert [e.entry.id for e in snapshot.search_faded(["harbour"], 9)] == [faded.id]


@pytest.mark.parametrize("terms", [[], ["nothing"], ['"', "*"]])
def test_words_in_no_faded_entry_find_nothing(store: Store, terms: list[str]) -> None:
    fade(store, put(store, entry("the harbour")))

    with store.read() as snapshot:
        assert snapshot.search_faded(terms, 9) == []
