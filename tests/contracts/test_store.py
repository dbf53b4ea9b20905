"""What every store must do with entries. Search, duplicates and files have
their own suites in this folder."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.entries.notices import add_notice, latest_notices
from remem.errors import StoreClosed, StoreDamaged, StoreError
from remem.model.entry import (
    ARCHIVE_REASONS,
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Entry,
    Origin,
    Version,
)
from remem.ports.entries import EntryReader, SearchIndex, Store, Transaction
from remem.ports.records import Tally, Where, WrittenFile
from remem.ports.state import ACTIVITY, Namespace
from tests.contracts.stores import Opener
from tests.store.sqlite.sample import (
    NOW,
    entry,
    found,
    home_of,
    insert,
    number_of,
    put,
    revise,
    touch,
)
from tests.tables import each_row

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
    archive_reason=st.none() | st.sampled_from(ARCHIVE_REASONS),
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


def test_entries_are_found_in_the_order_of_storing_without_unknown_ones(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)

    with store.read() as snapshot:
        for _ in range(2):
            entries = snapshot.find([two.id, "mem-unknown", one.id, two.id])
            assert list(entries.items()) == [(one.id, one), (two.id, two)]
        assert snapshot.find([]) == {}
        assert snapshot.ids() == [one.id, two.id]


@each_row("id_", ["", "\ud800", "\0", "%", "' OR 1=1 --", "x" * 10_000, "[1]"])
def test_a_malformed_id_is_unknown(store: Store, id_: str) -> None:
    put(store, entry())

    assert found(store, [id_]) == []
    with store.read() as snapshot:
        assert snapshot.usage([id_]) == {}


def test_an_id_cannot_be_used_twice(store: Store) -> None:
    kept = put(store, entry("first"))

    with pytest.raises(StoreError, match="already exists"):
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
        assert snapshot.find([first.id]) == {first.id: third}
        assert snapshot.history("mem-unknown") == []


def test_an_imported_history_precedes_the_present_version(store: Store) -> None:
    now = entry("third wording", version=3)
    earlier = [
        Version(number, NOW, f"change {number}", replace(now, version=number, content=f"{number}"))
        for number in (1, 2)
    ]

    store.write(lambda tx: tx.insert(now, "stored", home_of(now), history=earlier))

    with store.read() as snapshot:
        assert snapshot.history(now.id) == [*earlier, Version(3, NOW, "stored", now)]


def test_entries_reworded_since_a_moment_are_listed_latest_first(store: Store) -> None:
    put(store, entry("never changed"))
    for number, moment in enumerate(("2026-11-16T00:00:00Z", "2026-11-18T00:00:00Z")):
        now = entry(f"wording {number}", version=2, updated_at=moment)
        store.write(lambda tx, now=now: insert(tx, now))

    def since(moment: str, limit: int = 9) -> list[str]:
        with store.read() as snapshot:
            where = Where(state="any", revised_after=moment)
            return [match.content for match in snapshot.select(where, "latest", limit)]

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
    store.write(lambda tx: tx.record_use([kept.id, "mem-unknown"], NOW, was_used=False))
    assert found(store, [kept.id])[0].uses == 0

    store.write(lambda tx: tx.record_use([kept.id], NOW, was_used=True))
    assert found(store, [kept.id])[0].uses == 1


def test_all_entries_are_listed_in_the_order_of_insertion(store: Store) -> None:
    entries = [entry(f"number {i}", archived=i % 3 == 0) for i in range(601)]
    put(store, *entries)

    with store.read() as snapshot:
        assert snapshot.select(Where(state="any")) == entries
        assert snapshot.ids() == [stored.id for stored in entries]
        assert snapshot.select(Where(state="any"), limit=2) == entries[:2]


def test_a_failed_operation_changes_nothing(store: Store) -> None:
    kept = put(store, entry("kept"))
    before = counted(store)

    def operation(tx: Transaction) -> None:
        insert(tx, entry("lost"))
        add_notice(tx, NOW, "never said")
        tx.update(replace(kept, content="changed", version=2), home_of(kept), "changed")
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        store.write(operation)

    assert counted(store) == before
    assert found(store, [kept.id]) == [kept]
    with store.read() as snapshot:
        assert latest_notices(snapshot, 5) == []
        assert len(snapshot.history(kept.id)) == 1


def counted(store: Store) -> tuple[object, ...]:
    with store.read() as snapshot:
        counts = snapshot.tally("home", Where(state="any"))
        return counts, snapshot.outbox(), snapshot.vector_state().pending


def test_an_operation_reads_what_it_has_written(store: Store) -> None:
    kept = entry("tea")

    def operation(tx: Transaction) -> list[list[Entry]]:
        insert(tx, kept)
        before = list(tx.find([kept.id]).values())
        tx.update(replace(kept, strength=2), home_of(kept))
        return [before, list(tx.find([kept.id]).values()), tx.select(Where())]

    changed = replace(kept, strength=2)
    assert store.write(operation) == [[kept], [changed], [changed]]


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
        for where, expected in (
            (Where(), chosen()),
            (Where(category="preference"), chosen(category="preference")),
            (Where(priority="critical"), chosen(priority="critical")),
            (Where(tag="MU\u0308LL"), chosen(tags=("Müll",))),
            (Where(without_tag="müll"), chosen(tags=())),
            (Where(excluded_source="import"), chosen(source="session")),
            (
                Where(category="preference", tag="müll"),
                chosen(category="preference", tags=("Müll",)),
            ),
        ):
            assert snapshot.select(where, "latest") == expected, where
            assert snapshot.select(where, "latest", 2) == expected[:2], where
            assert number_of(store, where) == len(expected), where


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
        for file, expected in (
            ("MEMORY.md", [first, both, later]),
            ("USER.md", [both]),
            ("SOUL.md", []),
        ):
            stated = Where(trust="owner", from_source=file)
            assert snapshot.select(stated, "position") == expected


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
        by_category = snapshot.tally("category", Where())
        assert list(by_category.items()) == [("fact", Tally(2, 7)), ("person", Tally(1, 5))]
        by_priority = snapshot.tally("priority", Where())
        assert list(by_priority.items()) == [("low", Tally(2, 9)), ("high", Tally(1, 3))]
        assert snapshot.tally("trust", Where(state="current")) == {
            "agent": Tally(3, 12),
            "untrusted": Tally(1, 100),
        }
        assert snapshot.tally("all", Where(state="archived")) == {"all": Tally(3, 300)}


def test_an_empty_store_counts_nothing(store: Store) -> None:
    with store.read() as snapshot:
        assert snapshot.outbox() == snapshot.ids() == snapshot.select(Where(state="any")) == []
        assert snapshot.tally("all", Where(state="any")) == {}


def test_untrusted_entries_are_listed_until_they_are_decided(store: Store) -> None:
    one = put(store, entry("one", trust="untrusted"))
    two = put(store, entry("two", trust="untrusted"))
    revise(store, one.id, archived=True)

    with store.read() as snapshot:
        assert snapshot.select(Where(state="current", trust="untrusted")) == [two]


def test_entries_are_found_by_the_lines_of_their_origin(store: Store) -> None:
    """Archived ones too: what was put away must not come back out of the file."""
    taken = entry("a", origins=(Origin("MEMORY.md", 4), Origin('notes/"x" é.md', 1)))
    archived = entry("b", origins=(Origin("MEMORY.md", 5),), archived=True)
    elsewhere = entry("c", origins=(Origin("MEMORY.md"), Origin("OTHER.md", 4)))
    put(store, taken, archived, elsewhere, entry("d"))

    with store.read() as snapshot:
        for lines, expected in (
            ([], []),
            ([("MEMORY.md", 4)], [taken]),
            ([("MEMORY.md", number) for number in range(9)], [taken, archived]),
            ([('notes/"x" é.md', 1)], [taken]),
            ([("EMORY.md", 4), ("MEMORY.md", 44)], []),
            ([("MEMORY.md", 5), *((f"{number}.md", 1) for number in range(2_000))], [archived]),
        ):
            assert snapshot.select(Where(state="any", from_lines=tuple(lines))) == expected


def test_expired_entries_are_due_until_they_are_archived(store: Store) -> None:
    gone = put(store, entry("gone", expires_at="2026-11-01T00:00:00Z"))
    put(store, entry("later", expires_at="2026-12-01T00:00:00Z"), entry("never"))
    put(store, entry("old", expires_at="2026-11-01T00:00:00Z", superseded_by=gone.id))

    with store.read() as snapshot:
        assert snapshot.select(Where(state="current", expires_until=NOW)) == [gone]
        earlier = Where(state="current", expires_until="2026-10-01T00:00:00Z")
        assert snapshot.select(earlier) == []
    archived = revise(store, gone.id, archived=True, archive_reason="expired")
    with store.read() as snapshot:
        assert snapshot.select(Where(state="current", expires_until=NOW)) == []
        too_early = Where(archived_as="expired", expires_after="2026-10-01T00:00:00Z")
        assert snapshot.select(too_early) == [archived]
        assert snapshot.select(Where(archived_as="expired", expires_after=NOW)) == []


def test_entries_are_found_by_their_links(store: Store) -> None:
    one = put(store, entry("one"))
    two = put(store, entry("two", related_to=(one.id,), archived=True))

    with store.read() as snapshot:
        assert snapshot.select(Where(state="any", links_to=one.id)) == [two]
        assert snapshot.select(Where(state="any", links_to=two.id)) == []


def test_state_and_notices_are_stored(open_store: Opener) -> None:
    store = open_store()
    store.write(lambda tx: tx.put_record(ACTIVITY, "store", "yesterday"))
    store.write(lambda tx: (tx.put_record(ACTIVITY, "store", "now"), add_notice(tx, NOW, "one")))
    store.write(lambda tx: add_notice(tx, NOW, "two"))
    store.close()

    with open_store().read() as snapshot:
        assert snapshot.record(ACTIVITY, "store") == "now"
        assert snapshot.record(ACTIVITY, "unknown") is None
        assert latest_notices(snapshot, 5) == [f"{NOW} two", f"{NOW} one"]
        assert latest_notices(snapshot, 1) == [f"{NOW} two"]


def test_a_closed_store_raises_an_error(store: Store) -> None:
    store.close()
    store.close()

    with pytest.raises(StoreClosed), store.read():
        pass
    with pytest.raises(StoreClosed):
        put(store, entry())


def test_no_method_of_a_store_takes_a_scope() -> None:
    """A store belongs to one scope for good: nobody can ask it about another."""
    ports = (Store, EntryReader, SearchIndex, Transaction)
    methods = [getattr(port, name) for port in ports for name in vars(port) if name[0] != "_"]
    names = {
        name for method in methods if callable(method) for name in signature(method).parameters
    }

    assert {"id_", "where", "operation"} <= names
    assert not {name for name in names if "scope" in name or "session" in name}


PLANNED: Namespace[WrittenFile] = Namespace("planned", WrittenFile)


def test_records_are_read_by_key_or_all_at_once(store: Store) -> None:
    one, two = WrittenFile("d1", {"mem-1": "x"}), WrittenFile("d2", {})

    def operation(tx: Transaction) -> None:
        tx.put_record(PLANNED, "茶:2", two)
        tx.put_record(PLANNED, "facts:1", one)
        tx.put_record(ACTIVITY, "facts:1", "another namespace")

    store.write(operation)

    with store.read() as snapshot:
        assert snapshot.record(PLANNED, "facts:1") == one
        assert snapshot.record(PLANNED) is None
        assert list(snapshot.records(PLANNED).items()) == [("facts:1", one), ("茶:2", two)]
        assert snapshot.records(Namespace("page", str)) == {}
    store.write(lambda tx: tx.put_record(PLANNED, "facts:1", None))
    with store.read() as snapshot:
        assert snapshot.record(PLANNED, "facts:1") is None
        assert snapshot.record(ACTIVITY, "facts:1") == "another namespace"


def test_records_of_any_text_survive_a_rebuild_of_the_search(store: Store) -> None:
    text = "prix\u202f: 5\u00a0€ 全角\u3000空白 👩\u200d🌾 \u00ad"
    verdict = Namespace[str]("verdict", str)
    store.write(lambda tx: tx.put_record(verdict, "a\u00a0b", text))

    store.write(lambda tx: tx.rebuild_search())

    with store.read() as snapshot:
        assert snapshot.record(verdict, "a\u00a0b") == text


def test_erasing_an_entry_removes_it_from_records(store: Store) -> None:
    gone, kept = put(store, entry("gone")), put(store, entry("kept"))

    def operation(tx: Transaction) -> None:
        tx.put_record(PLANNED, "facts:1", WrittenFile("d", {gone.id: "x", kept.id: "y"}))
        tx.put_record(Namespace("decay notice", str), "", f"{gone.id} faded")
        add_notice(tx, NOW, f"{gone.id} was archived")
        add_notice(tx, NOW, f"{kept.id} was archived")
        tx.erase(gone.id, NOW)

    store.write(operation)

    with store.read() as snapshot:
        assert snapshot.record(PLANNED, "facts:1") == WrittenFile("d", {kept.id: "y"})
        assert snapshot.record(Namespace("decay notice", str)) is None
        assert latest_notices(snapshot, 9) == [f"{NOW} {kept.id} was archived"]


def test_a_damaged_record_is_reported_unless_it_is_expendable(store: Store) -> None:
    store.write(lambda tx: tx.put_record(Namespace("verdict", str), "1", "no verdict"))
    store.write(lambda tx: tx.put_record(Namespace("signature", str), "1", "no signature"))

    with store.read() as snapshot:
        assert snapshot.records(Namespace("signature", tuple[int, int])) == {}
        with pytest.raises(StoreDamaged, match="verdict"):
            snapshot.records(Namespace("verdict", int))
