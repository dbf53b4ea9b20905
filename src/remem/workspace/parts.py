"""What is a workspace made of? Wiring chooses each part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from remem.config import Config
from remem.core.entry import Trust
from remem.core.scope import Scope, Session
from remem.notes.layout import Layout
from remem.ports import Chat, Clock, Embedder, Extractor, PassageStore, Store, TokenCounter

if TYPE_CHECKING:
    from remem.maintenance.qmd import Qmd
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
    copied_record: Callable[[], AbstractContextManager[Store]]
    """A copy of what `store` holds, on which things are tried out."""
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
    """Who reads what was said: as the settings have it."""
    rules: Callable[[], Extractor]
    """The reader that costs nothing, for whoever reads everything again."""
    standby: tuple[Embedder, ...] = ()
    """Models whose vectors may serve until those of `embedders` are made."""
    in_place_of_entries: Callable[[], PassageStore | None] = lambda: None
    """While no entry can be read: where search puts what the domain files say, for a moment."""
    zone: tzinfo | None = None
    """Whose midnight ends the owner's day; None for this machine's."""
    self_test: Callable[[], Sequence[Tried]] = tuple
    """Calls every tool in a workspace of its own."""
    profile: str = "core"
    """Which tools the host is offered."""
    conversation: str = ""
    """Which of the session's conversations this is, where the host has said so."""
    chat: Callable[[], Chat | None] = lambda: None
    """A language model, where one is configured."""
    qmd: Qmd | None = None
    """Another search over brain/areas that is to follow it, where one is configured."""
    without_signals: frozenset[str] = frozenset()
    """What the ranking does without, for whoever measures what a signal is worth."""
