"""Search and read memory files, even if the database of entries cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from remem.app.context import Resources, SessionContext
from remem.disclose.gate_guard import GateGuard
from remem.disclose.get import Excerpt, MemoryFileReader, check_request, require_read
from remem.entries.sync import Sync
from remem.errors import GateFirst, NotAllowed, StoreError
from remem.search.passages.memory_search import (
    MemorySearch,
    SearchOptions,
    parse_options,
    unavailable_after,
)
from remem.search.passages.search import ScopeSearch
from remem.search.passages.snippet import SearchResult
from remem.search.refresh.reading import domain_sources
from remem.search.refresh.refresh import Refresh
from remem.search.sync import Freshness

_DIRECT_SESSIONS: Final = ("main", "peer")
"""Conversations with one person, as opposed to groups; `citations = "auto"` depends on this."""
_OWNERS_FILES: Final = ("MEMORY.md", "USER.md")
"""Files that are never derived from entries."""


@dataclass(frozen=True, slots=True)
class FileService:
    """Reads the memory files that a session may see."""

    context: SessionContext
    resources: Resources
    sync: Sync
    freshness: Freshness
    gate_guard: GateGuard
    scope_search: ScopeSearch

    def search(
        self, query: str, max_results: int | None, min_score: float | None, corpus: str | None
    ) -> SearchResult:
        options = parse_options(query, max_results, min_score, corpus)
        if refusal := self.gate_guard.refusal():
            raise GateFirst(refusal.error, hint="Read the gate, then search again.")
        findings = self._search(self.scope_search, options)
        return self._with_domain_files(findings, options)

    def search_for_host(
        self,
        query: str,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: str | None = None,
    ) -> SearchResult:
        """Search; if that is not possible, return the reason in the format that hosts expect."""
        try:
            return self.search(query, max_results, min_score, corpus)
        except (NotAllowed, StoreError) as error:
            return unavailable_after(error)

    def get(
        self, path: str, from_line: int | None, lines: int | None, corpus: str | None
    ) -> Excerpt:
        return require_read(self.get_for_host(path, from_line, lines, corpus))

    def get_for_host(
        self,
        path: str,
        from_line: int | None = None,
        lines: int | None = None,
        corpus: str | None = None,
    ) -> Excerpt:
        """Return lines of a file, or why they cannot be read, in the format that hosts expect."""
        context = self.context
        request = check_request(path, from_line, lines, corpus)
        is_owners_file = PurePosixPath(path).name in _OWNERS_FILES
        sync_problem = None if is_owners_file else self.sync.before_file_read()
        reader = MemoryFileReader(
            context.session, context.layout, context.config.extra_paths, self.gate_guard
        )
        result = reader(request, self._nonce())
        if (
            sync_problem
            and result.status == "ok"
            and context.layout.is_projection(result.path, context.scope)
        ):
            return replace(result, warning=f"It may lack the latest changes: {sync_problem}.")
        return result

    def _search(self, search: ScopeSearch, options: SearchOptions) -> SearchResult:
        context = self.context
        memory_search = MemorySearch(
            search,
            citations=context.config.citations,
            direct=context.session.kind in _DIRECT_SESSIONS,
            transcripts=context.reads_transcripts,
        )
        return memory_search(options, context.now(), self._nonce())

    def _with_domain_files(self, result: SearchResult, options: SearchOptions) -> SearchResult:
        """Add results from the domain files if entries cannot be read."""
        passages = self.resources.fallback_passages()
        if passages is None or options.corpus not in (None, "memory", "all"):
            return result
        layout, scope = self.context.layout, self.context.scope
        try:
            Refresh(passages, lambda: domain_sources(layout, scope), layout.refresh_lock(scope))()
            search = replace(self.scope_search, store=passages, freshness=None, entries=None)
            domain_file_results = self._search(search, options)
        finally:
            passages.close()
        results = sorted(
            (*result.results, *domain_file_results.results), key=lambda hit: -hit.score
        )
        return replace(result, results=tuple(results[: options.limit]))

    def _nonce(self) -> str:
        return self.resources.random_bytes(6).hex()
