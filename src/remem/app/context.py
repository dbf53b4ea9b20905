"""The session of an opened workspace with its rights, and the resources that it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import date, tzinfo
from typing import TYPE_CHECKING

from remem.embed.counters import CachedCounter
from remem.errors import NotAllowed
from remem.fast_dataclass import dataclass
from remem.files.private_paths import PrivatePaths, private_paths
from remem.model.scope import MAIN, Scope, Session
from remem.text.timestamps import parse_time

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.config import Config
    from remem.files.layout import Layout
    from remem.files.own_memory import OwnMemory
    from remem.files.transcripts.locate import TranscriptListing
    from remem.graph.server import GraphServer
    from remem.model.entry import Trust
    from remem.ports import Clock
    from remem.ports.entries import Store
    from remem.ports.models import Chat, Embedder, Extractor, Reranker, TokenCounter
    from remem.ports.passages import PassageStore
    from remem.ports.spaces import SpaceList
    from remem.search.qmd import Qmd
    from remem.setup.validate.result import ToolResult


@dataclass(frozen=True, slots=True)
class SessionContext:
    """A session, the scope it works on, and the settings of the workspace.

    `zone` is the owner's time zone, or None for the machine's. `conversation` is the
    host's id of the current conversation, `project` the tag of the project that it is about.
    `profile` names the set of tools that the host is offered. `space_list` returns the list of the
    shared spaces; if `is_team` is true, several machines share it.
    """

    layout: Layout
    session: Session
    scope: Scope
    config: Config
    trust: Trust
    clock: Clock
    space_list: Callable[[], SpaceList]
    is_team: bool
    zone: tzinfo | None = None
    conversation: str = ""
    project: str | None = None
    profile: str = "core"

    @property
    def is_main(self) -> bool:
        return self.scope == MAIN

    @property
    def may_have_spaces(self) -> bool:
        """Whether shared spaces may exist; most workspaces have no list of them."""
        return self.is_team or self.layout.spaces_file.exists()

    @property
    def reads_transcripts(self) -> bool:
        """Whether the settings let this scope search its conversations."""
        return str(self.scope) in self.config.transcripts

    @property
    def only_project(self) -> str | None:
        """The project to which answers are restricted, if the settings restrict them."""
        return self.project if self.config.this_project_only else None

    @property
    def private_paths(self) -> PrivatePaths:
        """Paths that answers for this session must not contain; none for the owner."""
        return () if self.session.kind == "main" else private_paths(self.layout.root)

    def now(self) -> str:
        return self.clock()

    def today(self) -> date:
        """Return today's date in the owner's time zone."""
        return parse_time(self.clock()).astimezone(self.zone).date()

    def require_owner(self, action: str, command: str) -> None:
        """Refuse callers who are not the owner; `action` is a verb phrase for the message."""
        if self.trust != "owner":
            raise NotAllowed(f"only the owner can {action}", hint=f"use `{command}`")

    @property
    def may_keep_secrets(self) -> bool:
        """Whether secrets may be stored unmasked: only by the owner, in main."""
        return self.is_main and self.trust == "owner"

    def require_secret_keeper(self, command: str) -> None:
        """Refuse sessions that may not store unmasked secrets."""
        if not self.may_keep_secrets:
            raise NotAllowed(
                "only the owner can store unmasked secrets, and only in main",
                hint=f"use `{command} --keep`, without --session",
            )

    def require_main(self, reason: str) -> None:
        """Refuse every scope but main; `reason` is the message."""
        if not self.is_main:
            raise NotAllowed(reason, hint="use the main session, without --session")


@dataclass(frozen=True, slots=True)
class Models:
    """The embedding models of a workspace.

    If there are no `embedders`, `unavailable` says why. While the embedders have made few vectors,
    search uses those that a `standby` model made earlier.
    """

    embedders: tuple[Embedder, ...]
    unavailable: str | None = None
    standby: tuple[Embedder, ...] = ()
    reranker: Reranker | None = None

    def close(self) -> None:
        for embedder in (*self.embedders, *self.standby):
            embedder.close()
        if self.reranker is not None:
            self.reranker.close()


@dataclass(frozen=True, slots=True)
class Resources:
    """The stores, models and other resources that `open_workspace` has opened for a session.

    - `passages` opens the store of passages.
    - `store_copy` opens a temporary copy of the store, for dry runs.
    - `fallback_passages` is a temporary store for domain files while entries cannot be read.
    - `transcripts` lists the conversations that the scope may search.
    - `own_memories` lists the agents' own memories that the settings let main search.
    - `extractor` returns the configured extractor, `rule_extractor` one that makes no calls.
    - `self_test` calls every tool in a temporary workspace.
    - `open_space` opens a shared space for the same session, with a given trust.
    - `graph_server` returns the server at a URL, or the configured one.
    - `without_signals` are ranking signals to leave out, for measurements.
    - `owns_models` is false for a space: it uses the models of its session, which closes them.
    """

    context: SessionContext
    store: Store
    passages: Callable[[], PassageStore]
    models: Models
    counter: TokenCounter
    random_bytes: Callable[[int], bytes]
    background: bool
    schema: int
    store_name: str
    store_copy: Callable[[], AbstractContextManager[Store]]
    fallback_passages: Callable[[], PassageStore | None]
    transcripts: Callable[[], TranscriptListing]
    own_memories: Callable[[], Sequence[OwnMemory]]
    extractor: Callable[[], Extractor]
    rule_extractor: Callable[[], Extractor]
    chat: Callable[[], Chat | None]
    self_test: Callable[[], Sequence[ToolResult]]
    open_space: Callable[[Scope, Trust], Workspace]
    qmd: Qmd | None = None
    graph_server: Callable[[str], GraphServer | None] = lambda _url: None
    without_signals: frozenset[str] = frozenset()
    owns_models: bool = True

    def close(self) -> None:
        if self.owns_models:
            self.models.close()
        if isinstance(self.counter, CachedCounter):
            self.counter.save()

    @property
    def keyword_only(self) -> str | None:
        """Why search uses keywords only; None if it uses a model, or if `embedder` is "none"."""
        is_off = self.context.config.embedder == "none"
        if is_off or self.models.unavailable is None:
            return None
        return f"keyword only: {self.models.unavailable}"
