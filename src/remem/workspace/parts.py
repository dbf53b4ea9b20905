"""What is a workspace made of? Wiring chooses each part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from remem.config import Config
from remem.core.entry import Trust
from remem.core.scope import Scope, Session
from remem.notes.layout import Layout
from remem.ports import Clock, Embedder, Extractor, PassageStore, Store, TokenCounter

if TYPE_CHECKING:
    from remem.maintenance.validation import Tried
    from remem.notes.transcripts.places import Listing


@dataclass(frozen=True, slots=True)
class Parts:
    """One opened workspace, before anything is asked of it."""

    layout: Layout
    session: Session
    scope: Scope
    config: Config
    store: Store
    passages: PassageStore
    transcripts: Callable[[], Listing]
    """The conversations that the scope may search."""
    counter: TokenCounter
    embedders: tuple[Embedder, ...]
    without_model: str | None
    clock: Clock
    random_bytes: Callable[[int], bytes]
    trust: Trust
    schema: int
    background: bool
    extractor: Callable[[], Extractor]
    zone: tzinfo | None = None
    """Whose midnight ends the owner's day; None for this machine's."""
    self_test: Callable[[], Sequence[Tried]] = tuple
    """Calls every tool in a workspace of its own."""
    profile: str = "core"
    """Which tools the host is offered."""
    conversation: str = ""
    """Which of the session's conversations this is, where the host has said so."""
