"""What did a flush do? What was written where, what was known, what was refused and why.

What does a flush work with? The parts of one scope, and the lock of its files.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo

from remem.entries.receipt import Remembering
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.model.scope import Scope
from remem.ports.entries import Store


@dataclass(frozen=True, slots=True)
class Flushing:
    """What a flush works with."""

    store: Store
    layout: Layout
    scope: Scope
    how: Remembering
    zone: tzinfo | None
    now: Callable[[], str]
    conversation: str = ""

    def announce(self, text: str) -> None:
        self.store.write(lambda tx: tx.announce(self.now(), text))

    def alone(self) -> AbstractContextManager[None]:
        return alone(self.layout.state_folder(self.scope) / "flush.lock")


@dataclass(frozen=True, slots=True)
class Kept:
    """A lesson and its one home: a file, or the id of an entry.

    `origin` is where it was said. `because` is why its file does not show it yet, or why it waits
    for review. `contradicts`
    are the facts that stand and cannot hold beside it, each with its id: which one does is for
    the owner to say.
    """

    kind: str
    text: str
    home: str
    origin: str | None = None
    redacted: tuple[str, ...] = ()
    because: str | None = None
    contradicts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Flushed:
    """What came of a flush.

    `written` stands in its home now. `known` stood there before. `waiting` is kept safely, and
    written as soon as its file lets it. `review` may be somebody else's words: it is kept apart
    until the owner confirms it. `created` names files that were missing.
    """

    last_flush: str
    written: tuple[Kept, ...] = ()
    known: tuple[Kept, ...] = ()
    waiting: tuple[Kept, ...] = ()
    review: tuple[Kept, ...] = ()
    refused: tuple[Refused, ...] = ()
    created: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
