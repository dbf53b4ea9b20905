"""Make the missing vectors of entries and passages, in small batches outside any lock.

Each text is embedded by every configured model that knows its language well, or else by the one
that knows it best. A model that fails does not stop the others. If very many texts are pending,
each gets a quick vector first, so that it is found by meaning immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Generic

from remem.errors import EmbedderError, EmbedderMismatch
from remem.ports.entries import TextVectors, VectorReader, VectorStore
from remem.ports.models import (
    Embedder,
    Embedding,
    ModelIdentity,
    join_identities,
    require_comparable,
)
from remem.ports.records import Key, PendingText
from remem.text.language import FULL_SUPPORT

BATCH_SIZE: Final = 32
_FIRST_BATCH_SIZE: Final = 4
_PROBE: Final = "probe"
QUICK_THRESHOLD: Final = 65
"""With fewer pending texts, quick vectors are not worthwhile: all texts are embedded before a
recall."""
_QUICK_BATCH_SIZE: Final = 2048


def request_vectors(store: VectorStore[Key], *embedders: Embedder) -> None:
    """Queue every text that lacks a vector from one of these models."""
    with store.read() as snapshot:
        if has_models(snapshot, *embedders):
            return
    identities = [embedder.identity for embedder in embedders]
    store.write(lambda tx: tx.set_vector_models(*identities))


def has_models(snapshot: VectorReader[Key], *embedders: Embedder) -> bool:
    """Return whether texts are queued for exactly these models."""
    return snapshot.vector_state().models == join_identities(
        embedder.identity for embedder in embedders
    )


def models_for(embedders: Sequence[Embedder], text: str) -> list[Embedder]:
    """Return the models that embed a text."""
    if len(embedders) == 1:
        return list(embedders)
    suited = [embedder for embedder in embedders if embedder.language_support(text) >= FULL_SUPPORT]
    return suited or [max(embedders, key=lambda embedder: embedder.language_support(text))]


def embed_pending(
    store: VectorStore[Key],
    *embedders: Embedder,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make vectors until none is missing or `limit` texts have got one; return their number.

    A text that its model rejects is skipped and remains pending.
    """
    request_vectors(store, *embedders)
    run: _EmbeddingRun[Key] = _EmbeddingRun(store, embedders)
    last: Key | None = None
    while limit is None or run.count < limit:
        with store.read() as snapshot:
            batch = snapshot.pending(BATCH_SIZE, last)
        if not batch:
            break
        last = batch[-1].id
        if run.embed(batch):
            progress(run.count)
    if run.failures and not run.count:
        raise run.failures[0]
    return run.count


def embed_first(
    store: VectorStore[Key], embedders: Sequence[Embedder], ids: Sequence[Key], seconds: float
) -> int:
    """Make the missing vectors of some texts, in this order, until the time is over.

    Return how many texts got a vector.
    """
    deadline = monotonic() + seconds
    run: _EmbeddingRun[Key] = _EmbeddingRun(store, embedders)
    with store.read() as snapshot:
        texts = snapshot.pending(len(ids), among=ids)
    texts.sort(key=lambda pending: ids.index(pending.id))
    for start in range(0, len(texts), _FIRST_BATCH_SIZE):
        if monotonic() > deadline:
            break
        run.embed(texts[start : start + _FIRST_BATCH_SIZE])
    return run.count


@dataclass
class _EmbeddingRun(Generic[Key]):
    """One pass over the queue, with the number of embedded texts and the failures.

    `_failed` are the models that do not answer. `_superfluous` are the texts with vectors of models
    that do not know their language well.
    """

    store: VectorStore[Key]
    embedders: Sequence[Embedder]
    count: int = 0
    failures: list[EmbedderError] = field(default_factory=list)
    _failed: list[Embedder] = field(default_factory=list)
    _superfluous: dict[Embedder, set[Key]] = field(default_factory=dict)

    def embed(self, batch: Sequence[PendingText[Key]]) -> bool:
        """Embed a batch; return whether any text got a vector."""
        count_before, lacking = self.count, self._lacking(batch)
        if complete := [pending for pending in batch if not lacking[pending.id]]:
            self._drop_superfluous(complete)
            versions = [(pending.id, pending.version) for pending in complete]
            self.store.write(lambda tx: tx.dequeue_vectors(versions))
        for embedder in self.embedders:
            texts = [pending for pending in batch if embedder in lacking[pending.id]]
            if texts and embedder not in self._failed:
                self._embed_with(embedder, texts, lacking)
        if len(self._failed) == len(self.embedders):
            raise self.failures[-1]
        return self.count > count_before

    def _lacking(self, batch: Sequence[PendingText[Key]]) -> dict[Key, list[Embedder]]:
        """Return, for each text, the models that still have to embed it."""
        needed_by = {pending.id: models_for(self.embedders, pending.text) for pending in batch}
        lacking = {id_: list(models) for id_, models in needed_by.items()}
        if len(self.embedders) > 1:
            with self.store.read() as snapshot:
                for embedder in self.embedders:
                    for id_ in snapshot.vectors_of(embedder.identity, lacking, quick=False):
                        if embedder in lacking[id_]:
                            lacking[id_].remove(embedder)
                        elif embedder not in needed_by[id_]:
                            self._superfluous.setdefault(embedder, set()).add(id_)
        return lacking

    def _drop_superfluous(self, texts: Sequence[PendingText[Key]]) -> None:
        """Drop vectors that a model made while it was the only one, and others have made since."""
        ids = {pending.id for pending in texts}
        for embedder, superfluous in self._superfluous.items():
            if dropped := list(ids & superfluous):
                self._drop(embedder.identity, dropped)
                superfluous.difference_update(ids)

    def _embed_with(
        self,
        embedder: Embedder,
        texts: Sequence[PendingText[Key]],
        lacking: dict[Key, list[Embedder]],
    ) -> None:
        try:
            vectors = self._embedded(embedder, texts)
        except EmbedderError as error:
            self.failures.append(error)
            self._failed.append(embedder)
            return
        for pending, _ in vectors:
            lacking[pending.id].remove(embedder)
        self._drop_superfluous([pending for pending, _ in vectors])
        for keep_queued in (True, False):
            part = [
                (pending.id, pending.version, vector)
                for pending, vector in vectors
                if bool(lacking[pending.id]) == keep_queued
            ]
            if part:
                self._save(embedder.identity, part, keep_queued=keep_queued)
        self.count += len(vectors)

    def _drop(self, identity: ModelIdentity, ids: Sequence[Key]) -> None:
        self.store.write(lambda tx: tx.drop_vectors(identity, ids))

    def _save(
        self, identity: ModelIdentity, embedded: TextVectors[Key], *, keep_queued: bool
    ) -> None:
        self.store.write(lambda tx: tx.save_vectors(identity, embedded, keep_queued=keep_queued))

    def _embedded(
        self, embedder: Embedder, batch: Sequence[PendingText[Key]]
    ) -> list[tuple[PendingText[Key], Embedding]]:
        """Return the texts of a batch with their vectors.

        If the batch fails although the model answers, its texts are embedded one by one, and those
        that fail are left out.
        """
        try:
            vectors = _vectors(embedder, [pending.text for pending in batch])
            return list(zip(batch, vectors, strict=True))
        except EmbedderError as error:
            if len(batch) == 1:
                self.failures.append(error)
                return []
        _vectors(embedder, [_PROBE])
        return [pair for pending in batch for pair in self._embedded(embedder, [pending])]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    """Return the vectors of texts; raise EmbedderMismatch if they cannot be those of the model."""
    embedded, identity = embedder.embed(texts), embedder.identity
    if len(embedded) != len(texts):
        raise EmbedderMismatch(f"the model made {len(embedded)} vectors for {len(texts)} texts")
    for embedding in embedded:
        require_comparable(embedding.pooled, identity)
    return embedded


@dataclass
class QuickVectors(Generic[Key]):
    """Makes quick vectors, going through the queue once; `problem` says why it could not."""

    problem: str | None = None
    _last: Key | None = None

    def __call__(self, store: VectorStore[Key], embedders: Sequence[Embedder]) -> int:
        """Make quick vectors for pending texts that have none; return how many were made."""
        request_vectors(store, *embedders)
        with store.read() as snapshot:
            if snapshot.vector_state().pending < QUICK_THRESHOLD or not snapshot.pending(
                1, self._last
            ):
                return 0
        made, position = 0, self._last
        try:
            for embedder in embedders:
                count, last = self._fill(store, embedder, embedders)
                made += count
                position = last if last is not None else position
            self.problem = None
        except EmbedderError as error:  # the model itself may still work
            self.problem = f"no quick vectors: {error}"
        self._last = position
        return made

    def _fill(
        self, store: VectorStore[Key], embedder: Embedder, embedders: Sequence[Embedder]
    ) -> tuple[int, Key | None]:
        """Make the quick vectors of one model; return how many, and the last text seen."""
        if embedder.embed_quickly([]) is None:
            return 0, None
        count, last, identity = 0, self._last, embedder.identity
        while True:
            with store.read() as snapshot:
                batch = snapshot.pending(_QUICK_BATCH_SIZE, last, identity)
            if not batch:
                return count, last
            last = batch[-1].id
            texts = [
                pending
                for pending in batch
                if len(embedders) == 1 or embedder in models_for(embedders, pending.text)
            ]
            vectors = embedder.embed_quickly([pending.text for pending in texts]) or []
            embedded = [
                (pending.id, pending.version, vector)
                for pending, vector in zip(texts, vectors, strict=True)
            ]
            _save_quick(store, identity, embedded)
            count += len(vectors)


def _save_quick(
    store: VectorStore[Key], identity: ModelIdentity, embedded: TextVectors[Key]
) -> None:
    store.write(lambda tx: tx.save_vectors(identity, embedded, quick=True))
