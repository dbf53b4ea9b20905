"""Which memories may answer? Whatever a leg proposes and what was said beside it, with the
scores of all legs.

What has faded and is the answer all the same? It is told, if nothing that stands says as much
of the question: decay never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from remem.model.decay import DECAYED
from remem.model.entry import Entry, Filter
from remem.model.passage import Passage
from remem.ports.entries import Snapshot
from remem.ports.records import Occurrences
from remem.search.query.embedding import Sense
from remem.search.query.question import Question, Request
from remem.search.query.terms import coverage_among
from remem.search.rank import lexical
from remem.search.rank.context import Company, company_of, place_of, rows_around, speaker_of
from remem.search.rank.ranking import Candidate
from remem.search.rank.semantic import near_in_meaning
from remem.text.words import fold

_DEPTH: Final = 100
_MOST: Final = 5
_COMPARED: Final = 40
_TWICE: Final = 2.0


def faded_ones(
    snapshot: Snapshot, terms: Sequence[str], where: Filter, live: Sequence[Candidate]
) -> list[Candidate]:
    """Faded entries that hold more of the question's words than any live candidate does."""
    if where.include_archived or not terms or snapshot.note(DECAYED) is None:
        return []
    as_if_live = replace(where, include_archived=True)
    found = snapshot.faded_saying(terms, _DEPTH)
    faded = [located for located in found if as_if_live.admits(located.entry)]
    if not faded:
        return []
    rivals = sorted(live, key=lambda each: -each.keyword)[:_COMPARED]
    texts = [_text(located.entry) for located in faded] + [_text(rival.entry) for rival in rivals]
    said = coverage_among(terms, texts)
    most = max(said[len(faded) :], default=0.0)
    # The two kinds have full texts of their own, whose scores cannot be compared: what says
    # more of the question gets more than the best of the live ones.
    best = max((candidate.keyword for candidate in live), default=0.0) or 1.0
    better = [(share, each) for share, each in zip(said, faded, strict=False) if share > most]
    better.sort(key=lambda pair: -pair[0])
    return [
        Candidate(each.row, each.entry, best * min(_TWICE, share / most) if most else best)
        for share, each in better[:_MOST]
    ]


def _text(entry: Entry) -> Passage:
    return Passage("", 1, 1, " ".join((entry.content, entry.context or "", *entry.tags)))


_KEYWORD: Final = (60, 100)
_MEANING: Final = (40, 60)
"""How many hits of a leg are looked at, at least; and at most where few are wanted."""
_GATHER_MOST: Final = 400
_TOLD: Final = 75
"""What an entry costs in an answer, in tokens: a larger budget has room for more of them."""
_NAMED_DEPTH: Final = 40
_LEADING: Final = 30
"""What was said beside so many of each leg's first hits may answer as well."""
_LITTLE: Final = 3
_LEAST_MEANING: Final = 0.2
"""A cosine below this says nothing; such entries are no match."""
_NAME: Final = 0.3
"""What the name of a speaker counts among the words: it stands before all that he says."""
_FORM: Final = 0.3
"""What a word counts in the very form of the question, beside its stem."""
_MENDED: Final = 0.8
"""What a word counts that was found in another spelling."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words to look for, each with what it counts beside its rarity."""

    terms: tuple[str, ...]
    worth: tuple[float, ...]


def mended(snapshot: Snapshot, question: Question, is_right: Callable[[str], bool]) -> Question:
    """The question with the memory's spelling of words that neither it nor anybody knows."""
    doubtful = [term for term in question.terms if not is_right(term)]
    known = {term: spelled for term in doubtful if (spelled := snapshot.spelling(term))}
    return replace(question, mended=known) if known else question


def wanted(question: Question) -> Wanted:
    """The question's words, and how the memory spells those that it does not know."""
    worth = {term: _FORM if term in question.stems else 1.0 for term in question.terms}
    for term, known in question.mended.items():
        worth.setdefault(known, _MENDED * worth[term])
    worth |= dict.fromkeys(question.stems.values(), 1.0)
    return Wanted(tuple(worth), tuple(worth.values()))


def gather(
    snapshot: Snapshot, question: Question, request: Request, sensed: Callable[[], Sense | None]
) -> tuple[list[Candidate], int]:
    """Every candidate, and how many entries match in all. What the words find is read while a
    model still reads the question."""
    words = wanted(question)
    found = snapshot.keyword(words.terms, request.where, _depth(request, *_KEYWORD))
    keyword = dict(found.rows)
    located = snapshot.locate(keyword)
    sense = sensed()
    near = _near(snapshot, request, sense)
    named = _named(snapshot, question, request, found=len({*keyword, *near}))
    located |= snapshot.locate(dict.fromkeys(row for row in (*near, *named) if row not in located))
    entries = {row: located[row] for row in sorted(located) if request.where.admits(located[row])}
    leading = dict.fromkeys([*islice(keyword, _LEADING), *near[:_LEADING]])
    company = company_of(snapshot, entries, leading)
    entries |= {row: e for row, e in company.around.items() if request.where.admits(e)}
    candidates = _scored(snapshot, entries, company, words, live=request.where.only_live)
    faded = faded_ones(snapshot, words.terms, request.where, candidates)
    candidates += faded
    if sense is not None and candidates:
        candidates = near_in_meaning(snapshot, sense, candidates, company)
    beside = len({*near, *named} - set(keyword)) + len(faded)
    return candidates, found.total + beside


def _depth(request: Request, least: int, enough: int) -> int:
    """How many hits of a leg are worth a closer look: more of them where more will be told."""
    told = request.token_budget // _TOLD
    if request.limit is not None:
        return max(least, min(enough, told), request.limit)
    return max(least, min(_GATHER_MOST, told * least // _MEANING[0]))


def _near(snapshot: Snapshot, request: Request, sense: Sense | None) -> list[int]:
    if sense is None:
        return []
    depth = _depth(request, *_MEANING)
    identity, query = sense.embedder.identity, sense.query.pooled
    hits = snapshot.nearest(identity, query, request.where, depth)
    return [row for row, cosine in hits if cosine >= _LEAST_MEANING]


def _scored(
    snapshot: Snapshot,
    entries: Mapping[int, Entry],
    company: Company,
    words: Wanted,
    *,
    live: bool,
) -> list[Candidate]:
    """The candidates with what full text tells of them."""
    rows = list(entries)
    counted = snapshot.occurrences(words.terms, rows_around(company, rows), live=live)
    worth = _without_names(words, entries.values())
    keyword = lexical.scores(counted, rows, company.beside, worth)
    sources = _source_scores(counted, entries, company, worth)
    used = snapshot.last_used(rows)
    return [
        Candidate(
            row,
            entries[row],
            keyword[i],
            used=used.get(row),
            kind=company.kind(row),
            source=sources.get(row),
            before=next(iter(company.of(row).before), None),
        )
        for i, row in enumerate(rows)
    ]


def _without_names(words: Wanted, entries: Iterable[Entry]) -> list[float]:
    """The worth of each word, less where it is a speaker's name."""
    names = {part for entry in entries if (name := speaker_of(entry)) for part in name.split()}
    return [
        worth * _NAME if fold(term) in names else worth
        for term, worth in zip(words.terms, words.worth, strict=True)
    ]


def _source_scores(
    counted: Occurrences, entries: Mapping[int, Entry], company: Company, worth: Sequence[float]
) -> dict[int, float]:
    """How much of the question each candidate's source says, where it has one with places."""
    sources = {
        row: place[0]
        for row, entry in entries.items()
        if company.kind(row) != "note" and (place := place_of(entry))
    }
    scores = lexical.source_scores(counted, sources, worth)
    return {row: scores.get(source, 0.0) for row, source in sources.items()}


def _named(snapshot: Snapshot, question: Question, request: Request, found: int) -> list[int]:
    """Entries of the days that the question names; and where words find little, of the
    category that it names, or whatever the filter admits."""
    rows: list[int] = []
    for window in question.windows:
        span = (f"{window.first}T00:00:00Z", f"{window.last}T23:59:59Z")
        rows += snapshot.newest(request.where, span, _NAMED_DEPTH)
    if found + len(rows) >= _LITTLE:
        return rows
    if question.categories and not request.where.categories:
        where = replace(request.where, categories=tuple(sorted(question.categories)))
        rows += snapshot.newest(where, None, _NAMED_DEPTH)
    if request.where.narrow:
        rows += snapshot.newest(request.where, None, max(_NAMED_DEPTH, request.limit or 0))
    return rows
