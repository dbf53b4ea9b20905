"""Which entries have no vector yet? Makes them in small batches, outside any lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from remem.errors import EmbedderMismatch
from remem.ports import Embedder, Embedding, ModelIdentity, Pending, Store, Transaction

BATCH: Final = 32


def want(store: Store, embedder: Embedder) -> None:
    """Have the store queue whatever lacks a vector of this model."""
    identity = embedder.identity
    with store.read() as snapshot:
        if snapshot.note("model") == str(identity):
            return
    store.write(lambda tx: tx.want_vectors(identity))


def embed_pending(
    store: Store,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make vectors until none is missing, or `limit` are made; returns how many were."""
    want(store, embedder)
    done = 0
    while limit is None or done < limit:
        with store.read() as snapshot:
            waiting = snapshot.pending(BATCH if limit is None else min(BATCH, limit - done))
        if not waiting:
            break
        embedded = embedder.embed([each.text for each in waiting])
        if len(embedded) != len(waiting):
            raise EmbedderMismatch(f"{len(waiting)} texts gave {len(embedded)} vectors")
        store.write(_saving(embedder.identity, waiting, embedded))
        done += len(waiting)
        progress(done)
    return done


def _saving(
    identity: ModelIdentity, waiting: Sequence[Pending], embedded: Sequence[Embedding]
) -> Callable[[Transaction], None]:
    rows = [
        (each.row, each.version, vector) for each, vector in zip(waiting, embedded, strict=True)
    ]
    return lambda tx: tx.save_vectors(identity, rows)
