"""What can be done with memory files? Searched and read, within the session's own scope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from remem.core.moments import day
from remem.disclosure.get import Excerpt, Get, asked
from remem.errors import StoreError
from remem.recall.found import Found
from remem.recall.memory_search import MemorySearch, broken, unavailable, wish
from remem.recall.search import PATIENCE, PassageSearch
from remem.recall.sensing import Model, Patience
from remem.refresh import Refreshed
from remem.workspace.opened import Opened
from remem.workspace.parts import Parts

_DIRECT: Final = ("main", "peer")
"""Chats with one person; any other is none, for citations too."""


class Files(Opened):
    """Neither needs the store of entries: where that is broken, the files still answer."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        model = Model(parts.embedders, parts.without_model)
        self._search = MemorySearch(
            PassageSearch(parts.passages, model, Patience(PATIENCE)),
            citations=parts.config.citations,
            direct=parts.session.kind in _DIRECT,
            transcripts=str(parts.scope) in parts.config.transcripts,
        )
        self._get = Get(parts.session, parts.layout, parts.config.extra_paths, self._entry)

    def search(
        self,
        query: str,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: str | None = None,
    ) -> Found:
        """Passages of memory files and opted-in transcripts, best first: at most six, unless
        `max_results` says otherwise. `min_score` cuts by relevance, never by age."""
        looked_for = wish(query, max_results, min_score, corpus)
        if refusal := self._entry.refusal():
            return unavailable(refusal.error, "Read the gate, then search again.")
        stale = self._freshness.before_search() or self._parts.passages.trouble
        try:
            return self._search(looked_for, day(self._now()), self._nonce(), stale)
        except StoreError as error:
            return broken(error)

    def get(
        self,
        path: str,
        from_line: int | None = None,
        lines: int | None = None,
        corpus: str | None = None,
    ) -> Excerpt:
        """Lines of a memory file, as they stand there."""
        return self._get(asked(path, from_line, lines, corpus), self._nonce())

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

    def _nonce(self) -> str:
        return self._parts.random_bytes(6).hex()
