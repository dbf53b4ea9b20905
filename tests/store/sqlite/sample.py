"""Plain entries for the store's tests, and short ways to write and change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from remem.model.domain_routing import domain_stem
from remem.model.entry import Entry
from remem.ports.entries import Store, Transaction
from remem.ports.models import Embedding, Floats, ModelIdentity
from remem.text.similarity import fingerprint_of

NOW = "2026-11-15T12:00:00Z"
MODEL = ModelIdentity("sample", 8, "f16")
_numbers = count(1)


def entry(content: str = "David drinks his coffee black.", **fields: Any) -> Entry:
    """An entry with an id of its own; everything else is as in most of them."""
    fields = {"category": "fact", "created_at": NOW, "updated_at": NOW, **fields}
    return Entry(id=fields.pop("id", f"mem-{next(_numbers):08}"), content=content, **fields)


def insert(tx: Transaction, *entries: Entry) -> None:
    for entry in entries:
        tx.insert(entry, fingerprint_of(entry.content), domain_stem(entry, ()), "stored")


def put(store: Store, *entries: Entry) -> Entry:
    """Store entries in one transaction; the last of them comes back."""
    store.write(lambda tx: insert(tx, *entries))
    return entries[-1]


def revise(store: Store, id_: str, change: str = "changed", **fields: Any) -> Entry:
    """Give an entry a new version."""

    def operation(tx: Transaction) -> Entry:
        old = tx.by_ids([id_])[id_]
        new = replace(old.entry, version=old.entry.version + 1, **fields)
        tx.revise(old, new, domain_stem(new, ()), change)
        return new

    return store.write(operation)


def touch(store: Store, id_: str, **fields: Any) -> Entry:
    def operation(tx: Transaction) -> Entry:
        old = tx.by_ids([id_])[id_]
        new = replace(old.entry, **fields)
        tx.update_in_place(old, new)
        return new

    return store.write(operation)


def found(store: Store, ids: Sequence[str]) -> list[Entry]:
    with store.read() as snapshot:
        return snapshot.find(ids)


def row_of(store: Store, id_: str) -> int:
    with store.read() as snapshot:
        return snapshot.by_ids([id_])[id_].row


def unit(seed: int, dimension: int = MODEL.dimension) -> Floats:
    """A direction that is always the same for a seed."""
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def embed(store: Store, vectors: dict[str, Floats], model: ModelIdentity = MODEL) -> None:
    """Give entries their vectors, as the background does."""

    def operation(tx: Transaction) -> None:
        tx.set_vector_models(model)
        known = tx.by_ids(list(vectors))
        rows = [
            (known[id_].row, known[id_].entry.version, Embedding(vector))
            for id_, vector in vectors.items()
        ]
        tx.save_vectors(model, rows)

    store.write(operation)


def quickly(store: Store, vectors: dict[str, Floats], model: ModelIdentity = MODEL) -> None:
    """Give entries quick vectors, as the background does where very many wait."""

    def operation(tx: Transaction) -> None:
        tx.set_vector_models(model)
        known = tx.by_ids(list(vectors))
        tx.save_quick_vectors(
            model,
            [
                (known[id_].row, known[id_].entry.version, Embedding(vector))
                for id_, vector in vectors.items()
            ],
        )

    store.write(operation)
