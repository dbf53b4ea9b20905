"""Which entries and passages have no vector yet? Makes them in small batches, outside any lock.

Each text is encoded by every wanted model that knows its language well; where none does, by the
one that knows it best. A model that fails does not stand in the way of the others.

Which texts cannot wait until a model has read them? Where very many wait, each gets a quick
vector first, and is found by its meaning at once.
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
    named_together,
    require_comparable,
)
from remem.ports.passages import PassageStore
from remem.ports.records import Pending
from remem.text.language import WELL

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
    identities = [embedder.identity for embedder in embedders]
    with queue.read() as snapshot:
        if snapshot.note("model") == named_together(identities):
            return
    queue.want(identities)


def needed(embedders: Sequence[Embedder], text: str) -> list[Embedder]:
    """The models that encode a text."""
    if len(embedders) == 1:
        return list(embedders)
    well = [embedder for embedder in embedders if embedder.reads(text) >= WELL]
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
        if whole := [pending for pending in waiting if not lacking[pending.row]]:
            self._drop_idle(whole)
            self.queue.let_go([(pending.row, pending.version) for pending in whole])
        for embedder in self.embedders:
            mine = [pending for pending in waiting if embedder in lacking[pending.row]]
            if mine and embedder not in self._down:
                self._encode(embedder, mine, lacking)
        if len(self._down) == len(self.embedders):
            raise self.failures[-1]
        return self.done > before

    def _lacking(self, waiting: Sequence[Pending]) -> dict[int, list[Embedder]]:
        """Whose vectors each text lacks; with one model alone, all of them lack its own."""
        needed_by = {pending.row: needed(self.embedders, pending.text) for pending in waiting}
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
        rows = {pending.row for pending in served}
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
            vectors = _vectors(embedder, [pending.text for pending in waiting])
            return list(zip(waiting, vectors, strict=True))
        except EmbedderError as error:
            if len(waiting) == 1:
                self.failures.append(error)
                return []
        _vectors(embedder, [_PROBE])
        return [pair for pending in waiting for pair in self._made(embedder, [pending])]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    embedded, identity = embedder.embed(texts), embedder.identity
    if len(embedded) != len(texts):
        raise EmbedderMismatch(f"{len(texts)} texts gave {len(embedded)} vectors")
    for embedding in embedded:
        require_comparable(embedding.pooled, identity)
    return embedded


MANY: Final = 65
"""Fewer are read before the next answer: nothing need be quicker."""
_AT_ONCE: Final = 2048


@dataclass
class Quickly:
    """Goes through a queue once: it remembers how far it came. `trouble` says why it could not."""

    trouble: str | None = None
    _upto: int = 0

    def __call__(self, queue: Queue, embedders: Sequence[Embedder]) -> int:
        """Quick vectors for what waits and has none at all; returns how many were made."""
        want(queue, *embedders)
        last, made = self._due(queue), 0
        if last is None:
            return 0
        try:
            made = sum(self._fill(queue, embedder, embedders) for embedder in embedders)
            self.trouble = None
        except EmbedderError as error:  # the model itself may be whole, and reads on
            self.trouble = f"no quick vectors: {error}"
        self._upto = last
        return made

    def _due(self, queue: Queue) -> int | None:
        """The last row that waits, where many do and not all of them were looked at."""
        with queue.read() as snapshot:
            last = snapshot.last_pending()
            if last < self._upto:  # emptied since, or begun anew
                self._upto = 0
            if last == self._upto or snapshot.pending_count() < MANY:
                return None
        return last

    def _fill(self, queue: Queue, embedder: Embedder, embedders: Sequence[Embedder]) -> int:
        if embedder.embed_quickly([]) is None:
            return 0
        made, last, identity = 0, self._upto, embedder.identity
        while True:
            with queue.read() as snapshot:
                waiting = snapshot.pending(_AT_ONCE, last, identity)
            if not waiting:
                return made
            last = waiting[-1].row
            mine = [
                pending
                for pending in waiting
                if len(embedders) == 1 or embedder in needed(embedders, pending.text)
            ]
            vectors = embedder.embed_quickly([pending.text for pending in mine]) or []
            pairs = zip(mine, vectors, strict=True)
            queue.save_quickly(identity, [(each.row, each.version, rough) for each, rough in pairs])
            made += len(vectors)
