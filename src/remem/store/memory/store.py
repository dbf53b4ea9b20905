"""An entry store in memory.

It follows the same rules as the SQLite store, without its speed and durability. Readers see the
state at the moment they began, because a write replaces the state as a whole.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np

from remem.errors import StoreClosed, StoreError
from remem.model.entry import Entry, Version
from remem.ports.models import (
    ModelIdentity,
    join_identities,
    require_dimension,
)
from remem.ports.records import (
    Home,
    Tombstone,
    WrittenFile,
)
from remem.ports.vectors import Embedded
from remem.store.memory.snapshot import MemorySnapshot
from remem.store.memory.state import MemoryState, StoredEntry, Vector
from remem.store.sqlite.erasing import without_id
from remem.text.similarity import Fingerprint

T = TypeVar("T")


class MemoryTransaction(MemorySnapshot):
    """Changes a copy of the state, which replaces the state at the end."""

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
            raise StoreError(f"the id {entry.id} is not UNIQUE")
        number = self._state.next_number()
        self._state.entries[entry.id] = StoredEntry(number, entry, change, home, tuple(history))
        self._state.queue.add(entry.id)

    def revise(self, entry: Entry, change: str, home: Home) -> None:
        history = self.history(entry.id)
        self._put(entry, home, change=change, earlier=tuple(history))

    def update(self, entry: Entry, home: Home | None = None) -> None:
        self._put(entry, home)

    def _put(self, entry: Entry, home: Home | None, **more: Any) -> None:
        old = self._state.entries[entry.id]
        self._state.entries[entry.id] = replace(old, entry=entry, home=home or old.home, **more)
        if entry.content != old.entry.content:
            self._forget_vectors(entry.id)
            self._state.queue.add(entry.id)

    def record_use(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        for id_ in ids:
            if stored := self._state.entries.get(id_):
                usage, entry = stored.usage, stored.entry
                if used:
                    usage, entry = replace(usage, used=now), replace(entry, uses=entry.uses + 1)
                elif (usage.shown or "")[:10] != now[:10]:
                    usage = replace(usage, shown=now)
                self._state.entries[id_] = replace(stored, entry=entry, usage=usage)

    def erase(self, id_: str, at: str) -> None:
        stored = self._state.entries.pop(id_, None)
        if stored is None:
            return
        state = self._state
        self.add_tombstones(Tombstone(id_, wording, at) for wording in stored.wordings)
        self._forget_vectors(id_)
        state.queue.discard(id_)
        state.notices = {text: at for text, at in state.notices.items() if id_ not in text}
        for file, written in state.written.items():
            items = {key: digest for key, digest in written.items.items() if key != id_}
            state.written[file] = WrittenFile(written.digest, items)
        for key, text in state.values.items():
            if id_ in text:
                state.values[key] = json.dumps(without_id(json.loads(text), id_))

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        for tombstone in tombstones:
            self._state.tombstones.setdefault((tombstone.id, tombstone.wording_hash), tombstone)

    def rebuild_search(self) -> None:
        self._state.vectors.clear()
        self._state.models = None
        self._state.queue = set(self._state.entries)

    def add_to_outbox(self, file: str) -> None:
        self._state.outbox[file] = self._state.next_number()

    def record_written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None:
        if self._state.outbox.get(file, upto + 1) <= upto:
            del self._state.outbox[file]
        self._state.written[file] = WrittenFile(digest, dict(items))

    def add_notice(self, at: str, text: str) -> None:
        self._state.notices.setdefault(text, at)

    def put_state(self, key: str, value: str | None) -> None:
        if value is None:
            self._state.values.pop(key, None)
        else:
            self._state.values[key] = value

    def set_vector_models(self, *models: ModelIdentity) -> None:
        wanted = join_identities(models)
        if self._state.models == wanted:
            return
        for identity in models:
            made = self._state.vectors.setdefault(identity, {})
            own = {id_ for id_, vector in made.items() if not vector.quick}
            self._state.queue |= set(self._state.entries) - own
        self._state.models = wanted

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Embedded[str],
        *,
        more: bool = False,
        quick: bool = False,
    ) -> None:
        made = self._state.vectors.setdefault(identity, {})
        for id_, version, embedding in embedded:
            require_dimension(embedding.pooled, identity)
            stored = self._state.entries.get(id_)
            if stored is None or stored.entry.version != version or (quick and id_ in made):
                continue
            pooled = embedding.pooled.astype(np.float16).astype(np.float32)
            made[id_] = Vector(replace(embedding, pooled=pooled), quick)
            if not (more or quick):
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
        for made in self._state.vectors.values():
            made.pop(id_, None)


class MemoryDatabase:
    """The state that stores of one scope share."""

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

    def write_later(self, operation: Callable[[MemoryTransaction], Any]) -> None:
        self.write(operation)

    def without_waiting(self) -> AbstractContextManager[Sequence[str]]:
        return nullcontext(())

    def scrub(self) -> None:
        """Nothing to do: memory leaves no bytes in a file."""

    def shortfall(self) -> None:
        """Nothing is ever missing: there is no file that could lose entries."""

    def accept_shortfall(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")
