"""Makes the missing vectors of entries and passages, in small batches outside any lock.

Each text is embedded by every configured model that knows its language well, or else by the one
that knows it best. A model that fails does not stop the others. If very many texts are pending,
each gets a quick vector first, so that it is found by meaning at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from remem.errors import EmbedderError, EmbedderMismatch
from remem.ports.entries import Store
from remem.ports.models import (
    Embedder,
    Embedding,
    ModelIdentity,
    join_identities,
    require_comparable,
)
from remem.ports.passages import PassageStore
from remem.ports.records import PendingText
from remem.text.language import FULL_SUPPORT

BATCH_SIZE: Final = 32
_PROBE: Final = "probe"

Embedded = Sequence[tuple[int, int, Embedding]]


class _PendingReader(Protocol):
    def pending(
        self, limit: int, after: int = 0, missing_for: ModelIdentity | None = None
    ) -> list[PendingText]: ...
    def pending_count(self) -> int: ...
    def last_pending(self) -> int: ...
    def rows_with_quick_vectors(
        self, identity: ModelIdentity, rows: Iterable[int]
    ) -> frozenset[int]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def get_state(self, key: str) -> str | None: ...


class _Save(Protocol):
    def __call__(self, identity: ModelIdentity, embedded: Embedded, *, more: bool) -> None:
        """Save vectors; with `more`, the texts stay pending for another model."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The entries or passages that have no vector yet."""

    read: Callable[[], AbstractContextManager[_PendingReader]]
    set_models: Callable[[Sequence[ModelIdentity]], None]
    save: _Save
    save_quick: Callable[[ModelIdentity, Embedded], None]
    drop: Callable[[ModelIdentity, Sequence[int]], None]
    dequeue: Callable[[Sequence[tuple[int, int]]], None]


def entry_queue(store: Store) -> Queue:
    return Queue(
        store.read,
        lambda models: store.write(lambda tx: tx.set_vector_models(*models)),
        lambda identity, embedded, more: store.write(
            lambda tx: tx.save_vectors(identity, embedded, more=more)
        ),
        lambda identity, embedded: store.write(
            lambda tx: tx.save_quick_vectors(identity, embedded)
        ),
        lambda identity, rows: store.write(lambda tx: tx.drop_vectors(identity, rows)),
        lambda rows: store.write(lambda tx: tx.dequeue_vectors(rows)),
    )


def passage_queue(store: PassageStore) -> Queue:
    return Queue(
        store.read,
        lambda models: store.set_vector_models(*models),
        store.save_vectors,
        store.save_quick_vectors,
        store.drop_vectors,
        store.dequeue_vectors,
    )


def request_vectors(queue: Queue, *embedders: Embedder) -> None:
    """Queue every text that has no vector of one of these models."""
    identities = [embedder.identity for embedder in embedders]
    with queue.read() as snapshot:
        if snapshot.get_state("model") == join_identities(identities):
            return
    queue.set_models(identities)


def models_for(embedders: Sequence[Embedder], text: str) -> list[Embedder]:
    """The models that embed a text."""
    if len(embedders) == 1:
        return list(embedders)
    well = [embedder for embedder in embedders if embedder.language_support(text) >= FULL_SUPPORT]
    return well or [max(embedders, key=lambda embedder: embedder.language_support(text))]


def embed_pending(
    queue: Queue,
    *embedders: Embedder,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make vectors until none is missing or `limit` are made; returns how many were made.

    A text that its model refuses is skipped and stays pending.
    """
    request_vectors(queue, *embedders)
    run, last = _EmbeddingRun(queue, embedders), 0
    while limit is None or run.done < limit:
        with queue.read() as snapshot:
            batch = snapshot.pending(BATCH_SIZE, last)
        if not batch:
            break
        last = batch[-1].row
        if run.embed(batch):
            progress(run.done)
    if run.failures and not run.done:
        raise run.failures[0]
    return run.done


@dataclass
class _EmbeddingRun:
    """One run over the queue: the number of vectors made, and the failures."""

    queue: Queue
    embedders: Sequence[Embedder]
    done: int = 0
    failures: list[EmbedderError] = field(default_factory=list)
    _down: list[Embedder] = field(default_factory=list)
    _idle: dict[Embedder, set[int]] = field(default_factory=dict)

    def embed(self, batch: Sequence[PendingText]) -> bool:
        """Embed a batch; returns whether any text got a vector."""
        before, lacking = self.done, self._lacking(batch)
        if complete := [pending for pending in batch if not lacking[pending.row]]:
            self._drop_idle(complete)
            self.queue.dequeue([(pending.row, pending.version) for pending in complete])
        for embedder in self.embedders:
            texts = [pending for pending in batch if embedder in lacking[pending.row]]
            if texts and embedder not in self._down:
                self._embed_with(embedder, texts, lacking)
        if len(self._down) == len(self.embedders):
            raise self.failures[-1]
        return self.done > before

    def _lacking(self, batch: Sequence[PendingText]) -> dict[int, list[Embedder]]:
        """The models whose vectors each text lacks; with a single model, every text lacks it."""
        needed_by = {pending.row: models_for(self.embedders, pending.text) for pending in batch}
        lacking = {row: list(models) for row, models in needed_by.items()}
        if len(self.embedders) > 1:
            with self.queue.read() as snapshot:
                for embedder in self.embedders:
                    quick = snapshot.rows_with_quick_vectors(embedder.identity, lacking)
                    for row in snapshot.vectors_of(embedder.identity, lacking):
                        if row in quick:
                            continue
                        if embedder in lacking[row]:
                            lacking[row].remove(embedder)
                        elif embedder not in needed_by[row]:
                            self._idle.setdefault(embedder, set()).add(row)
        return lacking

    def _drop_idle(self, served: Sequence[PendingText]) -> None:
        """Drop vectors of a model that is no longer used for these texts.

        It made them while it was the only model, and does not know their language well.
        """
        rows = {pending.row for pending in served}
        for embedder, idle in self._idle.items():
            if dropped := sorted(rows & idle):
                self.queue.drop(embedder.identity, dropped)
                idle.difference_update(rows)

    def _embed_with(
        self, embedder: Embedder, texts: Sequence[PendingText], lacking: dict[int, list[Embedder]]
    ) -> None:
        try:
            made = self._made(embedder, texts)
        except EmbedderError as error:
            self.failures.append(error)
            self._down.append(embedder)
            return
        for pending, _ in made:
            lacking[pending.row].remove(embedder)
        self._drop_idle([pending for pending, _ in made])
        for more in (True, False):
            part = [
                (pending.row, pending.version, vector)
                for pending, vector in made
                if bool(lacking[pending.row]) == more
            ]
            if part:
                self.queue.save(embedder.identity, part, more=more)
        self.done += len(made)

    def _made(
        self, embedder: Embedder, batch: Sequence[PendingText]
    ) -> list[tuple[PendingText, Embedding]]:
        """The vectors of a batch; if it fails but the model still answers, one by one."""
        try:
            vectors = _vectors(embedder, [pending.text for pending in batch])
            return list(zip(batch, vectors, strict=True))
        except EmbedderError as error:
            if len(batch) == 1:
                self.failures.append(error)
                return []
        _vectors(embedder, [_PROBE])
        return [pair for pending in batch for pair in self._made(embedder, [pending])]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    embedded, identity = embedder.embed(texts), embedder.identity
    if len(embedded) != len(texts):
        raise EmbedderMismatch(f"the model made {len(embedded)} vectors for {len(texts)} texts")
    for embedding in embedded:
        require_comparable(embedding.pooled, identity)
    return embedded


QUICK_THRESHOLD: Final = 65
"""With fewer pending texts, quick vectors are not worth it: all are embedded before a recall."""
_QUICK_BATCH_SIZE: Final = 2048


@dataclass
class QuickVectors:
    """Makes quick vectors, going through a queue once; `trouble` says why it could not."""

    trouble: str | None = None
    _upto: int = 0

    def __call__(self, queue: Queue, embedders: Sequence[Embedder]) -> int:
        """Make quick vectors for pending texts that have none; returns how many were made."""
        request_vectors(queue, *embedders)
        last, made = self._due(queue), 0
        if last is None:
            return 0
        try:
            made = sum(self._fill(queue, embedder, embedders) for embedder in embedders)
            self.trouble = None
        except EmbedderError as error:  # the model itself may still work
            self.trouble = f"no quick vectors: {error}"
        self._upto = last
        return made

    def _due(self, queue: Queue) -> int | None:
        """The last pending row, if many are pending and some were not seen yet."""
        with queue.read() as snapshot:
            last = snapshot.last_pending()
            if last < self._upto:  # the queue was emptied or rebuilt meanwhile
                self._upto = 0
            if last == self._upto or snapshot.pending_count() < QUICK_THRESHOLD:
                return None
        return last

    def _fill(self, queue: Queue, embedder: Embedder, embedders: Sequence[Embedder]) -> int:
        if embedder.embed_quickly([]) is None:
            return 0
        made, last, identity = 0, self._upto, embedder.identity
        while True:
            with queue.read() as snapshot:
                batch = snapshot.pending(_QUICK_BATCH_SIZE, last, identity)
            if not batch:
                return made
            last = batch[-1].row
            texts = [
                pending
                for pending in batch
                if len(embedders) == 1 or embedder in models_for(embedders, pending.text)
            ]
            vectors = embedder.embed_quickly([pending.text for pending in texts]) or []
            embedded = [
                (pending.row, pending.version, vector)
                for pending, vector in zip(texts, vectors, strict=True)
            ]
            queue.save_quick(identity, embedded)
            made += len(vectors)
