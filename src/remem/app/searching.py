"""Search and recall of one scope, opened by the first operation that needs them.

Most operations that store entries or show the index need neither.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from remem.fast_dataclass import dataclass
from remem.text.timestamps import normalize_time

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.app.context import Resources, SessionContext
    from remem.entries.sync import Sync
    from remem.ports.passages import PassageStore
    from remem.search.answer.answer import Answer
    from remem.search.passages.search import ScopeSearch
    from remem.search.query.question import RecallOptions
    from remem.search.rank.reranking import Reranking
    from remem.search.recall import Recall
    from remem.search.sync import Freshness
    from remem.search.usage_log import UsageLog


@dataclass(frozen=True, slots=True)
class RecallService:
    """Answers questions for one session; `require_gate` raises if a group's gate is unread."""

    context: SessionContext
    require_gate: Callable[[], None]
    answer_request: Recall

    def recall(self, query: str, now: str | None, options: RecallOptions) -> Answer:
        from remem.search.query.question import parse_request

        request = parse_request(query, options)
        if project := self.context.only_project:
            request = replace(request, where=replace(request.where, project=project))
        self.require_gate()
        anchor = normalize_time(now, "now") if now else self.context.now()
        return self.answer_request(request, anchor)

    def recall_unrecorded(self, query: str) -> Answer:
        """Recall without recording the use of entries or refreshing files, for validation."""
        from remem.search.query.question import parse_request

        files = replace(self.answer_request.files, freshness=None)
        answer_request = replace(self.answer_request, usage_log=None, sync=None, files=files)
        return answer_request(parse_request(query, {}), self.context.now())


class SearchParts:
    """The parts of search, which are opened and imported when they are first used."""

    def __init__(self, resources: Resources, sync: Sync) -> None:
        self._resources = resources
        self._sync = sync
        self._freshness: Freshness | None = None
        self._lock = threading.Lock()

    @property
    def passages(self) -> PassageStore:
        return self.freshness.store

    @property
    def freshness(self) -> Freshness:
        """The object that keeps the passages up to date; all threads share it."""
        with self._lock:
            if self._freshness is None:
                self._freshness = self._open_freshness()
            return self._freshness

    @cached_property
    def scope_search(self) -> ScopeSearch:
        from remem.search.passages.places import EntryPlaces
        from remem.search.passages.search import MODEL_TIMEOUT_SECONDS, ScopeSearch
        from remem.search.query.embedding import QueryEmbedder, TimeLimit

        resources, sync, context = self._resources, self._sync, self._resources.context
        models = resources.models
        embedder = QueryEmbedder(models.embedders, models.unavailable, models.standby)
        places = EntryPlaces(context.layout, context.scope, sync.before_file_read)
        return ScopeSearch(
            self.passages,
            embedder,
            TimeLimit(MODEL_TIMEOUT_SECONDS),
            self.freshness,
            resources.store,
            places,
            sync,
            resources.without_signals,
            self._reranking(),
            context.zone,
        )

    @cached_property
    def usage_log(self) -> UsageLog:
        from remem.search.usage_log import UsageLog

        return UsageLog(self._resources.store, self._resources.context.clock)

    def _reranking(self) -> Reranking | None:
        if self._resources.models.reranker is None:
            return None
        from remem.search.rank.reranking import Reranking

        return Reranking(self._resources.models.reranker)

    def problems(self) -> list[str | None]:
        """Return the problems of the parts that have been opened so far; None is no problem."""
        log_problem = self.usage_log.problem if "usage_log" in self.__dict__ else None
        return [*(self._freshness.problems() if self._freshness else []), log_problem]

    def close(self) -> None:
        if self._freshness is not None:
            self._freshness.close()
        if "usage_log" in self.__dict__:
            self.usage_log.close()

    def _open_freshness(self) -> Freshness:
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


def recall_service(services: Services) -> RecallService:
    """Connect the parts of recall for a workspace."""
    from remem.search.recall import Recall

    context, resources, search = services.context, services.resources, services.scope_search
    recall = Recall(
        services.store,
        services.sync,
        search,
        resources.counter,
        search.model,
        resources.random_bytes,
        services.searching.usage_log,
        resources.without_signals,
        services.known_facts,
        transcripts=context.reads_transcripts,
        project=context.project,
    )
    return RecallService(context, services.require_gate, recall)
