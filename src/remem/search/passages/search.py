"""Find passages by keyword, and also by vector if a model answers in time.

If a model fails, the result of the search says so, and the next search tries it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final, TypeVar

from remem.errors import EmbedderError, EmbedderLate, StoreDamaged, WordsDamaged
from remem.model.arguments import DEFAULT_RESULTS
from remem.model.passage import Passage, Source
from remem.ports.models import ModelIdentity
from remem.ports.passages import PassageReader, PassageStore
from remem.search.answer.unmigrated import Extract
from remem.search.passages.ranking import Candidate, PassageQuery, Scored, choose, rank
from remem.search.query.embedding import EmbeddedQuery, QueryEmbedder, TimeLimit
from remem.search.query.question import LineRange
from remem.search.query.terms import all_spellings, question_terms
from remem.search.rank.semantic import score_passages
from remem.text.dates import date_windows
from remem.text.words import fold

T = TypeVar("T")
MODEL_TIMEOUT_SECONDS: Final = 5.0

_KEYWORD_DEPTH: Final = 100
_VECTOR_DEPTH: Final = 60
_MIN_COSINE: Final = 0.2
_MIN_RELEVANCE: Final = 0.4
"""The minimum for passages that were found only by vector; theirs is at most 0.7."""
_MAX_RECALLED: Final = 20
_MAX_DAYS: Final = 31
_MAX_FILE_NAME_WORDS: Final = 4
"""A question with more words is not treated as the name of a file."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a search.

    `fallback_reason` says why no model was used, `failed` why it failed, `timed_out` whether it was
    too slow, and `damage` why the passages had to be rebuilt first.
    """

    query: PassageQuery
    candidates: tuple[Candidate, ...]
    model: str | None = None
    fallback_reason: str | None = None
    failed: str | None = None
    timed_out: bool = False
    damage: str | None = None

    def ranked(self, min_score: float | None) -> list[Scored]:
        """Rank from best to worst; the default minimum does not apply to keyword hits."""
        if min_score is not None:
            return rank(self.candidates, self.query, min_score)
        ranked = rank(self.candidates, self.query, None)
        return [
            scored for scored in ranked if scored.by_keyword or scored.relevance >= _MIN_RELEVANCE
        ]


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Searches the passages of one scope.

    `refill` reads the memory files again after the store was found to be damaged, and returns the
    reason.
    """

    store: PassageStore
    model: QueryEmbedder
    time_limit: TimeLimit
    refill: Callable[[], str | None] = lambda: None

    def with_repair(self, work: Callable[[], T]) -> tuple[T, str | None]:
        """Return the result of `work`, and the reason if the passages had to be rebuilt for it."""
        try:
            return work(), None
        except (StoreDamaged, WordsDamaged) as damage:
            # The store has moved the damaged file away and starts a new one on its next use.
            reason = self.refill() or str(damage.args[0])
            return work(), reason

    def __call__(
        self,
        query: str,
        sources: Sequence[Source],
        today: date,
        limit: int,
    ) -> Candidates:
        """Search by keyword and, within the time limit, by vector."""
        found, damage = self.with_repair(lambda: self._search(query, sources, today, limit))
        return replace(found, damage=damage)

    def _search(self, query: str, sources: Sequence[Source], today: date, limit: int) -> Candidates:
        covered = self.covered()
        embedded: EmbeddedQuery | str | None = None
        failed: EmbedderError | None = None
        try:
            embedded = self.time_limit(lambda: self.model.embed_question(query, covered))
        except EmbedderError as error:
            failed = error
        question = embedded if isinstance(embedded, EmbeddedQuery) else None
        parsed, found = self._gather(
            query, sources, today, max(_KEYWORD_DEPTH, 2 * limit), question
        )
        return Candidates(
            parsed,
            tuple(found),
            model=str(question.embedder.identity) if question else None,
            fallback_reason=embedded if isinstance(embedded, str) else None,
            failed=str(failed) if failed else None,
            timed_out=isinstance(failed, EmbedderLate),
        )

    def for_recall(
        self, query: str, sources: Sequence[Source], today: date, embedded: EmbeddedQuery | None
    ) -> list[Extract]:
        """Return passages for a recall: the first results of a search, and other relevant ones."""
        parsed, found = self._gather(query, sources, today, _KEYWORD_DEPTH, embedded)
        ranked = Candidates(parsed, tuple(found)).ranked(None)
        first = choose(ranked, DEFAULT_RESULTS)
        close = [scored for scored in ranked[:_MAX_RECALLED] if scored.relevance >= _MIN_RELEVANCE]
        rows = dict.fromkeys([*first, *close])
        return [Extract(row.passage, row.score, cosine=row.vector) for row in rows]

    def passages_at(self, ranges: Sequence[LineRange]) -> tuple[list[Extract], int]:
        """Return the passages in these ranges, and the number of ranges without any."""
        found: dict[int, Passage] = {}
        missing = 0
        with self.store.read() as reader:
            for lines in ranges:
                here = {
                    row: passage
                    for row, passage in reader.of_file(lines.path)
                    if passage.start <= lines.end and lines.start <= passage.end
                }
                exact = {
                    r: p for r, p in here.items() if (p.start, p.end) == (lines.start, lines.end)
                }
                found |= exact or here
                missing += not here
        return [Extract(value, 1.0) for value in found.values()], missing

    def covered(self) -> dict[ModelIdentity, int]:
        with self.store.read() as reader:
            return reader.vector_counts()

    def _gather(
        self,
        query: str,
        sources: Sequence[Source],
        today: date,
        depth: int,
        embedded: EmbeddedQuery | None,
    ) -> tuple[PassageQuery, list[Candidate]]:
        with self.store.read() as reader:
            if not reader.counts()[1]:
                return PassageQuery(query, (), (), {}, today), []
            parsed = self._parse(reader, query, sources, today)
            return parsed, _find_candidates(reader, parsed, sources, embedded, depth)

    def _parse(
        self, reader: PassageReader, query: str, sources: Sequence[Source], today: date
    ) -> PassageQuery:
        def spelling(word: str) -> str | None:
            return None if self.model.knows(word) else reader.spelling_correction(word)

        def holders(spellings: Sequence[str]) -> int:
            return reader.keyword(spellings, sources, 1).total

        return PassageQuery(
            text=query,
            terms=question_terms(query, spelling, holders, among=reader.counts()[1]),
            windows=tuple(date_windows(query, today)),
            named=_named_files(reader, query),
            today=today,
        )


def _find_candidates(
    reader: PassageReader,
    query: PassageQuery,
    sources: Sequence[Source],
    embedded: EmbeddedQuery | None,
    depth: int,
) -> list[Candidate]:
    """Return the passages found by keyword, date, file name or vector, with all scores."""
    keyword = dict(reader.keyword(all_spellings(query.terms), sources, depth).rows)
    if days := _days(query):
        keyword = {**dict(reader.keyword(days, sources, depth).rows), **keyword}
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
    return score_passages(reader, embedded, found) if embedded is not None and found else found


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
