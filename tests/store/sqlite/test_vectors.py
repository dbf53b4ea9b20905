from __future__ import annotations

from pathlib import Path

import numpy as np

from remem.model.entry import Filter
from remem.ports.models import ModelIdentity
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import embed, entry, put

WIDE = ModelIdentity("wide", 256, "f16")


def test_sign_bits_preselect_the_nearest_among_thousands(tmp_path: Path) -> None:
    """Neighbours as real models make them: around topics, not anywhere in space."""
    random = np.random.default_rng(3)
    topics = random.standard_normal((60, 256))
    vectors = topics[random.integers(0, 60, 3_000)] + random.standard_normal((3_000, 256))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    entries = [entry(f"{i}") for i in range(3_000)]
    store = SqliteStore(tmp_path / "entries.db")
    put(store, *entries)
    embed(store, {stored.id: vectors[i] for i, stored in enumerate(entries)}, WIDE)

    numbers = {stored.id: i for i, stored in enumerate(entries)}
    found = 0
    with store.read() as snapshot:
        for i in range(30):
            query = vectors[i] + 0.05 * random.standard_normal(256)
            query = (query / np.linalg.norm(query)).astype(np.float32)
            best = set(np.argsort(-(vectors @ query))[:10])
            hits = snapshot.nearest(WIDE, query, Filter(), 10)
            found += len(best & {numbers[id_] for id_, _ in hits})
    store.close()

    assert found >= 297  # of 300


def test_equal_vectors_come_in_the_order_of_storing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "entries.db")
    entries = [entry(f"{i}") for i in range(50)]
    put(store, *entries)
    vector = np.ones(256, np.float32) / 16
    embed(store, {stored.id: vector for stored in reversed(entries)}, WIDE)

    with store.read() as snapshot:
        hits = snapshot.nearest(WIDE, vector, Filter(), 50)
    store.close()

    assert [id_ for id_, _ in hits] == [stored.id for stored in entries]
