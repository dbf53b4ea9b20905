"""Search and reading of memory files within the session's own scope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from remem.app.parts import Opened
from remem.errors import StoreError
from remem.search.refresh.reading import domain_sources
from remem.search.refresh.refresh import Refresh, Refreshed
from remem.text.timestamps import date_of

if TYPE_CHECKING:
    from remem.disclose.get import Excerpt
    from remem.ports.passages import PassageStore
    from remem.search.passages.memory_search import MemorySearch, SearchOptions
    from remem.search.passages.snippet import SearchResult

_DIRECT: Final = ("main", "peer")
"""Chats with one person; any other is none, for citations too."""


class Files(Opened):
    """Neither needs the store of entries: where that is broken, the files still answer."""

    def search(
        self,
        query: str,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: str | None = None,
    ) -> SearchResult:
        """Passages of memory files and opted-in transcripts, best first: at most six, unless
        `max_results` says otherwise. `min_score` cuts by relevance, never by age."""
        from remem.search.passages.memory_search import (
            parse_options,
            unavailable,
            unavailable_after,
        )

        looked_for = parse_options(query, max_results, min_score, corpus)
        if refusal := self._gate_guard.refusal():
            return unavailable(refusal.error, "Read the gate, then search again.")
        stale = self._freshness.before_search() or self._parts.passages.trouble
        try:
            found = self._search(looked_for, date_of(self._now()), self._nonce(), stale)
            return self._with_domain_files(found, looked_for)
        except StoreError as error:
            return unavailable_after(error)

    def _with_domain_files(self, found: SearchResult, looked_for: SearchOptions) -> SearchResult:
        """Search the domain files when entries cannot be recalled."""
        beside = self._parts.in_place_of_entries()
        if beside is None or looked_for.corpus not in (None, "memory", "all"):
            return found
        layout, scope = self._parts.layout, self._parts.scope
        try:
            Refresh(beside, lambda: domain_sources(layout, scope), layout.refresh_lock(scope))()
            more = self._searching(beside)(looked_for, date_of(self._now()), self._nonce(), None)
        finally:
            beside.close()
        best = sorted((*found.results, *more.results), key=lambda hit: -hit.score)
        return replace(found, results=tuple(best[: looked_for.limit]))

    def get(
        self,
        path: str,
        from_line: int | None = None,
        lines: int | None = None,
        corpus: str | None = None,
    ) -> Excerpt:
        """Lines of a memory file, unchanged. Files that remem writes contain what was stored before
        the call; if that failed, a warning says so."""
        from remem.disclose.get import Get, check_request

        parts = self._parts
        wish = check_request(path, from_line, lines, corpus)
        behind = None if _is_owners(path) else self._upkeep.before_file_read()
        read = Get(parts.session, parts.layout, parts.config.extra_paths, self._gate_guard)
        found = read(wish, self._nonce())
        if behind and found.status == "ok" and parts.layout.is_projection(found.path, self.scope):
            return replace(found, warning=f"It may lack what was stored last: {behind}.")
        return found

    def refresh(
        self,
        progress: Callable[[int, int], None] = lambda _done, _of: None,
        *,
        with_vectors: bool = False,
        vectors_made: Callable[[int], None] = lambda _made: None,
    ) -> Refreshed:
        """Bring search up to date with the files now. Search does so by itself; this waits
        until everything is read and, if asked to, until every vector is made."""
        done = self._freshness.run(progress)
        if with_vectors:
            made = self._freshness.embed(vectors_made)
            done = replace(done, without_vector=max(0, done.without_vector - made))
        return done

    @cached_property
    def _search(self) -> MemorySearch:
        """Loaded when files are searched for the first time: a recall does without it."""
        return self._searching(self._parts.passages)

    def _searching(self, passages: PassageStore) -> MemorySearch:
        from remem.search.passages.memory_search import MemorySearch
        from remem.search.passages.search import MODEL_TIMEOUT_SECONDS, PassageSearch
        from remem.search.query.embedding import QueryEmbedder, TimeLimit

        parts = self._parts
        model = QueryEmbedder(parts.embedders, parts.without_model, parts.standby)
        return MemorySearch(
            PassageSearch(
                passages, model, TimeLimit(MODEL_TIMEOUT_SECONDS), self._freshness.before_search
            ),
            citations=parts.config.citations,
            direct=parts.session.kind in _DIRECT,
            transcripts=str(parts.scope) in parts.config.transcripts,
        )

    def _nonce(self) -> str:
        return self._parts.random_bytes(6).hex()


def _is_owners(path: str) -> bool:
    """Whether a path names a file that is never derived from entries."""
    return PurePosixPath(path).name in ("MEMORY.md", "USER.md")
