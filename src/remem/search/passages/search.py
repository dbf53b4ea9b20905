"""Find passages by keyword, and also by vector if a model answers in time.

If a model fails, the result of the search says so, and the next search tries it again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeVar

from remem.errors import (
    EmbedderError,
    EmbedderTimeout,
    FullTextIndexDamaged,
    StoreDamaged,
    StoreError,
)
from remem.model.arguments import DEFAULT_RESULTS
from remem.model.passage import Passage, Source
from remem.ports.passages import PassageReader, PassageStore
from remem.search.answer.unmigrated import Extract
from remem.search.passages.ranking import Candidate, PassageQuery, Scored, choose, rank
from remem.search.query.embedding import EmbeddedQuery, QueryEmbedder, TimeLimit
from remem.search.query.terms import all_spellings, question_terms
from remem.text.dates import date_windows
from remem.text.words import fold

if TYPE_CHECKING:
    from remem.search.sync import Freshness

T = TypeVar("T")
MODEL_TIMEOUT_SECONDS: Final = 5.0

_KEYWORD_DEPTH: Final = 100
_VECTOR_DEPTH: Final = 60
_MIN_COSINE: Final = 0.2
_MIN_RELEVANCE: Final = 0.4
"""The minimum relevance of passages found only by vector, which is at most 0.7."""
_MAX_RECALLED: Final = 20
_MAX_DAYS: Final = 31
_MAX_FILE_NAME_WORDS: Final = 4
"""A question with more words is not treated as the name of a file."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a search.

    `fallback_reason` says why no model was used, `failed` why it failed, `timed_out` whether it was
    too slow, and `stale` why the passages may be out of date.
    """

    query: PassageQuery
    candidates: tuple[Candidate, ...]
    model: str | None = None
    fallback_reason: str | None = None
    failed: str | None = None
    timed_out: bool = False
    stale: str | None = None

    def ranked(self, min_score: float | None) -> list[Scored]:
        """Rank from best to worst; the default minimum does not apply to keyword hits."""
        if min_score is not None:
            return rank(self.candidates, self.query, min_score)
        ranked = rank(self.candidates, self.query, None)
        return [
            scored for scored in ranked if scored.by_keyword or scored.relevance >= _MIN_RELEVANCE
        ]


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

    def bring_up_to_date(self, question: str = "") -> str | None:
        """Read changed files, and embed passages that may answer the question.

        Returns why the passages may still be out of date.
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


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Searches the passages of one scope; without `freshness`, changed files are not read first."""

    store: PassageStore
    model: QueryEmbedder
    time_limit: TimeLimit
    freshness: Freshness | None = None

    def open(self) -> OpenPassages:
        return OpenPassages(self.store, self.freshness)

    def __call__(
        self, query: str, sources: Sequence[Source], today: date, limit: int
    ) -> Candidates:
        """Search by keyword and, within the time limit, by vector."""
        with self.open() as passages:
            stale = passages.bring_up_to_date(query)
            found = passages.read(lambda reader: self._search(reader, query, sources, today, limit))
            return replace(found, stale=passages.damage or stale or self.store.problem)

    def _search(
        self, reader: PassageReader, query: str, sources: Sequence[Source], today: date, limit: int
    ) -> Candidates:
        covered = reader.vector_state().vectors
        embedded: EmbeddedQuery | str | None = None
        failed: EmbedderError | None = None
        try:
            embedded = self.time_limit(lambda: self.model.embed_question(query, covered))
        except EmbedderError as error:
            failed = error
        question = embedded if isinstance(embedded, EmbeddedQuery) else None
        parsed = self._parse(reader, query, sources, today)
        found = _find_candidates(reader, parsed, question, max(_KEYWORD_DEPTH, 2 * limit))
        return Candidates(
            parsed,
            tuple(found),
            model=str(question.embedder.identity) if question else None,
            fallback_reason=embedded if isinstance(embedded, str) else None,
            failed=str(failed) if failed else None,
            timed_out=isinstance(failed, EmbedderTimeout),
        )

    def for_recall(
        self,
        reader: PassageReader,
        query: str,
        sources: Sequence[Source],
        today: date,
        embedded: EmbeddedQuery | None,
    ) -> list[Extract]:
        """Return passages for a recall: the first results of a search, and other relevant ones."""
        parsed = self._parse(reader, query, sources, today)
        found = _find_candidates(reader, parsed, embedded, _KEYWORD_DEPTH)
        ranked = Candidates(parsed, tuple(found)).ranked(None)
        first = choose(ranked, DEFAULT_RESULTS)
        close = [scored for scored in ranked[:_MAX_RECALLED] if scored.relevance >= _MIN_RELEVANCE]
        rows = dict.fromkeys([*first, *close])
        return [Extract(row.passage, row.score, cosine=row.vector) for row in rows]

    def _parse(
        self, reader: PassageReader, query: str, sources: Sequence[Source], today: date
    ) -> PassageQuery:
        def spelling(word: str) -> str | None:
            return None if self.model.knows(word) else reader.spelling_correction(word)

        def count_passages(spellings: Sequence[str]) -> int:
            return reader.keyword(spellings, sources, 1).total

        return PassageQuery(
            text=query,
            terms=question_terms(query, spelling, count_passages, total=reader.counts()[1]),
            windows=tuple(date_windows(query, today)),
            named=_named_files(reader, query),
            today=today,
            sources=tuple(sources),
        )


def _find_candidates(
    reader: PassageReader,
    query: PassageQuery,
    embedded: EmbeddedQuery | None,
    depth: int,
) -> list[Candidate]:
    """Return the passages found by keyword, date, file name or vector, with all scores."""
    sources = query.sources
    keyword = dict(reader.keyword(all_spellings(query.terms), sources, depth).hits)
    if days := _days(query):
        keyword = {**dict(reader.keyword(days, sources, depth).hits), **keyword}
    rows = dict.fromkeys(keyword)
    passages: dict[int, Passage] = {}
    for path in query.named:
        passages |= {row: p for row, p in reader.of_file(path) if p.source in sources}
    if embedded is not None:
        identity = embedded.embedder.identity
        near = reader.nearest(identity, embedded.embedding.pooled, sources, _VECTOR_DEPTH)
        rows |= dict.fromkeys(row for row, cosine in near if cosine >= _MIN_COSINE)
    passages |= reader.passages(row for row in rows if row not in passages)
    found = [Candidate(row, passages[row], keyword.get(row, 0.0)) for row in passages]
    if embedded is None or not found:
        return found
    from remem.search.rank.semantic import score_passages  # lazy: it needs numpy

    return score_passages(reader, embedded, found)


def _days(query: PassageQuery) -> list[str]:
    """Return the dates that a question refers to, as written in the names of daily notes."""
    days = [
        date.fromordinal(number).isoformat()
        for window in query.windows
        if (window.last - window.first).days < _MAX_DAYS
        for number in range(window.first.toordinal(), window.last.toordinal() + 1)
    ]
    return days[:_MAX_DAYS]


def _named_files(reader: PassageReader, query: str) -> dict[str, str]:
    """Return the files that a question names: by path, by name or, if it is short, by stem."""
    words = [word.strip("\"'`,;:()[]?!").removeprefix("./") for word in query.split()]
    full_query = fold(query.strip().strip("\"'`"))
    pathlike = {fold(word) for word in words if "/" in word or word.endswith(".md")}
    if not pathlike and len(words) > _MAX_FILE_NAME_WORDS:
        return {}
    named: dict[str, str] = {}
    for path in reader.files():
        file_path = PurePosixPath(path)
        if fold(path) in pathlike:
            named[path] = "path"
        elif fold(file_path.name) in pathlike:
            named[path] = "name"
        elif fold(file_path.stem) == full_query:
            named[path] = "stem"
    return named
