"""What every store must know of the files that follow it."""

from __future__ import annotations

from remem.model.domain_routing import INDEX_FILE_KEY, PART_SIZE
from remem.model.entry import Filter
from remem.ports.entries import Store, Transaction
from remem.ports.records import OutboxItem, WrittenFile
from remem.text.similarity import fingerprint_of
from tests.contracts.stores import Opener
from tests.store.sqlite.sample import entry, put, revise, touch

WIDE = Filter(include_archived=True, include_untrusted=True)


def test_each_entry_is_in_one_file_and_files_have_parts(store: Store) -> None:
    entries = [entry(f"{i}", token_estimate=1) for i in range(PART_SIZE + 1)]
    put(store, *entries)

    with store.read() as snapshot:
        assert snapshot.file_sizes() == [("facts", 1, PART_SIZE, PART_SIZE), ("facts", 2, 1, 1)]
        assert snapshot.entries_in_file("facts", 1) == entries[:PART_SIZE]
        assert snapshot.entries_in_file("facts", 2) == entries[PART_SIZE:]


def test_parts_are_counted_over_several_transactions(store: Store) -> None:
    put(store, *(entry(f"a{i}") for i in range(PART_SIZE - 1)))
    put(store, entry("b"))
    last = put(store, entry("c"))

    with store.read() as snapshot:
        assert snapshot.entries_in_file("facts", 2) == [last]


def test_an_entry_that_changes_its_home_leaves_the_old_file(store: Store) -> None:
    kept = put(store, entry(trust="untrusted"))
    written(store)
    changed = revise(store, kept.id, trust="owner")

    with store.read() as snapshot:
        assert snapshot.entries_in_file("untrusted", 1) == []
        assert snapshot.entries_in_file("facts", 1) == [changed]
        assert {item.file for item in snapshot.outbox()} == {
            "untrusted:1",
            "facts:1",
            INDEX_FILE_KEY,
        }


def test_archived_and_superseded_entries_are_in_no_file(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    revise(store, one.id, archived=True)
    revise(store, two.id, superseded_by=one.id)

    with store.read() as snapshot:
        assert snapshot.entries_in_file("facts", 1) == snapshot.file_sizes() == []


def test_the_tags_of_a_file_come_most_frequent_first(store: Store) -> None:
    for tags in (("b", "C"), ("b",), ("c",), ("a",)):
        put(store, entry(" ".join(tags), tags=tags))
    gone = put(store, entry("gone", tags=("a",)))
    put(store, entry("other", category="person", tags=("z",)))
    revise(store, gone.id, archived=True)

    with store.read() as snapshot:
        assert snapshot.common_tags("facts", 9) == ["b", "c", "a"]
        assert snapshot.common_tags("facts", 1) == ["b"]
        assert snapshot.common_tags("nowhere", 9) == []


def written(store: Store) -> None:
    """Let every file that waits count as written."""
    with store.read() as snapshot:
        waiting = snapshot.outbox()

    def operation(tx: Transaction) -> None:
        for item in waiting:
            tx.record_written(item.file, item.seq, "digest", {})

    store.write(operation)


def outbox(store: Store) -> dict[str, int]:
    with store.read() as snapshot:
        return {item.file: item.seq for item in snapshot.outbox()}


def test_every_change_marks_the_files_to_write(open_store: Opener) -> None:
    store = open_store()
    kept = put(store, entry())
    assert set(outbox(store)) == {"facts:1", INDEX_FILE_KEY}

    for change in (
        lambda: revise(store, kept.id, content="other words"),
        lambda: touch(store, kept.id, strength=9),
        lambda: revise(store, kept.id, archived=True),
    ):
        written(store)
        assert outbox(store) == {}
        change()
        assert set(outbox(store)) == {"facts:1", INDEX_FILE_KEY}
    store.close()
    assert set(outbox(open_store())) == {"facts:1", INDEX_FILE_KEY}


def test_untrusted_entries_do_not_mark_the_index(store: Store) -> None:
    put(store, entry(trust="untrusted"))

    assert set(outbox(store)) == {"untrusted:1"}


def test_a_change_during_a_write_keeps_the_file_marked(store: Store) -> None:
    store.write(lambda tx: tx.add_to_outbox("facts:1"))
    under_way = outbox(store)["facts:1"]
    store.write(lambda tx: tx.add_to_outbox("facts:1"))

    store.write(lambda tx: tx.record_written("facts:1", under_way, "digest", {"mem-1": "item"}))

    assert outbox(store)["facts:1"] > under_way
    with store.read() as snapshot:
        assert snapshot.projected("facts:1") == WrittenFile("digest", {"mem-1": "item"})


def test_a_mark_after_writing_in_one_transaction_counts(store: Store) -> None:
    def operation(tx: Transaction) -> None:
        tx.add_to_outbox("facts:1")
        (waiting,) = tx.outbox()
        tx.record_written("facts:1", waiting.seq, "digest", {})
        tx.add_to_outbox("facts:1")

    store.write(operation)

    assert set(outbox(store)) == {"facts:1"}


def test_the_written_content_of_a_file_is_recorded(store: Store) -> None:
    store.write(lambda tx: tx.record_written("facts:1", 0, "one", {}))
    store.write(lambda tx: tx.record_written("facts:1", 0, "two", {"mem-1": "x"}))

    with store.read() as snapshot:
        assert snapshot.projected("facts:1") == WrittenFile("two", {"mem-1": "x"})
        assert snapshot.projected("people:1") is None
        assert snapshot.projected_files() == ["facts:1"]


def test_marked_files_have_increasing_numbers(store: Store) -> None:
    numbers = []
    for _ in range(3):
        store.write(lambda tx: tx.add_to_outbox("facts:1"))
        numbers.append(outbox(store)["facts:1"])
        written(store)

    assert numbers == sorted(set(numbers))
    with store.read() as snapshot:
        assert snapshot.outbox() == list[OutboxItem]()


def test_derived_tables_can_be_dropped_and_rebuilt(store: Store) -> None:
    put(store, *(entry(f"word{i} tea", tags=("t",), archived=i == 2) for i in range(4)))
    fingerprint = fingerprint_of("word1 tea")

    def view() -> object:
        with store.read() as snapshot:
            return (
                snapshot.keyword(["tea"], WIDE, 9),
                snapshot.same_as("fact", "agent", fingerprint),
                snapshot.similar_to("fact", "agent", fingerprint),
                snapshot.common_tags("facts", 9),
                snapshot.latest(tag="t", limit=9),
                snapshot.pending_count(),
            )

    before = view()
    waiting = outbox(store)

    def operation(tx: Transaction) -> None:
        tx.drop_derived_data()
        tx.rebuild_derived_data(tx.rows())

    store.write(operation)

    assert view() == before
    assert outbox(store) == waiting
