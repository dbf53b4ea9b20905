"""The arguments of `open_workspace` that all scopes share, and the models that they choose."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from remem.app.context import Models
from remem.app.environment import (
    choose_embedders,
    choose_reranker,
    home_folder,
    standby_embedders,
)
from remem.app.tools.declare import PROFILES
from remem.config import Config
from remem.embed.counters import ExactCounter, choose_counter
from remem.errors import FileError, InvalidInput, quoted
from remem.fast_dataclass import dataclass
from remem.files.layout import Layout
from remem.model.arguments import one_of
from remem.model.entry import TRUSTS, Trust
from remem.model.scope import MAIN, Scope
from remem.ports import Clock
from remem.ports.models import Chat, Embedder, Extractor, TokenCounter

if TYPE_CHECKING:
    from remem.graph.server import GraphServer
    from remem.search.qmd import Qmd


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """The arguments of `open_workspace` that do not depend on the scope.

    A session that opens one of its shared spaces passes its own `models` on.
    """

    layout: Layout
    config: Config
    clock: Clock
    trust: Trust = "owner"
    background: bool = True
    profile: str = "core"
    conversation: str = ""
    keywords_only: bool = False
    without_signals: frozenset[str] = frozenset()
    embedder: Embedder | Sequence[Embedder] | None = None
    counter: TokenCounter | None = None
    random_bytes: Callable[[int], bytes] = os.urandom
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    models: Models | None = None

    def __post_init__(self) -> None:
        one_of(self.trust, TRUSTS, "trust")
        one_of(self.profile, PROFILES, "profile")
        if isinstance(self.embedder, str):
            raise InvalidInput(
                f"embedder must be a model, not {quoted(self.embedder)}",
                hint="write its name into .remem/config.toml",
            )

    def chosen_models(self) -> Models:
        """Return the models that the caller passed, or else the configured ones."""
        if self.models is not None:
            return self.models
        if self.keywords_only:
            return Models((), "keyword search was requested")
        embedder = self.embedder
        if embedder is not None:
            return Models(tuple(embedder) if isinstance(embedder, Sequence) else (embedder,))
        embedders, unavailable = choose_embedders(self.config, self.environment)
        standby = standby_embedders(self.config, self.environment)
        reranker = choose_reranker(self.config, self.environment)
        return Models(embedders, unavailable, standby, reranker)

    def counter_for(self, scope: Scope | None) -> TokenCounter:
        """Return the counter that the caller passed, or else the configured one.

        Short-lived programs save exact counts for the next program, because counting is slow.
        """
        if self.counter is not None:
            return self.counter
        counter = choose_counter(self.config.token_counter)
        if scope is None or self.background or not isinstance(counter, ExactCounter):
            return counter
        from remem.embed.counters import CachedCounter

        def key() -> bytes | None:
            from remem.files import workspace_key  # only needed for exact counts

            with suppress(FileError):  # a damaged key is reported where it is needed
                secret = workspace_key.read(self.layout)
                return secret and workspace_key.derived_key(secret, "token counts", str(scope))
            return None

        return CachedCounter(counter, self.layout.token_counts(scope), key)

    def extractor(self) -> Extractor:
        """Return the configured extractor; its module is imported only when it is needed."""
        return _extractor(self.config, self.environment)

    def rule_extractor(self) -> Extractor:
        """Return the extractor that makes no calls."""
        return _extractor(Config(), self.environment)

    def chat(self) -> Chat | None:
        from remem.extract.llm import configured_chat

        return configured_chat(self.config, self.environment)

    def qmd(self) -> Qmd | None:
        if not self.config.qmd:
            return None
        from remem.search.qmd import configured_qmd

        return configured_qmd(self.config, self.environment)

    def graph_server(self, url: str = "") -> GraphServer | None:
        """Return the server at a URL, or the configured one, with the environment's password."""
        if not (address := url or self.config.graph):
            return None
        from remem.graph.server import GraphServer

        get = self.environment.get
        user, password = get("NEO4J_USERNAME", "neo4j"), get("NEO4J_PASSWORD", "")
        return GraphServer(address, user, password, get("NEO4J_DATABASE", ""))

    def project_of(self, folder: str | os.PathLike[str] | None, scope: Scope) -> str | None:
        """Return the tag of a folder's project; only main has projects."""
        if folder is None or scope != MAIN:
            return None
        from remem.files.project_folder import project_of  # lazy: only hosts name a folder

        return project_of(Path(folder), self.layout.root, home_folder(self.environment))


def _extractor(config: Config, environment: Mapping[str, str]) -> Extractor:
    from remem.extract.llm import choose_extractor

    return choose_extractor(config, environment)
