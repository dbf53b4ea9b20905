"""What every store must know of use and fading."""

from __future__ import annotations

from remem.model.entry import Entry
from remem.ports.entries import Store
from remem.ports.records import Usage, Where
from tests.store.sqlite.sample import NOW, entry, home_of, put, revise
from tests.tables import each_row

LATER = "2027-01-01T00:00:00Z"


def fade(store: Store, kept: Entry) -> None:
    revise(store, kept.id, "faded: nobody asked", archived=True, archive_reason="faded")


def test_the_last_use_is_known_and_a_listing_does_not_count(store: Store) -> None:
    used, shown = put(store, entry("one")), put(store, entry("two"))
    store.write(lambda tx: tx.record_use([used.id], LATER, was_used=True))
    store.write(lambda tx: tx.record_use([shown.id], LATER, was_used=False))

    with store.read() as snapshot:
        assert snapshot.usage([used.id, shown.id, "mem-unknown"]) == {
            used.id: Usage(home_of(used), used=LATER),
            shown.id: Usage(home_of(shown), listed=LATER),
        }
        assert snapshot.usage([]) == {}


def test_idle_entries_of_a_priority_are_found(store: Store) -> None:
    idle = put(store, entry("idle", priority="low"))
    put(store, entry("important", priority="high"))
    put(store, entry("strange", priority="low", trust="untrusted"))
    used = put(store, entry("used", priority="low"))
    store.write(lambda tx: tx.record_use([used.id], LATER, was_used=True))

    with store.read() as snapshot:
        assert snapshot.select(Where(priority="low", idle_since=LATER)) == [idle]
        assert snapshot.select(Where(priority="low", idle_since=NOW)) == []


def test_faded_entries_are_distinguished_from_other_archived_ones(store: Store) -> None:
    faded, forgotten, untrusted, replaced, _ = (
        put(store, entry(f"the {n} harbour", **fields))
        for n, fields in (
            ("a", {}),
            ("b", {}),
            ("c", {"trust": "untrusted"}),
            ("d", {"superseded_by": "mem-00000000"}),
            ("e", {}),
        )
    )
    for kept in (faded, untrusted, replaced):
        fade(store, kept)
    revise(store, forgotten.id, "forgotten", archived=True)

    with store.read() as snapshot:
        found = snapshot.select(Where(archived_as="faded"))
        assert [match.id for match in found] == [faded.id]
        assert found[0].faded
        assert snapshot.search_faded(["harbour"], 9) == found


@each_row("terms", [[], ["nothing"], ['"', "*"]])
def test_words_in_no_faded_entry_find_nothing(store: Store, terms: list[str]) -> None:
    fade(store, put(store, entry("the harbour")))

    with store.read() as snapshot:
        assert snapshot.search_faded(terms, 9) == []
