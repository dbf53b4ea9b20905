"""Gather the passages that may answer a question, with their keyword scores.

Passages are found by keywords, by vectors, by the dates that the question names, and by the file
that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from remem.fast_dataclass import dataclass
from remem.model.passage import Passage, Source
from remem.search.query.embedding import QuestionVectors
from remem.search.query.question import Question
from remem.search.query.terms import Term, TermCoverage, all_spellings, rarity
from remem.search.rank.ranking import Candidate
from remem.text.words import fold

if TYPE_CHECKING:
    from remem.ports.passages import PassageReader

KEYWORD_DEPTH: Final = 100
_VECTOR_DEPTH: Final = 60
_MIN_COSINE: Final = 0.2
_MAX_DAYS: Final = 31
_MAX_FILE_NAME_WORDS: Final = 4
"""A question with more words is not treated as the name of a file."""
_FULL_MATCH: Final = 2.2
"""The highest BM25 score of a word, divided by its rarity."""
_USUAL_MATCH: Final = 0.45
"""The keyword score of a text of usual length that has every word of the question once. In a small
store BM25 is lower, because most of the texts have the words."""
_SMALL_STORE: Final = 50


@dataclass(frozen=True, slots=True)
class PassageHits:
    """The passages found, and the question with what the files say about it.

    `terms` are the words of the question with their rarity among the passages, of which there are
    `total`.
    """

    candidates: list[Candidate]
    question: Question
    terms: tuple[Term, ...]
    total: int = 0


def gather_passages(
    reader: PassageReader,
    question: Question,
    sources: Sequence[Source],
    embedded: Callable[[], QuestionVectors | None],
    depth: int = KEYWORD_DEPTH,
) -> PassageHits:
    """Return the passages found by keyword, date, file name or vector.

    Those found by keyword are read before `embedded` is called, while the model is still embedding
    the question.
    """
    question = replace(question, named_files=_named_files(reader, question.text))
    terms = _terms(reader, question, sources)
    keyword = dict(reader.keyword(all_spellings(terms), sources, depth).hits)
    if days := _days(question):
        keyword = {**dict(reader.keyword(days, sources, depth).hits), **keyword}
    passages: dict[int, Passage] = {}
    for path in question.named_files:
        passages |= {n: p for n, p in reader.of_file(path) if p.source in sources}
    passages |= reader.passages(number for number in keyword if number not in passages)
    full_match = _FULL_MATCH * sum(term.weight for term in terms) or 1.0
    total = reader.counts()[1]
    full_coverage_score = _USUAL_MATCH if total < _SMALL_STORE else 0.0
    coverage = TermCoverage(terms)
    coverage_shares = {n: coverage.share(passages[n]) for n in keyword if n in passages}
    if query := embedded():
        identity = query.embedder.identity
        near = reader.nearest(identity, query.embedding.pooled, sources, _VECTOR_DEPTH)
        similar = [number for number, cosine in near if cosine >= _MIN_COSINE]
        passages |= reader.passages(number for number in similar if number not in passages)
    # Those found by vector may have words of the question that so many texts have that they are
    # not among the hits by keyword.
    coverage_shares |= {
        n: coverage.share(passage) for n, passage in passages.items() if n not in coverage_shares
    }
    candidates = [
        Candidate(
            passage,
            max(
                min(1.0, keyword.get(number, 0.0) / full_match),
                full_coverage_score * coverage_shares[number],
            ),
            kind="passage",
            coverage=coverage_shares[number],
            number=number,
        )
        for number, passage in sorted(
            passages.items(), key=lambda pair: (pair[1].path, pair[1].start)
        )
    ]
    return PassageHits(candidates, question, terms, total)


def _terms(
    reader: PassageReader, question: Question, sources: Sequence[Source]
) -> tuple[Term, ...]:
    total = reader.counts()[1]
    terms = []
    for text in question.terms:
        correction, stem = question.corrections.get(text), question.stems.get(text)
        forms = [form for form in (text, correction, stem) if form]
        count = reader.keyword(forms, sources, 0).total
        terms.append(Term(text, correction, rarity(count, total), stem))
    return tuple(terms)


def _days(question: Question) -> list[str]:
    """Return the dates that a question refers to, as written in the names of daily notes."""
    days = [
        date.fromordinal(number).isoformat()
        for window in question.windows
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
    files: dict[str, str] = {}
    for path in reader.files():
        file_path = PurePosixPath(path)
        if fold(path) in pathlike:
            files[path] = "path"
        elif fold(file_path.name) in pathlike:
            files[path] = "name"
        elif fold(file_path.stem) == full_query:
            files[path] = "stem"
    return files
