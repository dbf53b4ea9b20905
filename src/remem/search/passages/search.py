"""Search the files and entries of one scope, by keyword and, if a model answers in time, by vector.

If a model fails, the result of the search says so, and the next search tries it again. If the
entries cannot be read, the files are searched alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import field, replace
from datetime import UTC, tzinfo
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from remem.errors import (
    EmbedderTimeout,
    FullTextIndexDamaged,
    StoreDamaged,
    StoreError,
)
from remem.fast_dataclass import dataclass
from remem.model.passage import Source
from remem.ports.entries import Snapshot, Store
from remem.search.passages.places import EntryPlaces, as_lines_of_files
from remem.search.passages.selection import Relevance, ScoredResult, worth_showing
from remem.search.query.embedding import QueryEmbedder, QuestionVectors, TimedQuery, TimeLimit
from remem.search.query.question import Question, Request, parse_question
from remem.search.query.terms import Term, TermCoverage
from remem.search.rank.candidates import (
    EntryHits,
    correct_spelling,
    gather_entries,
)
from remem.search.rank.context import CONVERSATIONS, ConversationContext
from remem.search.rank.currency import prefer_current
from remem.search.rank.passages import KEYWORD_DEPTH, PassageHits, gather_passages
from remem.search.rank.ranking import Candidate, rank
from remem.text.timestamps import local_day

if TYPE_CHECKING:
    from remem.entries.sync import Sync
    from remem.ports.passages import PassageReader, PassageStore
    from remem.search.rank.ranking import RankedCandidate
    from remem.search.rank.reranking import Reranking
    from remem.search.sync import Freshness

T = TypeVar("T")
MODEL_TIMEOUT_SECONDS: Final = 5.0
_RESULTS_PER_WANTED: Final = 10
"""Of the ranked texts this many per wanted result are looked up in files; some are left out."""
_EXTENDED_PER_WANTED: Final = 2
"""Of these, this many per wanted result are shown with the lines around them."""


@dataclass(frozen=True, slots=True)
class SearchFindings:
    """The results of a search, from best to worst.

    `fallback_reason` says why no model was used, `failed` why it failed, `timed_out` whether it was
    too slow, and `stale` why the results may be out of date. `pending` is the number of texts that
    have no vector yet; `not_reranked` says why a reranker was not used. `clear` is False if no
    result clearly matches the question.
    """

    question: Question
    terms: tuple[Term, ...]
    results: tuple[ScoredResult, ...] = ()
    model: str | None = None
    fallback_reason: str | None = None
    failed: str | None = None
    timed_out: bool = False
    stale: str | None = None
    pending: int = 0
    not_reranked: str | None = None
    clear: bool = True

    def above(self, min_score: float | None) -> list[ScoredResult]:
        """Return the results above a minimum; the default one does not apply to keyword hits."""
        if min_score is not None:
            return [result for result in self.results if result.relevance >= min_score]
        return worth_showing(self.results)


class OpenPassages:
    """The passages of a scope in one state, which every step of an answer reads.

    If they turn out to be damaged, they are rebuilt and opened again; `damage` is the reason.
    """

    def __init__(self, store: PassageStore, freshness: Freshness | None) -> None:
        self._store = store
        self._freshness = freshness
        self._stack = ExitStack()
        self._reader: PassageReader | None = None
        self.damage: str | None = None
        store.reopen()

    def __enter__(self) -> OpenPassages:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def read(self, work: Callable[[PassageReader], T]) -> T:
        """Return the result of `work`, which is repeated after a repair."""
        try:
            return self._read(work)
        except (StoreDamaged, FullTextIndexDamaged) as damage:
            # The store has moved the damaged file away and starts a new one on its next use.
            stale = self._freshness.before_search() if self._freshness else None
            self.damage = stale or str(damage.args[0])
            return self._read(work)

    def stored_spelling(self, word: str) -> str | None:
        """Look for a word in the files; None while they cannot be read."""
        with suppress(StoreError):
            return self.read(lambda reader: reader.stored_spelling(word))
        return None

    def bring_up_to_date(self, question: str = "") -> str | None:
        """Read changed files, and embed passages that may answer the question.

        Return why the passages may still be out of date, or None if they are not.
        """
        freshness = self._freshness
        if freshness is None:
            return None
        try:
            catch_up = self.read(lambda reader: freshness.pending_work(reader, question))
        except StoreError as error:
            return str(error)
        if self.damage is not None:  # the repair has just read all files
            return self.damage
        if catch_up is None:
            return self._store.pop_notice()
        self._close()
        return catch_up()

    def _read(self, work: Callable[[PassageReader], T]) -> T:
        if self._reader is None:
            self._reader = self._stack.enter_context(self._store.read())
        try:
            return work(self._reader)
        except BaseException:
            # The store translates the error and records damage when the reader is closed with it.
            self._reader = None
            self._stack.__exit__(*sys.exc_info())
            raise

    def _close(self) -> None:
        self._reader = None
        self._stack.close()


def score_together(
    query: QuestionVectors | None,
    entries: EntryHits,
    snapshot: Snapshot | None,
    passages: Sequence[Candidate],
    reader: PassageReader | None,
) -> list[Candidate]:
    """Return entries and passages as candidates of one ranking, with vector scores."""
    candidates = [*entries.candidates, *passages]
    if query is None or not candidates:
        return candidates
    from remem.search.rank.semantic import score_by_vectors  # lazy: it needs numpy

    return score_by_vectors(query, candidates, snapshot, reader, entries.context)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, where to search for it, when it was asked, and how many results are wanted."""

    query: str
    sources: tuple[Source, ...]
    now: str
    limit: int


@dataclass(frozen=True, slots=True)
class ScopeSearch:
    """Searches one scope; without `freshness`, changed files are not read first.

    Without `entries` and their `places` in files, only the files are searched; without `sync`,
    entries are not brought up to date first. `excluded_signals` are ignored in ranking, for
    measurements. `reranking` is the last step of ranking, if there is a reranker. `zone` is the
    owner's time zone, or None for the machine's.
    """

    store: PassageStore
    model: QueryEmbedder
    time_limit: TimeLimit
    freshness: Freshness | None = None
    entries: Store | None = None
    places: EntryPlaces | None = None
    sync: Sync | None = None
    excluded_signals: frozenset[str] = field(default_factory=frozenset)
    reranking: Reranking | None = None
    zone: tzinfo | None = UTC

    def open(self) -> OpenPassages:
        return OpenPassages(self.store, self.freshness)

    def rerank(
        self, ranked: list[RankedCandidate], question: str
    ) -> tuple[list[RankedCandidate], str | None]:
        """Return the results in their new order, and why they were not reranked if that failed."""
        if self.reranking is None:
            return ranked, None
        return self.reranking(ranked, question, self.excluded_signals)

    def __call__(
        self, query: str, sources: Sequence[Source], now: str, limit: int
    ) -> SearchFindings:
        """Search by keyword and, within the time limit, by vector."""
        with ExitStack() as stack:
            passages = stack.enter_context(self.open())
            stale = passages.bring_up_to_date(query)
            snapshot = stack.enter_context(self._entries(query, are_wanted="memory" in sources))
            asked = _Asked(query, tuple(sources), now, limit)
            findings = passages.read(lambda reader: self._search(reader, snapshot, asked))
            return replace(findings, stale=passages.damage or stale or self.store.problem)

    @contextmanager
    def _entries(self, query: str, *, are_wanted: bool) -> Iterator[Snapshot | None]:
        """Open the entries, up to date; None if they are not wanted or cannot be read."""
        if self.entries is None or self.places is None or not are_wanted:
            yield None
            return
        with ExitStack() as stack:
            try:
                snapshot = stack.enter_context(self.entries.read())
                if self.sync is not None and self.sync.is_due(snapshot):
                    stack.close()
                    self.sync.before_recall((), query)
                    snapshot = stack.enter_context(self.entries.read())
            except StoreError:  # the caller searches the domain files instead
                stack.close()
                yield None
                return
            yield snapshot

    def _search(
        self, reader: PassageReader, snapshot: Snapshot | None, asked: _Asked
    ) -> SearchFindings:
        state = reader.vector_state()
        vector_counts, pending = Counter(state.vectors), state.pending
        spellings = [reader.stored_spelling]
        if snapshot is not None:
            state = snapshot.vector_state()
            vector_counts += Counter(state.vectors)
            pending += state.pending
            spellings.append(snapshot.stored_spelling)
        today = local_day(asked.now, self.zone)
        question = parse_question(asked.query, today, self.zone)
        question = correct_spelling(question, self.model.knows, *spellings)
        embedding = TimedQuery(self.model, self.time_limit, question.corrected_text, vector_counts)
        depth = max(KEYWORD_DEPTH, 2 * asked.limit)
        hits = gather_passages(reader, question, asked.sources, embedding.wait, depth)
        vectors = embedding.vectors
        entries = _entry_hits(snapshot, asked.query, hits, vectors)
        candidates = score_together(vectors, entries, snapshot, hits.candidates, reader)
        ranked = rank(candidates, hits.question, asked.now, self.excluded_signals)
        ranked, not_reranked = self.rerank(ranked, asked.query)
        ranked = prefer_current(ranked, hits.question, hits.terms, today, self.excluded_signals)
        relevance = Relevance(candidates, hits.question)
        clear = True
        if vectors is not None:
            from remem.search.rank.clarity import with_clarity  # lazy: it needs vectors

            ranked, clear = with_clarity(ranked, hits.question, hits.terms, hits.total)
        if snapshot is not None and self.places is not None:
            ranked = ranked[: _RESULTS_PER_WANTED * asked.limit]
        of_file = cache(reader.of_file)
        results = [relevance.found(result) for result in ranked]
        if snapshot is not None and self.places is not None:
            results = list(as_lines_of_files(results, snapshot, of_file, self.places))
        from remem.search.passages.siblings import with_siblings  # lazy: recall never needs it

        results = list(with_siblings(results, of_file, _EXTENDED_PER_WANTED * asked.limit))
        return SearchFindings(
            hits.question,
            hits.terms,
            tuple(results),
            model=str(vectors.embedder.identity) if vectors else None,
            fallback_reason=embedding.fallback_reason,
            failed=str(embedding.error) if embedding.error else None,
            timed_out=isinstance(embedding.error, EmbedderTimeout),
            pending=pending,
            not_reranked=not_reranked,
            clear=clear,
        )


def _entry_hits(
    snapshot: Snapshot | None, query: str, hits: PassageHits, embedded: QuestionVectors | None
) -> EntryHits:
    """Return the entries for a search, with how much of the question they cover."""
    if snapshot is None:
        return EntryHits([], ConversationContext(), 0)
    gathered = gather_entries(snapshot, hits.question, Request(query), lambda: embedded)
    return with_coverage(gathered, hits.terms)


def with_coverage(entries: EntryHits, terms: Sequence[Term]) -> EntryHits:
    """Return entries with how much of the question they cover; turns of conversations have none."""
    coverage = TermCoverage(terms)
    candidates = [
        candidate
        if candidate.kind in CONVERSATIONS
        else candidate._replace(coverage=coverage.share(candidate.item))
        for candidate in entries.candidates
    ]
    return replace(entries, candidates=candidates)
