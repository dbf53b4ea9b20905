"""The parts of a workspace, and what all of its services share: synchronisation and closing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Self

from remem.config import Config
from remem.disclose.gate_guard import GateGuard
from remem.entries.domain_sync.projector import Projector
from remem.entries.receipt import StoreDependencies
from remem.entries.sync import Sync
from remem.errors import NotAllowed
from remem.files.conversations import Conversations, end_conversation
from remem.files.layout import Layout
from remem.files.private_paths import PrivatePaths, private_paths
from remem.model.entry import Trust
from remem.model.scope import MAIN, Scope, Session
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import Chat, Embedder, Extractor, TokenCounter
from remem.ports.passages import PassageStore
from remem.search.refresh.reading import SourceFiles
from remem.search.refresh.refresh import Refresh
from remem.search.sync import Freshness
from remem.search.usage_log import UsageLog

if TYPE_CHECKING:
    from remem.files.facts import KnownFacts
    from remem.files.transcripts.locate import Listing
    from remem.search.qmd import Qmd, QmdUpdater
    from remem.setup.validate.result import ToolResult


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
    """The extractor that makes no calls, for reading everything again."""
    standby: tuple[Embedder, ...] = ()
    """Models whose vectors may serve until those of `embedders` are made."""
    in_place_of_entries: Callable[[], PassageStore | None] = lambda: None
    """While no entry can be read: where search puts what the domain files say, for a moment."""
    zone: tzinfo | None = None
    """Whose midnight ends the owner's day; None for this machine's."""
    self_test: Callable[[], Sequence[ToolResult]] = tuple
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
    """Signals that the ranking leaves out, to measure what each is worth."""


def refreshing(parts: Parts) -> Refresh:
    """What search reads for a session: its scope's files and, where allowed, transcripts."""
    allowed = str(parts.scope) in parts.config.transcripts
    sources = SourceFiles(
        parts.layout,
        parts.scope,
        parts.config.extra_paths,
        parts.transcripts if allowed else None,
    )
    return Refresh(parts.passages, sources, parts.layout.refresh_lock(parts.scope))


def _following(parts: Parts) -> QmdUpdater | None:
    if parts.qmd is None or parts.scope != MAIN:
        return None
    from remem.search.qmd import QmdUpdater  # few workspaces are used with QMD

    return QmdUpdater(parts.layout, parts.qmd, background=parts.background)


class Opened:
    """A memory, opened for one session; it ends with `close` or its `with` block."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._closed = False
        self._store = parts.store
        self._now = parts.clock
        self._how = StoreDependencies(parts.counter, parts.config.topics, parts.random_bytes)
        files = Projector(
            parts.store,
            parts.layout,
            parts.scope,
            self._how,
            parts.clock,
            parts.config.index_tokens,
        )
        self._upkeep = Sync(
            parts.store,
            files,
            parts.embedders,
            parts.clock,
            parts.config.topics,
            parts.background,
        )
        self._freshness = Freshness(
            parts.passages,
            refreshing(parts),
            parts.embedders,
            parts.background,
        )
        self._conversation = Conversations(
            parts.layout, parts.session, parts.conversation, parts.clock
        )
        self._gate_guard = GateGuard(parts.layout, parts.scope, self._conversation)
        self._usage_log = UsageLog(parts.store, parts.clock)
        self._qmd = _following(parts)
        self._upkeep.start()
        self._freshness.start()

    @property
    def session(self) -> Session:
        return self._parts.session

    @property
    def scope(self) -> Scope:
        return self._parts.scope

    @property
    def private_places(self) -> PrivatePaths:
        """What must not be in an answer for this session; the owner may read everything."""
        return () if self.session.kind == "main" else private_paths(self._parts.layout.root)

    @property
    def trouble(self) -> list[str]:
        """What does not work at present, and why; empty when all is well."""
        without = self.without_meaning
        reasons = [
            *self._upkeep.trouble(),
            *self._freshness.trouble(),
            *(self._qmd.trouble() if self._qmd else []),
            *([without] if without else []),
        ]
        return list(dict.fromkeys(reasons))

    @property
    def without_meaning(self) -> str | None:
        """Why what is asked is found by its words alone; None where that was chosen."""
        chosen = self._parts.config.embedder == "none"
        without = None if chosen else self._parts.without_model
        return f"keyword only: {without}" if without else None

    @property
    def makes_vectors(self) -> bool:
        """Whether there is a model that can make one."""
        return bool(self._parts.embedders)

    def end_conversation(self) -> None:
        """What this conversation has read no longer counts: it is over, or was compacted."""
        end_conversation(self._parts.layout, self.session, self._parts.conversation)

    def close(self) -> None:
        """Finish what is under way; what is not finished is done on the next open."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._qmd is not None:
                self._qmd.close()
            self._freshness.close()
            self._usage_log.close()
            self._upkeep.close()
        finally:
            self._store.close()
            for embedder in (*self._parts.embedders, *self._parts.standby):
                embedder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _brain_changed(self) -> str | None:
        """Let QMD read brain/areas again; returns why it could not, if known."""
        return self._qmd.changed() if self._qmd else None

    def _summaries_follow(self, known: KnownFacts, entities: Iterable[str]) -> list[str]:
        """A fact that is no longer active leaves its summary at once: search reads that too. Why
        one could not follow."""
        from remem.learn.synthesize.synthesize import SynthesisJob, refresh_summaries

        parts = self._parts
        roots = list(dict.fromkeys(known.root(entity).id for entity in entities))
        today = self._now()[:10]
        return refresh_summaries(
            SynthesisJob(parts.layout, parts.store, parts.rules(), today), known, roots
        )

    def _owner_only(self, what: str, command: str) -> None:
        if self._parts.trust != "owner":
            raise NotAllowed(f"only the owner {what}", hint=f"use `{command}`")
