"""The context of a flush, and its result: what was written, known, pending or refused."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo

from remem.entries.receipt import StoreDependencies
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.model.scope import Scope
from remem.ports.entries import Store


@dataclass(frozen=True, slots=True)
class FlushContext:
    """What a flush needs of a scope; the scope's files are written under its lock."""

    store: Store
    layout: Layout
    scope: Scope
    deps: StoreDependencies
    zone: tzinfo | None
    now: Callable[[], str]
    conversation: str = ""

    def add_notice(self, text: str) -> None:
        self.store.write(lambda tx: tx.add_notice(self.now(), text))

    def exclusive(self) -> AbstractContextManager[None]:
        return exclusive_lock(self.layout.state_folder(self.scope) / "flush.lock")


@dataclass(frozen=True, slots=True)
class FlushedItem:
    """A lesson and its `home`, the file or the id of the entry that it was written to.

    `origin` is where it was said. `because` is why it has not been written yet, or why it waits
    for review. `contradicts` are active facts that contradict it, with their ids; the owner
    decides which one is right.
    """

    kind: str
    text: str
    home: str
    origin: str | None = None
    redacted: tuple[str, ...] = ()
    because: str | None = None
    contradicts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RefusedItem:
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FlushResult:
    """The result of a flush.

    `written` lessons are in their files now; `known` ones were already there. `waiting` ones are
    saved, and written as soon as their files can be. `review` lessons may be somebody else's words
    and are kept apart until the owner confirms them. `created` names files that were missing.
    """

    last_flush: str
    written: tuple[FlushedItem, ...] = ()
    known: tuple[FlushedItem, ...] = ()
    waiting: tuple[FlushedItem, ...] = ()
    review: tuple[FlushedItem, ...] = ()
    refused: tuple[RefusedItem, ...] = ()
    created: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
