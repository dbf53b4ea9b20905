"""What does a flush work with? The parts of one scope, and the lock of its files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo

from remem.core.scope import Scope
from remem.notes.layout import Layout
from remem.notes.locks import alone
from remem.ports import Store
from remem.remember.means import Remembering


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
