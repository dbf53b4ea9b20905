"""What every store must do with entries. Search, duplicates and files have
their own suites in this folder."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.errors import StoreClosed
from remem.model.entry import CATEGORIES, PRIORITIES, TRUSTS, Entry, Origin, Version
from remem.ports.entries import (
    DuplicateQueries,
    EntryReader,
    ProjectionQueries,
    SearchQueries,
    Store,
    Transaction,
)
from tests.contracts.stores import Opener
from tests.store.sqlite.sample import NOW, entry, found, insert, put, revise, touch

TEXT = st.text(min_size=1, max_size=40)
MOMENT = st.datetimes().map(lambda when: when.strftime("%Y-%m-%dT%H:%M:%SZ"))
ORIGINS = st.builds(
    Origin, TEXT, st.none() | st.integers(0, 2**31), st.none() | TEXT, st.none() | st.just("user")
)
ENTRIES = st.builds(
    entry,
    content=TEXT,
    category=st.sampled_from(CATEGORIES),
    created_at=MOMENT,
    updated_at=MOMENT,
    context=st.none() | TEXT,
    priority=st.sampled_from(PRIORITIES),
    tags=st.lists(TEXT, max_size=3).map(tuple),
    related_to=st.lists(TEXT, max_size=3).map(tuple),
    source=TEXT,
    origins=st.lists(ORIGINS, max_size=2).map(tuple),
    trust=st.sampled_from(TRUSTS),
    expires_at=st.none() | MOMENT,
    token_estimate=st.integers(0, 10**6),
    archived=st.booleans(),
    superseded_by=st.none() | st.just("mem-zzzzzzzz"),
    version=st.integers(1, 99),
    strength=st.integers(0, 99),
    uses=st.integers(0, 99),
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=40,
)
@given(entries=st.lists(ENTRIES, min_size=1, max_size=5))
def test_entries_are_read_as_they_were_stored(store: Store, entries: list[Entry]) -> None:
    put(store, *entries)

    assert found(store, [entry.id for entry in entries]) == entries


def test_entries_survive_closing_and_opening(open_store: Opener) -> None:
    kept = put(open_store(), entry())
    open_store().close()

    assert found(open_store(), [kept.id]) == [kept]


def test_entries_are_found_in_the_order_of_their_ids_without_unknown_ones(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)

    assert found(store, [two.id, "mem-unknown", one.id, two.id]) == [two, one]
    assert found(store, []) == []


@pytest.mark.parametrize("id_", ["", "\ud800", "\0", "%", "' OR 1=1 --", "x" * 10_000, "[1]"])
def test_a_malformed_id_is_unknown(store: Store, id_: str) -> None:
    put(store, entry())

    assert found(store, [id_]) == []
    with store.read() as snapshot:
        assert snapshot.by_ids([id_]) == {}


def test_entries_are_located_by_rows(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)

    with store.read() as snapshot:
        rows = {value.entry.id: value.row for value in snapshot.by_ids([one.id, two.id]).values()}
        assert snapshot.rows() == [rows[one.id], rows[two.id]]
        assert snapshot.entries_by_row([rows[two.id], 999]) == {rows[two.id]: two}


def test_an_id_cannot_be_used_twice(store: Store) -> None:
    kept = put(store, entry("first"))

    with pytest.raises(Exception, match="UNIQUE"):
        put(store, entry("second", id=kept.id))

    assert found(store, [kept.id]) == [kept]


def test_a_new_version_keeps_the_old_one(store: Store) -> None:
    first = put(store, entry("tea", tags=("drink",), origins=(Origin("chat", 3),)))
    second = revise(store, first.id, "corrected", content="green tea")
    third = revise(store, first.id, "archived", archived=True)

    with store.read() as snapshot:
        assert snapshot.history(first.id) == [
            Version(1, NOW, "stored", first),
            Version(2, NOW, "corrected", second),
            Version(3, NOW, "archived", third),
        ]
        assert snapshot.find([first.id]) == [third]
        assert snapshot.history("mem-unknown") == []


def test_an_imported_history_precedes_the_present_version(store: Store) -> None:
    now = entry("third wording", version=3)
    earlier = [
        Version(number, NOW, f"change {number}", replace(now, version=number, content=f"{number}"))
        for number in (1, 2)
    ]

    def operation(tx: Transaction) -> None:
        insert(tx, now)
        tx.add_history(now.id, earlier)

    store.write(operation)

    with store.read() as snapshot:
        assert snapshot.history(now.id) == [*earlier, Version(3, NOW, "stored", now)]


def test_entries_reworded_since_a_moment_are_listed_latest_first(store: Store) -> None:
    put(store, entry("never changed"))
    for number, moment in enumerate(("2026-11-16T00:00:00Z", "2026-11-18T00:00:00Z")):
        now = entry(f"wording {number}", version=2, updated_at=moment)
        store.write(lambda tx, now=now: insert(tx, now))

    def since(moment: str, limit: int = 9) -> list[str]:
        with store.read() as snapshot:
            return [match.entry.content for match in snapshot.revised_since(moment, limit)]

    assert since("2026-11-15T00:00:00Z") == ["wording 1", "wording 0"]
    assert since("2026-11-15T00:00:00Z", 1) == ["wording 1"]
    assert since("2026-11-17T00:00:00Z") == ["wording 1"]
    assert since("2026-11-18T00:00:00Z") == []


def test_touching_does_not_create_a_version(store: Store) -> None:
    kept = put(store, entry())
    touched = touch(store, kept.id, strength=2, related_to=("mem-00000000",))

    with store.read() as snapshot:
        assert snapshot.history(kept.id) == [Version(1, NOW, "stored", touched)]


def test_being_listed_is_not_a_use_but_being_read_is(store: Store) -> None:
    kept = put(store, entry())
    store.write(lambda tx: tx.record_shown([kept.id, "mem-unknown"], NOW, used=False))
    assert found(store, [kept.id])[0].uses == 0

    store.write(lambda tx: tx.record_shown([kept.id], NOW, used=True))
    assert found(store, [kept.id])[0].uses == 1


def test_all_entries_are_listed_in_the_order_of_insertion(store: Store) -> None:
    entries = [entry(f"number {i}", archived=i % 3 == 0) for i in range(1_201)]
    put(store, *entries)

    with store.read() as snapshot:
        assert list(snapshot.all_entries()) == entries


def test_a_failed_operation_changes_nothing(store: Store) -> None:
    kept = put(store, entry("kept"))
    before = counted(store)

    def operation(tx: Transaction) -> None:
        insert(tx, entry("lost"))
        tx.add_notice(NOW, "never said")
        old = tx.by_ids([kept.id])[kept.id]
        tx.revise(old, replace(kept, content="changed", version=2), "facts", "changed")
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        store.write(operation)

    assert counted(store) == before
    assert found(store, [kept.id]) == [kept]
    with store.read() as snapshot:
        assert snapshot.notices(5) == []
        assert len(snapshot.history(kept.id)) == 1


def counted(store: Store) -> tuple[object, ...]:
    with store.read() as snapshot:
        return snapshot.counts(), snapshot.file_sizes(), snapshot.outbox(), snapshot.pending_count()


def test_an_operation_reads_what_it_has_written(store: Store) -> None:
    kept = entry("tea")

    def operation(tx: Transaction) -> tuple[list[Entry], int]:
        insert(tx, kept)
        return tx.find([kept.id]), tx.counts().live

    assert store.write(operation) == ([kept], 1)


def test_the_latest_entries_come_first_and_all_are_counted(store: Store) -> None:
    entries = [
        entry(
            f"number {i}",
            updated_at=f"2026-11-{10 + i % 5}T00:00:00Z",
            category=CATEGORIES[i % 2],
            priority=PRIORITIES[i % 3],
            tags=("Müll",) if i % 4 == 0 else (),
            archived=i == 7,
            trust="untrusted" if i == 8 else "agent",
            source="import" if i % 5 == 0 else "session",
        )
        for i in range(20)
    ]
    put(store, *entries)
    order = sorted((stored for stored in entries if stored.live), key=lambda e: e.id, reverse=True)
    order.sort(key=lambda stored: stored.updated_at, reverse=True)

    def chosen(**same: object) -> list[Entry]:
        return [e for e in order if all(getattr(e, name) == v for name, v in same.items())]

    with store.read() as snapshot:
        assert snapshot.latest(limit=5) == chosen()[:5]
        assert snapshot.latest(limit=99) == chosen()
        assert snapshot.latest(limit=2, category="preference") == chosen(category="preference")[:2]
        assert snapshot.latest(limit=2, priority="critical") == chosen(priority="critical")[:2]
        assert snapshot.latest(limit=9, tag="MU\u0308LL") == chosen(tags=("Müll",))
        assert snapshot.latest(limit=9, without_tag="müll") == chosen(tags=())[:9]
        assert snapshot.latest(limit=99, without_source="import") == chosen(source="session")
        assert snapshot.count_of() == len(chosen())
        assert snapshot.count_of(priority="critical") == len(chosen(priority="critical"))
        assert snapshot.count_of(category="preference", tag="müll") == len(
            chosen(category="preference", tags=("Müll",))
        )
        assert snapshot.count_of(without_tag="müll") == len(chosen(tags=()))


def test_statements_of_the_owners_file_come_in_line_order(store: Store) -> None:
    later = entry("later", trust="owner", origins=(Origin("MEMORY.md", 9),))
    first = entry("first", trust="owner", priority="high", origins=(Origin("MEMORY.md", 2),))
    both = entry(
        "both",
        trust="owner",
        context="MEMORY.md › Rules",
        origins=(Origin("USER.md", 7), Origin("MEMORY.md", 5), Origin("MEMORY.md", 12)),
    )
    put(store, later, both, first)
    put(
        store,
        entry("agent", trust="agent", origins=(Origin("MEMORY.md", 1),)),
        entry("gone", trust="owner", archived=True, origins=(Origin("MEMORY.md", 3),)),
        entry("no line", trust="owner", origins=(Origin("MEMORY.md"),)),
        entry("elsewhere", trust="owner", origins=(Origin("notes/MEMORY.md", 4),)),
    )

    with store.read() as snapshot:
        found = snapshot.stated_in("MEMORY.md")
        texts = snapshot.entries_by_row(match.row for match in found)
        assert [texts[match.row] for match in found] == [first, both, later]
        assert [(match.priority, match.context) for match in found[:2]] == [
            ("high", ""),
            ("medium", "MEMORY.md › Rules"),
        ]
        assert [texts[match.row].content for match in snapshot.stated_in("USER.md")] == ["both"]
        assert snapshot.stated_in("SOUL.md") == []


def test_counts_cover_all_entries(store: Store) -> None:
    put(
        store,
        entry("1", category="fact", priority="high", token_estimate=3),
        entry("2", category="fact", priority="low", token_estimate=4),
        entry("3", category="person", priority="low", token_estimate=5),
        entry("4", archived=True, token_estimate=100),
        entry("5", superseded_by="mem-00000000", token_estimate=100),
        entry("6", trust="untrusted", token_estimate=100),
        entry("7", trust="untrusted", archived=True, token_estimate=100),
    )

    with store.read() as snapshot:
        counts = snapshot.counts()

    assert (counts.live, counts.archived, counts.untrusted, counts.tokens) == (3, 3, 1, 12)
    assert list(counts.by_category.items()) == [("fact", 2), ("person", 1)]
    assert list(counts.by_priority.items()) == [("low", 2), ("high", 1)]


def test_an_empty_store_counts_nothing(store: Store) -> None:
    with store.read() as snapshot:
        assert snapshot.counts().live == snapshot.counts().tokens == 0
        assert snapshot.file_sizes() == snapshot.outbox() == snapshot.rows() == []


def test_untrusted_entries_are_listed_until_they_are_decided(store: Store) -> None:
    one = put(store, entry("one", trust="untrusted"))
    two = put(store, entry("two", trust="untrusted"))
    revise(store, one.id, archived=True)

    with store.read() as snapshot:
        assert snapshot.untrusted() == [two]


def test_entries_are_found_by_the_lines_of_their_origin(store: Store) -> None:
    """Archived ones too: what was put away must not come back out of the file."""
    taken = entry("a", origins=(Origin("MEMORY.md", 4), Origin('notes/"x" é.md', 1)))
    archived = entry("b", origins=(Origin("MEMORY.md", 5),), archived=True)
    elsewhere = entry("c", origins=(Origin("MEMORY.md"), Origin("OTHER.md", 4)))
    put(store, taken, archived, elsewhere, entry("d"))

    with store.read() as snapshot:
        assert snapshot.with_origin_lines([]) == []
        assert snapshot.with_origin_lines([("MEMORY.md", 4)]) == [taken]
        assert snapshot.with_origin_lines([("MEMORY.md", n) for n in range(9)]) == [taken, archived]
        assert snapshot.with_origin_lines([('notes/"x" é.md', 1)]) == [taken]
        assert snapshot.with_origin_lines([("EMORY.md", 4), ("MEMORY.md", 44)]) == []


def test_expired_entries_are_due_until_they_are_archived(store: Store) -> None:
    gone = put(store, entry("gone", expires_at="2026-11-01T00:00:00Z"))
    put(store, entry("later", expires_at="2026-12-01T00:00:00Z"), entry("never"))
    put(store, entry("old", expires_at="2026-11-01T00:00:00Z", superseded_by=gone.id))

    with store.read() as snapshot:
        assert [match.entry for match in snapshot.past_expiry(NOW, 9)] == [gone]
        assert snapshot.past_expiry("2026-10-01T00:00:00Z", 9) == []
    revise(store, gone.id, archived=True)
    with store.read() as snapshot:
        assert snapshot.past_expiry(NOW, 9) == []


def test_state_and_notices_are_stored(open_store: Opener) -> None:
    store = open_store()
    store.write(lambda tx: tx.put_state("last_store", "yesterday"))
    store.write(lambda tx: (tx.put_state("last_store", "now"), tx.add_notice(NOW, "one")))
    store.write(lambda tx: tx.add_notice(NOW, "two"))
    store.close()

    with open_store().read() as snapshot:
        assert snapshot.get_state("last_store") == "now"
        assert snapshot.get_state("unknown") is None
        assert snapshot.notices(5) == [f"{NOW} two", f"{NOW} one"]
        assert snapshot.notices(1) == [f"{NOW} two"]


def test_a_closed_store_raises_an_error(store: Store) -> None:
    store.close()
    store.close()

    with pytest.raises(StoreClosed), store.read():
        pass
    with pytest.raises(StoreClosed):
        put(store, entry())
    with pytest.raises(StoreClosed):
        store.write_later(lambda tx: tx.add_to_outbox("facts:1"))


def test_background_writes_are_written_before_closing(open_store: Opener) -> None:
    store = open_store()
    for i in range(300):
        store.write_later(lambda tx, i=i: tx.add_notice(NOW, f"{i}"))
    store.close()

    with open_store().read() as snapshot:
        assert len(snapshot.notices(999)) == 300


def test_no_method_of_a_store_takes_a_scope() -> None:
    """A store belongs to one scope for good: nobody can ask it about another."""
    ports = (Store, EntryReader, DuplicateQueries, SearchQueries, ProjectionQueries, Transaction)
    methods = [getattr(port, name) for port in ports for name in vars(port) if name[0] != "_"]
    names = {
        name for method in methods if callable(method) for name in signature(method).parameters
    }

    assert {"id_", "where", "operation"} <= names
    assert not {name for name in names if "scope" in name or "session" in name}


def test_state_is_read_by_key_or_by_prefix(store: Store) -> None:
    def operation(tx: Transaction) -> None:
        for key in ("look of facts:1", "look of 茶:2", "look", "lookout", "writing facts:1"):
            tx.put_state(key, key.upper())

    store.write(operation)

    with store.read() as snapshot:
        assert snapshot.get_state("look") == "LOOK"
        assert snapshot.get_states("look of ") == {
            "facts:1": "LOOK OF FACTS:1",
            "茶:2": "LOOK OF 茶:2",
        }
        assert snapshot.get_states("nothing") == {}
