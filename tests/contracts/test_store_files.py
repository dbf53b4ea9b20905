"""What every store must know of the files that follow it."""

from __future__ import annotations

from remem.model.entry import Filter
from remem.ports.entries import Store, Transaction
from remem.ports.records import Home, OutboxItem, Tally, Where
from remem.text.similarity import fingerprint_of
from tests.store.sqlite.sample import entry, put, revise

WIDE = Filter(include_archived=True, include_untrusted=True)


def test_each_entry_is_in_one_file_and_files_have_parts(store: Store) -> None:
    one, two, three = entry("one", token_estimate=2), entry("two"), entry("three")

    def operation(tx: Transaction) -> None:
        tx.insert(one, "stored", Home("facts", 1))
        tx.insert(two, "stored", Home("facts", 2))
        tx.insert(three, "stored", Home("facts", 1))

    store.write(operation)

    with store.read() as snapshot:
        assert snapshot.usage([two.id])[two.id].home == ("facts", 2)
        assert snapshot.select(Where(home=Home("facts", 1))) == [one, three]
        assert snapshot.select(Where(stem="facts")) == [one, two, three]
        assert snapshot.tally("home", Where()) == {
            "facts:1": Tally(2, 2),
            "facts:2": Tally(1, 0),
        }


def test_an_entry_that_changes_its_home_leaves_the_old_file(store: Store) -> None:
    kept = put(store, entry(trust="untrusted"))
    changed = revise(store, kept.id, trust="owner")

    with store.read() as snapshot:
        assert snapshot.select(Where(state="current", stem="untrusted")) == []
        assert snapshot.select(Where(home=Home("facts", 1))) == [changed]
    store.write(lambda tx: tx.update(changed, Home("facts", 3)))
    with store.read() as snapshot:
        assert snapshot.usage([kept.id])[kept.id].home == ("facts", 3)
        assert len(snapshot.history(kept.id)) == 2


def test_the_tags_of_a_file_come_most_frequent_first(store: Store) -> None:
    for tags in (("b", "C"), ("b",), ("c",), ("a",)):
        put(store, entry(" ".join(tags), tags=tags))
    gone = put(store, entry("gone", tags=("a",)))
    put(store, entry("other", category="person", tags=("z",)))
    revise(store, gone.id, archived=True)

    with store.read() as snapshot:
        assert list(snapshot.tally("tag", Where(stem="facts"))) == ["b", "c", "a"]
        assert snapshot.tally("tag", Where(stem="nowhere")) == {}


def written(store: Store) -> None:
    """Let every file that waits count as written."""
    with store.read() as snapshot:
        waiting = snapshot.outbox()

    def operation(tx: Transaction) -> None:
        for item in waiting:
            tx.remove_from_outbox(item.file, item.seq)

    store.write(operation)


def outbox(store: Store) -> dict[str, int]:
    with store.read() as snapshot:
        return {item.file: item.seq for item in snapshot.outbox()}


def test_a_change_during_a_write_keeps_the_file_marked(store: Store) -> None:
    store.write(lambda tx: tx.add_to_outbox("facts:1"))
    under_way = outbox(store)["facts:1"]
    store.write(lambda tx: tx.add_to_outbox("facts:1"))

    store.write(lambda tx: tx.remove_from_outbox("facts:1", under_way))

    assert outbox(store)["facts:1"] > under_way


def test_a_mark_after_writing_in_one_transaction_counts(store: Store) -> None:
    def operation(tx: Transaction) -> None:
        tx.add_to_outbox("facts:1")
        (waiting,) = tx.outbox()
        tx.remove_from_outbox("facts:1", waiting.seq)
        tx.add_to_outbox("facts:1")

    store.write(operation)

    assert set(outbox(store)) == {"facts:1"}


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
                snapshot.duplicates("same", "fact", "agent", fingerprint),
                snapshot.duplicates("similar", "fact", "agent", fingerprint),
                snapshot.tally("tag", Where(stem="facts")),
                snapshot.select(Where(tag="t")),
                snapshot.vector_state().pending,
            )

    before = view()
    waiting = outbox(store)

    store.write(lambda tx: tx.rebuild_search())

    assert view() == before
    assert outbox(store) == waiting


def test_the_change_mark_differs_after_every_change_to_an_entry(store: Store) -> None:
    def mark() -> str:
        with store.read() as snapshot:
            return snapshot.change_mark()

    marks = [mark()]
    kept = put(store, entry())
    marks.append(mark())
    store.write(lambda tx: (tx.update(kept, Home("facts", 2)), tx.add_to_outbox("facts:2")))
    marks.append(mark())
    put(store, entry("another"))
    marks.append(mark())
    store.write(lambda tx: tx.record_use([kept.id], "2026-01-01T00:00:00Z", was_used=True))

    assert len(set(marks)) == len(marks)
    assert mark() == marks[-1]
