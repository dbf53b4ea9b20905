from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from remem.model.entry import Entry, Filter
from remem.ports.entries import Transaction
from remem.store.sqlite.batched_insert import BatchedInserts
from remem.store.sqlite.entries import SqliteStore
from remem.text.similarity import Fingerprint, fingerprint_of
from tests.store.sqlite.sample import NOW, entry, found, insert, put, row_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


@dataclass(frozen=True)
class IncomingText:
    id: str
    fingerprint: Fingerprint


def incoming(*entries: Entry) -> list[IncomingText]:
    return [IncomingText(each.id, fingerprint_of(each.content)) for each in entries]


def prefetch(tx: Transaction, *entries: Entry) -> list[IncomingText]:
    assert isinstance(tx, BatchedInserts)
    told = incoming(*entries)
    tx.prefetch(told)
    return told


def arrive(tx: Transaction, entries: list[Entry], told: list[IncomingText]) -> None:
    for each, one in zip(entries, told, strict=True):
        assert tx.is_new_text(each.id, one.fingerprint)
        tx.insert(each, one.fingerprint, "facts", "stored")


TEXTS = [f"The kettle number {i} stands on shelf {i * 7}" for i in range(6)]


def test_entries_that_were_foreseen_are_written_together(store: SqliteStore) -> None:
    entries = [entry(text) for text in TEXTS]

    def operation(tx: Transaction) -> int:
        arrive(tx, entries, prefetch(tx, *entries))
        assert isinstance(tx, BatchedInserts)
        return len(tx._pending)

    assert store.write(operation) == len(TEXTS)
    assert found(store, [each.id for each in entries]) == entries


def test_whoever_looks_sees_what_waits(store: SqliteStore) -> None:
    entries = [entry(text) for text in TEXTS]

    def operation(tx: Transaction) -> None:
        arrive(tx, entries, prefetch(tx, *entries))
        assert tx.counts().live == len(TEXTS)
        assert list(tx.by_ids([entries[3].id])) == [entries[3].id]
        assert tx.keyword(["kettle"], Filter(), 10).total == len(TEXTS)

    store.write(operation)


def test_a_store_that_forgot_what_waits_would_be_noticed(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry(text) for text in TEXTS]
    monkeypatch.setattr(BatchedInserts, "flush", lambda self: None)

    store.write(lambda tx: arrive(tx, entries, prefetch(tx, *entries)))

    assert found(store, [each.id for each in entries]) == []


def test_what_was_not_foreseen_is_written_at_once(store: SqliteStore) -> None:
    entries = [entry(text) for text in TEXTS]

    def operation(tx: Transaction) -> int:
        prefetch(tx, *entries[:5])
        insert(tx, entries[5])
        assert isinstance(tx, BatchedInserts)
        return len(tx._pending)

    assert store.write(operation) == 0


def test_a_row_number_is_never_given_again(store: SqliteStore) -> None:
    put(store, entry("one"))
    last = put(store, entry("two"))
    number = row_of(store, last.id)

    store.write(lambda tx: tx.erase(tx.by_ids([last.id])[last.id], NOW))
    after = [entry(text) for text in TEXTS]
    store.write(lambda tx: arrive(tx, after, prefetch(tx, *after)))

    assert [row_of(store, each.id) for each in after] == list(range(number + 1, number + 7))


def test_what_is_reworded_meanwhile_is_looked_up_anew(store: SqliteStore) -> None:
    old = put(store, entry("The boat lies in the harbour."))
    new = [entry(text) for text in ("The boat is sold.", *TEXTS)]

    def operation(tx: Transaction) -> bool:
        told = prefetch(tx, *new)
        known = tx.by_ids([old.id])[old.id]
        changed = entry("The boat is sold.", id=old.id, version=2)
        tx.revise(known, changed, "facts", "changed")
        return tx.is_new_text(new[0].id, told[0].fingerprint)

    assert not store.write(operation)


def test_what_is_erased_meanwhile_is_no_news(store: SqliteStore) -> None:
    old = put(store, entry("The boat lies in the harbour."))
    new = [entry(text) for text in ("The boat lies in the harbour.", *TEXTS)]

    def operation(tx: Transaction) -> bool:
        told = prefetch(tx, *new)
        tx.erase(tx.by_ids([old.id])[old.id], NOW)
        return tx.is_new_text(new[0].id, told[0].fingerprint)

    assert not store.write(operation)


def test_foresight_says_what_each_lookup_says(store: SqliteStore) -> None:
    known = [entry(f"{text}. {text} again, and once more") for text in TEXTS]
    put(store, *known, entry("said before"))
    texts = [*TEXTS, known[0].content, f"{known[1].content}. And more.", "said before", "x y z"]
    new = [entry(text) for text in texts] + [entry("taken", id=known[2].id)]

    def news(tx: Transaction, told: list[IncomingText]) -> list[object]:
        return [
            (
                tx.is_new_text(each.id, each.fingerprint),
                tx.similar_to("fact", "agent", each.fingerprint),
            )
            for each in told
        ]

    def operation(tx: Transaction) -> tuple[list[object], list[object]]:
        one_by_one = news(tx, incoming(*new))
        return one_by_one, news(tx, prefetch(tx, *new))

    one_by_one, foreseen = store.write(operation)

    assert foreseen == one_by_one
    assert len({each[0] for each in foreseen}) == 2  # type: ignore[index]
