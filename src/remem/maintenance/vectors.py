"""Which entries have no vector yet? Makes them in small batches, outside any lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from remem.errors import EmbedderError, EmbedderMismatch
from remem.ports import Embedder, Embedding, ModelIdentity, Pending, Store, Transaction
from remem.recall.comparable import require_comparable

BATCH: Final = 32
_PROBE: Final = "probe"


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
    """Make vectors until none is missing, or `limit` are made; returns how many were.

    A text that the model refuses is passed over, and its entry keeps waiting.
    """
    want(store, embedder)
    done, refused = 0, dict[int, EmbedderError]()
    while limit is None or done < limit:
        with store.read() as snapshot:
            queue = snapshot.pending(BATCH + len(refused))
        waiting = [each for each in queue if each.row not in refused][:BATCH]
        if not waiting:
            break
        made = _made(embedder, waiting, refused)
        store.write(_saving(embedder.identity, made))
        done += len(made)
        progress(done)
    if refused and not done:
        raise next(iter(refused.values()))
    return done


def _made(
    embedder: Embedder, waiting: Sequence[Pending], refused: dict[int, EmbedderError]
) -> list[tuple[Pending, Embedding]]:
    """The vectors of a batch; where it fails and the model still answers, one by one."""
    try:
        vectors = _vectors(embedder, [each.text for each in waiting])
        return list(zip(waiting, vectors, strict=True))
    except EmbedderError as error:
        if len(waiting) == 1:
            refused[waiting[0].row] = error
            return []
    _vectors(embedder, [_PROBE])
    return [pair for each in waiting for pair in _made(embedder, [each], refused)]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    embedded, identity = embedder.embed(texts), embedder.identity
    if len(embedded) != len(texts):
        raise EmbedderMismatch(f"{len(texts)} texts gave {len(embedded)} vectors")
    for each in embedded:
        require_comparable(each.pooled, identity)
    return embedded


def _saving(
    identity: ModelIdentity, made: Sequence[tuple[Pending, Embedding]]
) -> Callable[[Transaction], None]:
    rows = [(each.row, each.version, vector) for each, vector in made]
    return lambda tx: tx.save_vectors(identity, rows)
