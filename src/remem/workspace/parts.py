"""What is a workspace made of? Wiring chooses each part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from remem.config import Config
from remem.core.entry import Trust
from remem.core.scope import Scope, Session
from remem.notes.layout import Layout
from remem.ports import Clock, Embedder, Store, TokenCounter


@dataclass(frozen=True, slots=True)
class Parts:
    """One opened workspace, before anything is asked of it."""

    layout: Layout
    session: Session
    scope: Scope
    config: Config
    store: Store
    counter: TokenCounter
    embedders: tuple[Embedder, ...]
    without_model: str | None
    clock: Clock
    random_bytes: Callable[[int], bytes]
    trust: Trust
    schema: int
    background: bool
