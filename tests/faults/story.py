"""A short series of operations on a store whose disk fails, and what it acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from remem.entries.notices import add_notice
from remem.errors import StoreError
from remem.model.entry import Entry
from remem.ports.entries import Transaction
from remem.ports.models import Embedding
from remem.store.sqlite.entries import SqliteStore
from tests.faults.ledger import Ack, Ledger, digest
from tests.store.sqlite.sample import MODEL, entry, home_of, put, unit

_MOST_AT_ONCE = 2  # entries that one step makes


@dataclass
class Told:
    """What the store said: which wordings are safe, and which errors it gave.

    Any error but one of ours is a bug, and goes on to whoever runs the story.
    """

    ledger: Ledger = field(default_factory=Ledger)
    errors: list[StoreError] = field(default_factory=list)
    pair: tuple[str, ...] = ()

    def attempt(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except StoreError as error:
            self.errors.append(error)
            self.ledger.cut_short += _MOST_AT_ONCE
            return None

    def safe(self, *entries: Entry) -> None:
        self.ledger.acks += [
            Ack(entry.id, entry.version, digest(entry.content), entry.content.split()[0])
            for entry in entries
        ]


def live(path: Path, vfs: str) -> Told:
    """Open, store, embed, change, close; whatever fails, go on."""
    told = Told()
    store = told.attempt(lambda: SqliteStore(path, vfs=vfs))
    if store is not None:
        _write(store, told)
        told.attempt(store.close)
    return told


def _write(store: SqliteStore, told: Told) -> None:
    short, long = entry("alpha is short"), entry(f"bravo {'is long ' * 3_000}")
    pair = entry("charlie comes with another"), entry("delta is that other one")
    told.pair = tuple(stored.id for stored in pair)
    for group in ((short,), (long,), pair):
        if told.attempt(lambda group=group: put(store, *group)):
            told.safe(*group)
    told.attempt(lambda: store.write(_embed))
    for old, words in ((short, "alpha has changed"), (long, "bravo is short now")):
        if new := told.attempt(lambda old=old, words=words: store.write(_reword(old.id, words))):
            told.safe(new)
    told.attempt(lambda: store.write(lambda tx: add_notice(tx, "now", "something")))
    last = entry("echo is the last one")
    if told.attempt(lambda: put(store, last)):
        told.safe(last)


def _embed(tx: Transaction) -> None:
    tx.set_vector_models(MODEL)
    vectors = [
        (item.id, item.version, Embedding(unit(number)))
        for number, item in enumerate(tx.pending(9))
    ]
    tx.save_vectors(MODEL, vectors)


def _reword(id_: str, words: str) -> Callable[[Transaction], Entry | None]:
    """A new version, if the entry is there: its own step may have failed."""

    def operation(tx: Transaction) -> Entry | None:
        old = tx.find([id_]).get(id_)
        if old is None:
            return None
        new = replace(old, content=words, version=old.version + 1)
        tx.update(new, home_of(new), "changed")
        return new

    return operation
