"""Which entries and passages have no vector yet? Makes them in small batches, outside any lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from remem.errors import EmbedderError, EmbedderMismatch
from remem.ports import Embedder, Embedding, ModelIdentity, PassageStore, Pending, Store
from remem.recall.comparable import require_comparable

BATCH: Final = 32
_PROBE: Final = "probe"


Made = Sequence[tuple[int, int, Embedding]]


class _Waiting(Protocol):
    def pending(self, limit: int) -> list[Pending]: ...
    def note(self, key: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits for vectors: entries, or passages."""

    read: Callable[[], AbstractContextManager[_Waiting]]
    want: Callable[[ModelIdentity], None]
    save: Callable[[ModelIdentity, Made], None]


def entries_of(store: Store) -> Queue:
    return Queue(
        store.read,
        lambda identity: store.write(lambda tx: tx.want_vectors(identity)),
        lambda identity, made: store.write(lambda tx: tx.save_vectors(identity, made)),
    )


def passages_of(store: PassageStore) -> Queue:
    return Queue(store.read, store.want_vectors, store.save_vectors)


def want(queue: Queue, embedder: Embedder) -> None:
    """Have the store queue whatever lacks a vector of this model."""
    identity = embedder.identity
    with queue.read() as snapshot:
        if snapshot.note("model") == str(identity):
            return
    queue.want(identity)


def embed_pending(
    queue: Queue,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make vectors until none is missing, or `limit` are made; returns how many were.

    A text that the model refuses is passed over, and keeps waiting.
    """
    want(queue, embedder)
    done, refused = 0, dict[int, EmbedderError]()
    while limit is None or done < limit:
        with queue.read() as snapshot:
            pending = snapshot.pending(BATCH + len(refused))
        waiting = [each for each in pending if each.row not in refused][:BATCH]
        if not waiting:
            break
        made = _made(embedder, waiting, refused)
        queue.save(embedder.identity, [(each.row, each.version, v) for each, v in made])
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
