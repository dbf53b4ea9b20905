"""Which entries and passages have no vector yet? Makes them in small batches, outside any lock.

Each text is encoded by every wanted model that knows its language well; where none does, by the
one that knows it best. A model that fails does not stand in the way of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from remem.core.language import WELL
from remem.errors import EmbedderError, EmbedderMismatch
from remem.ports import (
    Embedder,
    Embedding,
    ModelIdentity,
    PassageStore,
    Pending,
    Store,
    named_together,
)
from remem.recall.comparable import require_comparable

BATCH: Final = 32
_PROBE: Final = "probe"


Made = Sequence[tuple[int, int, Embedding]]


class _Waiting(Protocol):
    def pending(
        self, limit: int, after: int = 0, bare_of: ModelIdentity | None = None
    ) -> list[Pending]: ...
    def pending_count(self) -> int: ...
    def last_pending(self) -> int: ...
    def quick_among(self, identity: ModelIdentity, rows: Iterable[int]) -> frozenset[int]: ...
    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]: ...
    def note(self, key: str) -> str | None: ...


class _Save(Protocol):
    def __call__(self, identity: ModelIdentity, embedded: Made, *, more: bool) -> None:
        """With `more` the texts keep waiting, for another model."""


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits for vectors: entries, or passages."""

    read: Callable[[], AbstractContextManager[_Waiting]]
    want: Callable[[Sequence[ModelIdentity]], None]
    save: _Save
    save_quickly: Callable[[ModelIdentity, Made], None]
    drop: Callable[[ModelIdentity, Sequence[int]], None]
    let_go: Callable[[Sequence[tuple[int, int]]], None]


def entries_of(store: Store) -> Queue:
    return Queue(
        store.read,
        lambda models: store.write(lambda tx: tx.want_vectors(*models)),
        lambda identity, embedded, more: store.write(
            lambda tx: tx.save_vectors(identity, embedded, more=more)
        ),
        lambda identity, embedded: store.write(
            lambda tx: tx.save_quick_vectors(identity, embedded)
        ),
        lambda identity, rows: store.write(lambda tx: tx.drop_vectors(identity, rows)),
        lambda rows: store.write(lambda tx: tx.served(rows)),
    )


def passages_of(store: PassageStore) -> Queue:
    return Queue(
        store.read,
        lambda models: store.want_vectors(*models),
        store.save_vectors,
        store.save_quick_vectors,
        store.drop_vectors,
        store.served,
    )


def want(queue: Queue, *embedders: Embedder) -> None:
    """Have the store queue whatever lacks a vector of one of these models."""
    identities = [each.identity for each in embedders]
    with queue.read() as snapshot:
        if snapshot.note("model") == named_together(identities):
            return
    queue.want(identities)


def needed(embedders: Sequence[Embedder], text: str) -> list[Embedder]:
    """The models that encode a text."""
    if len(embedders) == 1:
        return list(embedders)
    well = [each for each in embedders if each.reads(text) >= WELL]
    return well or [max(embedders, key=lambda each: each.reads(text))]


def embed_pending(
    queue: Queue,
    *embedders: Embedder,
    limit: int | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Make vectors until none is missing, or `limit` are made; returns how many were.

    A text that its model refuses is passed over, and keeps waiting.
    """
    want(queue, *embedders)
    work, last = _Work(queue, embedders), 0
    while limit is None or work.done < limit:
        with queue.read() as snapshot:
            waiting = snapshot.pending(BATCH, last)
        if not waiting:
            break
        last = waiting[-1].row
        if work.served(waiting):
            progress(work.done)
    if work.failures and not work.done:
        raise work.failures[0]
    return work.done


@dataclass
class _Work:
    """What was made in one go, and what could not be."""

    queue: Queue
    embedders: Sequence[Embedder]
    done: int = 0
    failures: list[EmbedderError] = field(default_factory=list)
    _down: list[Embedder] = field(default_factory=list)
    _idle: dict[Embedder, set[int]] = field(default_factory=dict)

    def served(self, waiting: Sequence[Pending]) -> bool:
        """Whether any of these texts got a vector."""
        before, lacking = self.done, self._lacking(waiting)
        if whole := [each for each in waiting if not lacking[each.row]]:
            self._drop_idle(whole)
            self.queue.let_go([(each.row, each.version) for each in whole])
        for embedder in self.embedders:
            mine = [each for each in waiting if embedder in lacking[each.row]]
            if mine and embedder not in self._down:
                self._encode(embedder, mine, lacking)
        if len(self._down) == len(self.embedders):
            raise self.failures[-1]
        return self.done > before

    def _lacking(self, waiting: Sequence[Pending]) -> dict[int, list[Embedder]]:
        """Whose vectors each text lacks; with one model alone, all of them lack its own."""
        needed_by = {each.row: needed(self.embedders, each.text) for each in waiting}
        lacking = {row: list(models) for row, models in needed_by.items()}
        if len(self.embedders) > 1:
            with self.queue.read() as snapshot:
                for embedder in self.embedders:
                    quick = snapshot.quick_among(embedder.identity, lacking)
                    for row in snapshot.vectors_of(embedder.identity, lacking):
                        if row in quick:
                            continue
                        if embedder in lacking[row]:
                            lacking[row].remove(embedder)
                        elif embedder not in needed_by[row]:
                            self._idle.setdefault(embedder, set()).add(row)
        return lacking

    def _drop_idle(self, served: Sequence[Pending]) -> None:
        """Vectors that a model made while it was alone would make it seem to know these texts."""
        rows = {each.row for each in served}
        for embedder, idle in self._idle.items():
            if dropped := sorted(rows & idle):
                self.queue.drop(embedder.identity, dropped)
                idle.difference_update(rows)

    def _encode(
        self, embedder: Embedder, mine: Sequence[Pending], lacking: dict[int, list[Embedder]]
    ) -> None:
        try:
            made = self._made(embedder, mine)
        except EmbedderError as error:
            self.failures.append(error)
            self._down.append(embedder)
            return
        for each, _ in made:
            lacking[each.row].remove(embedder)
        self._drop_idle([each for each, _ in made])
        for more in (True, False):
            part = [(e.row, e.version, v) for e, v in made if bool(lacking[e.row]) == more]
            if part:
                self.queue.save(embedder.identity, part, more=more)
        self.done += len(made)

    def _made(
        self, embedder: Embedder, waiting: Sequence[Pending]
    ) -> list[tuple[Pending, Embedding]]:
        """The vectors of a batch; where it fails and the model still answers, one by one."""
        try:
            vectors = _vectors(embedder, [each.text for each in waiting])
            return list(zip(waiting, vectors, strict=True))
        except EmbedderError as error:
            if len(waiting) == 1:
                self.failures.append(error)
                return []
        _vectors(embedder, [_PROBE])
        return [pair for each in waiting for pair in self._made(embedder, [each])]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    embedded, identity = embedder.embed(texts), embedder.identity
    if len(embedded) != len(texts):
        raise EmbedderMismatch(f"{len(texts)} texts gave {len(embedded)} vectors")
    for each in embedded:
        require_comparable(each.pooled, identity)
    return embedded
