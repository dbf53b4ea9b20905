"""An entry store in memory.

It follows the same rules as the SQLite store, without its speed and durability. Readers see the
state at the moment they began, because a write replaces the state as a whole.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from remem.errors import StoreClosed
from remem.model.entry import Entry, Version
from remem.ports.entries import TextVectors
from remem.ports.models import (
    ModelIdentity,
    join_identities,
    require_dimension,
)
from remem.ports.records import Home, Tombstone
from remem.ports.state import Namespace, R
from remem.store.memory.snapshot import MemorySnapshot
from remem.store.memory.state import MemoryState, StoredEntry, Vector
from remem.store.rows import duplicate_id_error, without_id
from remem.text.similarity import Fingerprint

T = TypeVar("T")


class MemoryTransaction(MemorySnapshot):
    """Changes a copy of the state, which replaces the state of the store when it succeeds."""

    def insert(
        self,
        entry: Entry,
        change: str,
        home: Home,
        *,
        fingerprint: Fingerprint | None = None,  # noqa: ARG002 - only a database needs it
        history: Sequence[Version] = (),
    ) -> None:
        if entry.id in self._state.entries:
            raise duplicate_id_error(entry.id)
        number = self._state.next_number()
        self._state.entries[entry.id] = StoredEntry(number, entry, change, home, tuple(history))
        self._state.queue.add(entry.id)

    def update(self, entry: Entry, home: Home, change: str | None = None) -> None:
        old = self._state.entries[entry.id]
        new = replace(old, entry=entry, home=home)
        if change is not None:
            new = replace(new, change=change, earlier=tuple(self.history(entry.id)))
        self._state.entries[entry.id] = new
        if entry.content != old.entry.content:
            self._forget_vectors(entry.id)
            self._state.queue.add(entry.id)

    def record_use(self, ids: Sequence[str], now: str, *, was_used: bool) -> None:
        for id_ in ids:
            if stored := self._state.entries.get(id_):
                if was_used:
                    entry = replace(stored.entry, uses=stored.entry.uses + 1)
                    stored = replace(stored, entry=entry, used=now)
                elif (stored.listed or "")[:10] != now[:10]:
                    stored = replace(stored, listed=now)
                self._state.entries[id_] = stored

    def erase(self, id_: str, at: str) -> None:
        stored = self._state.entries.pop(id_, None)
        if stored is None:
            return
        state = self._state
        self.add_tombstones(Tombstone(id_, wording, at) for wording in stored.wordings)
        self._forget_vectors(id_)
        state.queue.discard(id_)
        for (namespace, key), text in list(state.records.items()):
            if id_ not in text:
                continue
            if namespace in ("notice", "decay notice"):
                del state.records[namespace, key]
            else:
                state.records[namespace, key] = json.dumps(without_id(json.loads(text), id_))

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        for tombstone in tombstones:
            self._state.tombstones.setdefault((tombstone.id, tombstone.wording_hash), tombstone)

    def rebuild_search(self) -> None:
        self._state.vectors.clear()
        self._state.models = None
        self._state.queue = set(self._state.entries)

    def add_to_outbox(self, file: str) -> None:
        self._state.outbox[file] = self._state.next_number()

    def remove_from_outbox(self, file: str, last_seq: int) -> None:
        if self._state.outbox.get(file, last_seq + 1) <= last_seq:
            del self._state.outbox[file]

    def put_record(self, namespace: Namespace[R], key: str, record: R | None) -> None:
        if record is None:
            self._state.records.pop((namespace.name, key), None)
        else:
            self._state.records[namespace.name, key] = namespace.dump(record)

    def set_vector_models(self, *models: ModelIdentity) -> None:
        joined = join_identities(models)
        if self._state.models == joined:
            return
        for identity in models:
            known = self._state.vectors.setdefault(identity, {})
            own = {id_ for id_, vector in known.items() if not vector.quick}
            self._state.queue |= set(self._state.entries) - own
        self._state.models = joined

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: TextVectors[str],
        *,
        keep_queued: bool = False,
        quick: bool = False,
    ) -> None:
        known = self._state.vectors.setdefault(identity, {})
        for id_, version, embedding in embedded:
            require_dimension(embedding.pooled, identity)
            stored = self._state.entries.get(id_)
            if stored is None or stored.entry.version != version or (quick and id_ in known):
                continue
            pooled = embedding.pooled.astype(np.float16).astype(np.float32)
            known[id_] = Vector(replace(embedding, pooled=pooled), quick)
            if not (keep_queued or quick):
                self._state.queue.discard(id_)

    def drop_vectors(self, identity: ModelIdentity, ids: Sequence[str]) -> None:
        for id_ in ids:
            self._state.vectors.get(identity, {}).pop(id_, None)

    def dequeue_vectors(self, texts: Sequence[tuple[str, int]]) -> None:
        for id_, version in texts:
            stored = self._state.entries.get(id_)
            if stored is not None and stored.entry.version == version:
                self._state.queue.discard(id_)

    def _forget_vectors(self, id_: str) -> None:
        for known in self._state.vectors.values():
            known.pop(id_, None)


class MemoryDatabase:
    """The state that several `MemoryStore`s of one scope can share."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self.lock = threading.RLock()


class MemoryStore:
    """The entries of one scope, in memory."""

    writable: Final = True
    problem: Final = None
    generation: Final = 0

    def __init__(self, database: MemoryDatabase | None = None) -> None:
        self._database = database or MemoryDatabase()
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[MemorySnapshot]:
        self._require_open()
        yield MemorySnapshot(self._database.state)

    def write(self, operation: Callable[[MemoryTransaction], T]) -> T:
        with self._database.lock:
            self._require_open()
            state = self._database.state.copy()
            result = operation(MemoryTransaction(state))
            self._database.state = state
        return result

    def scrub(self) -> None:
        """Do nothing: memory leaves no bytes in a file."""

    def close(self) -> None:
        self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")
