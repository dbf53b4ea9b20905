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
from remem.ports.records import Home, Where

NOW = "2026-11-15T12:00:00Z"
MODEL = ModelIdentity("sample", 8, "f16")
_numbers = count(1)


def entry(content: str = "David drinks his coffee black.", **fields: Any) -> Entry:
    """An entry with an id of its own; everything else is as in most of them."""
    fields = {"category": "fact", "created_at": NOW, "updated_at": NOW, **fields}
    return Entry(id=fields.pop("id", f"mem-{next(_numbers):08}"), content=content, **fields)


def home_of(entry: Entry) -> Home:
    """The first part of the file that an entry belongs to."""
    return Home(domain_stem(entry, ()), 1)


def insert(tx: Transaction, *entries: Entry) -> None:
    for entry in entries:
        tx.insert(entry, "stored", home_of(entry))


def put(store: Store, *entries: Entry) -> Entry:
    """Store entries in one transaction; the last of them comes back."""
    store.write(lambda tx: insert(tx, *entries))
    return entries[-1]


def revise(store: Store, id_: str, change: str = "changed", **fields: Any) -> Entry:
    """Give an entry a new version."""

    def operation(tx: Transaction) -> Entry:
        old = tx.find([id_])[id_]
        new = replace(old, version=old.version + 1, **fields)
        tx.update(new, home_of(new), change)
        return new

    return store.write(operation)


def touch(store: Store, id_: str, **fields: Any) -> Entry:
    def operation(tx: Transaction) -> Entry:
        new = replace(tx.find([id_])[id_], **fields)
        tx.update(new, tx.usage([id_])[id_].home)
        return new

    return store.write(operation)


def found(store: Store, ids: Sequence[str]) -> list[Entry]:
    """The entries with these ids, in their order."""
    with store.read() as snapshot:
        entries = snapshot.find(ids)
    return [entries[id_] for id_ in ids if id_ in entries]


def number_of(store: Store, where: Where) -> int:
    """How many entries there are."""
    with store.read() as snapshot:
        return sum(tally.entries for tally in snapshot.tally("all", where).values())


def unit(seed: int, dimension: int = MODEL.dimension) -> Floats:
    """A direction that is always the same for a seed."""
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.linalg.norm(vector)


def embed(
    store: Store, vectors: dict[str, Floats], model: ModelIdentity = MODEL, *, quick: bool = False
) -> None:
    """Give entries their vectors, as the background does."""

    def operation(tx: Transaction) -> None:
        tx.set_vector_models(model)
        known = tx.find(vectors)
        made = [(id_, known[id_].version, Embedding(vectors[id_])) for id_ in vectors]
        tx.save_vectors(model, made, quick=quick)

    store.write(operation)


def quickly(store: Store, vectors: dict[str, Floats], model: ModelIdentity = MODEL) -> None:
    """Give entries quick vectors, as the background does where very many wait."""
    embed(store, vectors, model, quick=True)
