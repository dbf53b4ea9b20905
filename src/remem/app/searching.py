"""The passages of a scope and their search, opened by the first command that reads them.

Most commands that store something, and those that show the index, need none of it.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.app.context import Resources
    from remem.entries.sync import Sync
    from remem.ports.passages import PassageStore
    from remem.search.passages.search import ScopeSearch
    from remem.search.sync import Freshness


class Searching:
    """The parts of search, which are opened and imported when they are first used."""

    def __init__(self, resources: Resources, sync: Sync) -> None:
        self._resources = resources
        self._sync = sync
        self._opened: Freshness | None = None
        self._opening = threading.Lock()

    @property
    def passages(self) -> PassageStore:
        return self.freshness.store

    @property
    def freshness(self) -> Freshness:
        """The object that keeps the passages up to date; all threads share it."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    @cached_property
    def scope_search(self) -> ScopeSearch:
        from remem.search.passages.places import EntryPlaces
        from remem.search.passages.search import MODEL_TIMEOUT_SECONDS, ScopeSearch
        from remem.search.query.embedding import QueryEmbedder, TimeLimit
        from remem.search.rank.reranking import Reranking

        resources, sync, context = self._resources, self._sync, self._resources.context
        models = resources.models
        embedder = QueryEmbedder(models.embedders, models.unavailable, models.standby)
        places = EntryPlaces(context.layout, context.scope, sync.before_file_read)
        files = self.passages, embedder, TimeLimit(MODEL_TIMEOUT_SECONDS), self.freshness
        last, ignored = Reranking(models.reranker), resources.without_signals
        return ScopeSearch(*files, resources.store, places, sync, ignored, last)

    def problems(self) -> list[str]:
        """Return what does not work, as far as passages were needed."""
        return self._opened.problems() if self._opened else []

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def _open(self) -> Freshness:
        from remem.search.refresh.reading import SourceFiles
        from remem.search.refresh.refresh import Refresh
        from remem.search.sync import Freshness

        resources, context = self._resources, self._resources.context
        layout, scope = context.layout, context.scope
        transcripts = resources.transcripts if context.reads_transcripts else None
        sources = SourceFiles(layout, scope, context.config.extra_paths, transcripts)
        passages = resources.passages()
        refresh = Refresh(passages, sources, layout.refresh_lock(scope))
        return Freshness(passages, refresh, resources.models.embedders, resources.background)
