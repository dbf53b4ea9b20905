"""Keep the passages of a scope up to date: before each search, and by polling while a server runs.

Keyword search finds a file as soon as it has been read; vectors are computed later. Polling works
on every file system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from remem.entries.background import (
    MAX_URGENT_SECONDS,
    MAX_URGENT_TEXTS,
    BackgroundTask,
    VectorMaker,
    alternating,
)
from remem.entries.vectors import has_models, request_vectors
from remem.errors import EmbedderError, FullTextIndexDamaged, RememError, StoreDamaged
from remem.model.passage import SOURCES
from remem.ports import without_waiting
from remem.ports.models import Embedder
from remem.search.refresh.refresh import Refresh, RefreshPlan, RefreshReport
from remem.text.words import search_terms

if TYPE_CHECKING:
    from remem.ports.passages import PassageReader, PassageStore

_FIRST_POLL_SECONDS: Final = 0.05
"""Short, because many workspaces are open only briefly."""
_POLL_SECONDS: Final = 2.0
_REFRESH_TIMEOUT: Final = 10.0
"""How many seconds a search waits for changed files to be read."""
_MAX_INLINE_VECTORS: Final = 8
"""Up to this many missing vectors are computed before a search instead of after it."""


@dataclass
class Freshness:
    """Keeps the passages of one scope and their vectors up to date."""

    store: PassageStore
    refresh: Refresh
    embedders: Sequence[Embedder]
    background: bool
    _poller: BackgroundTask = field(init=False)
    _vectors: VectorMaker[int] = field(init=False)
    _failed: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._poller = BackgroundTask(
            self._poll, "remem watch", every=_POLL_SECONDS, first_pause=_FIRST_POLL_SECONDS
        )
        self._vectors = VectorMaker(self.store, self.embedders, "remem passage vectors")

    def start(self) -> None:
        if self.background:
            self._poller.start()

    def pending_work(
        self, reader: PassageReader, question: str = ""
    ) -> Callable[[], str | None] | None:
        """Return what has to be done before a search, or None if the passages are up to date."""
        try:
            plan = self.refresh.plan(reader)
        except (StoreDamaged, FullTextIndexDamaged):
            raise
        except RememError:
            return self.before_search  # reports the error
        if plan.is_empty and not self._lacks_vectors(reader):
            self._failed = None
            return None
        return lambda: self.before_search(plan, question)

    def before_search(self, plan: RefreshPlan | None = None, question: str = "") -> str | None:
        """Read changed files; return why search may be out of date, or None if it is not.

        If the files cannot be read, search continues with the passages of the last refresh. Some
        missing vectors are made: all if few are missing, otherwise those of passages that may
        answer the question, and quick vectors of the others. A search does not wait for another
        program that has locked the database.
        """
        done = self.read_changes(plan)
        if done is None:
            return self._failed
        with without_waiting():
            self._embed_some(question)
        if done.waiting:
            return f"{done.waiting} changed files have not been read yet"
        return self.store.pop_notice()

    def read_changes(self, plan: RefreshPlan | None = None) -> RefreshReport | None:
        """Read changed files without making vectors; None if that failed (`problems` says why)."""
        self.store.reopen()
        with without_waiting():
            try:
                done = self._refresh_repaired(plan)
            except RememError as error:
                self._failed = str(error)
                return None
        self._failed = None
        return done

    def run(self, progress: Callable[[int, int], None]) -> RefreshReport:
        """Bring search up to date without a time limit."""
        done = self.refresh(progress)
        self._failed = None
        if self.background:
            self._vectors.make_in_background()
        return done

    def reread_all(self) -> RefreshReport:
        """Forget every file and read them all again."""
        with self.store.read() as reader:
            known = list(reader.files())
        self.store.write(lambda tx: tx.forget(known))
        return self.run(lambda _done, _of: None)

    def embed(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Compute all missing vectors now, and return their number."""
        return self._vectors.make_all(progress)

    def missing_vectors(self) -> int:
        """Return the number of passages that the configured model has not embedded."""
        with self.store.read() as reader:
            return reader.vector_state().pending

    def language_hint(self) -> str | None:
        """Return a hint if the model does not support a language of the files; None if it does."""
        from remem.search.languages import language_hint  # lazy: for status and migration

        if not self.embedders:
            return None
        try:
            with self.store.read() as reader:
                return language_hint(reader, self.embedders)
        except RememError:  # `problems` says why
            return None

    def problems(self) -> list[str]:
        reasons = [
            self.store.problem,
            self._failed or self._poller.problem,
            *self._vectors.problems,
        ]
        return [reason for reason in reasons if reason]

    def close(self) -> None:
        """Stop; unfinished work is done when the workspace is opened again."""
        self.refresh.close()
        self._poller.close()
        self._vectors.close()
        self.store.close()

    def _refresh_repaired(self, plan: RefreshPlan | None) -> RefreshReport:
        """Refresh; if the store is damaged, the first attempt resets it and the second fills it."""
        try:
            return self.refresh(seconds=_REFRESH_TIMEOUT, plan=plan)
        except (StoreDamaged, FullTextIndexDamaged):
            return self.refresh(seconds=_REFRESH_TIMEOUT)

    def _poll(self) -> None:
        done = self.refresh()
        if done.without_vector:
            self._vectors.make_in_background()

    def _lacks_vectors(self, reader: PassageReader) -> bool:
        """Return whether vectors of the configured model are missing and can be made."""
        if not self.embedders or self._is_embedder_down:
            return False
        try:
            return reader.vector_state().pending > 0 or not has_models(reader, *self.embedders)
        except EmbedderError as error:
            self._vectors.model_problem = str(error)
            return False

    @property
    def _is_embedder_down(self) -> bool:
        """Whether the background thread retries an embedder, so that no search needs to."""
        return self.background and self._vectors.model_problem is not None

    def _embed_some(self, question: str) -> None:
        """Make some of the missing vectors before a search."""
        try:
            with self.store.read() as reader:
                if not self._lacks_vectors(reader):
                    return
            if self.background:
                self._vectors.make_in_background()  # first, so that it retries what fails here
            request_vectors(self.store, *self.embedders)
            with self.store.read() as reader:
                missing = reader.vector_state().pending
            if missing <= _MAX_INLINE_VECTORS:
                self.embed()
                return
            if not self.background:
                self._vectors.make_quick()
            self._embed_candidates(question)
        except RememError as error:
            self._vectors.model_problem = str(error)
        else:
            self._vectors.model_problem = None

    def _embed_candidates(self, question: str) -> None:
        """Embed the passages that may answer a question before the others."""
        if not question or self.embedders[0].embed_quickly([]) is None:
            return  # a model on a server may be slow
        query = self.embedders[0].embed_query(question).pooled
        identity = self.embedders[0].identity
        with self.store.read() as reader:
            words = reader.keyword(search_terms(question), SOURCES, MAX_URGENT_TEXTS).hits
            near = reader.nearest(identity, query, SOURCES, MAX_URGENT_TEXTS)
        self._vectors.make_first(alternating(words, near), MAX_URGENT_SECONDS)
