"""Gather the entries that may answer a question, with their retrieval scores.

Candidates are found by keywords, by vectors, by the dates and categories of the question, and as
neighbours of the best hits. Decayed entries are added if they cover more of the question than any
live one, so that decay never hides the only right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, Filter
from remem.ports.entries import Snapshot
from remem.ports.records import TermStatistics, Where
from remem.ports.state import ACTIVITY
from remem.search.query.embedding import QuestionVectors
from remem.search.query.question import Question, Request
from remem.search.query.terms import coverage_among, prepare
from remem.search.rank.context import (
    ConversationContext,
    context_of,
    keyword_scores,
    place_of,
    source_scores,
    speaker_of,
    with_neighbours,
)
from remem.search.rank.ranking import Candidate
from remem.text.timestamps import day_span
from remem.text.words import fold

StoredSpelling = Callable[[str], str | None]
"""Returns a word itself if a store has it, else a similar word that it has, else None."""
_DECAYED_DEPTH: Final = 100
_MAX_DECAYED: Final = 5
_MAX_RIVALS: Final = 40
_MAX_BOOST: Final = 2.0
_KEYWORD_DEPTH: Final = (60, 100)
_VECTOR_DEPTH: Final = (40, 60)
"""The minimum and maximum number of hits that are read; the maximum applies if a limit is set."""
_MAX_DEPTH: Final = 400
_TOKENS_PER_ENTRY: Final = 75
"""The typical cost of an entry in an answer; it tells how many entries fit into a budget."""
_NAMED_DEPTH: Final = 40
_LEADING_HITS: Final = 30
"""The neighbours of this many best hits of each search become candidates too."""
_FEW_HITS: Final = 3
_MIN_COSINE: Final = 0.2
"""Entries with a lower cosine are not hits."""
_SPEAKER_NAME_WEIGHT: Final = 0.3
"""The weight of a speaker's name; it is low because it precedes everything that they say."""
_EXACT_FORM_WEIGHT: Final = 0.3
"""The weight of a word in the exact form of the question, in addition to its stem."""
_CORRECTED_WEIGHT: Final = 0.8
"""The weight of a word with corrected spelling."""


def decayed_candidates(
    snapshot: Snapshot, terms: Sequence[str], where: Filter, live: Sequence[Candidate]
) -> list[Candidate]:
    """Return archived entries that cover more of the question than any live candidate."""
    if where.include_archived or not terms or snapshot.record(ACTIVITY, "decay") is None:
        return []
    with_archived = replace(where, include_archived=True)
    matches = snapshot.search_faded(terms, _DECAYED_DEPTH)
    decayed = [entry for entry in matches if with_archived.admits(entry)]
    if not decayed:
        return []
    rivals = sorted(live, key=lambda candidate: -candidate.keyword)[:_MAX_RIVALS]
    shares = coverage_among(terms, [*decayed, *(rival.entry for rival in rivals)])
    best_live_share = max(shares[len(decayed) :], default=0.0)
    # The scores of the two full-text indexes cannot be compared, so an entry that covers more of
    # the question gets a higher score than the best live one.
    best = max((candidate.keyword for candidate in live), default=0.0) or 1.0
    better = [
        (share, entry)
        for share, entry in zip(shares, decayed, strict=False)
        if share > best_live_share
    ]
    better.sort(key=lambda pair: -pair[0])
    return [
        Candidate(
            entry,
            best * min(_MAX_BOOST, share / best_live_share) if best_live_share else best,
        )
        for share, entry in better[:_MAX_DECAYED]
    ]


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """The words to search for, each with a weight in addition to its rarity."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]


def correct_spelling(
    question: Question, is_known: Callable[[str], bool], *spellings: StoredSpelling
) -> Question:
    """Replace words that neither the model nor the memory knows with similar words from it.

    The stores are asked in turn, until one has the word itself.
    """
    corrections = {}
    for term in question.terms:
        if is_known(term):
            continue
        found: list[str] = []
        for stored_spelling in spellings:
            if spelling := stored_spelling(term):
                found.append(spelling)
            if spelling == term:
                break
        else:
            if found:
                corrections[term] = found[0]
    return replace(question, corrections=corrections) if corrections else question


def weighted_terms(question: Question) -> WeightedTerms:
    """Return the words of a question, their corrections and stems, with weights."""
    weights = {
        term: _EXACT_FORM_WEIGHT if term in question.stems else 1.0 for term in question.terms
    }
    for term, correction in question.corrections.items():
        weights.setdefault(correction, _CORRECTED_WEIGHT * weights[term])
    weights |= dict.fromkeys(question.stems.values(), 1.0)
    return WeightedTerms(tuple(weights), tuple(weights.values()))


@dataclass(frozen=True, slots=True)
class EntryHits:
    """The entries found, the conversations around them, and how many entries match in total."""

    candidates: list[Candidate]
    context: ConversationContext
    matched: int


def gather_entries(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    embedded: Callable[[], QuestionVectors | None],
) -> EntryHits:
    """Return the entries found by keyword, vector, date or category, without vector scores.

    Keyword hits are read before `embedded` is called, while the model is still embedding the
    question.
    """
    words = weighted_terms(question)
    hits = snapshot.keyword(words.terms, request.where, _depth(request, *_KEYWORD_DEPTH))
    keyword = dict(hits.hits)
    prepare(snapshot.find(keyword).values())  # while the model is working; both are cached
    query = embedded()
    similar = _vector_hits(snapshot, request, query)
    by_filter = _find_by_date_or_category(
        snapshot, question, request, hits=len({*keyword, *similar})
    )
    found = snapshot.find([*keyword, *similar, *by_filter])
    entries = {id_: entry for id_, entry in found.items() if request.where.admits(entry)}
    leading = dict.fromkeys([*islice(keyword, _LEADING_HITS), *similar[:_LEADING_HITS]])
    context = context_of(snapshot, entries, leading)
    entries |= {id_: e for id_, e in context.extra.items() if request.where.admits(e)}
    candidates = _score_candidates(snapshot, entries, context, words, live=request.where.only_live)
    decayed = decayed_candidates(snapshot, words.terms, request.where, candidates)
    candidates += decayed
    others = len({*similar, *by_filter} - set(keyword)) + len(decayed)
    return EntryHits(candidates, context, hits.total + others)


def _depth(request: Request, minimum: int, maximum: int) -> int:
    """Return how many hits of a search to read: more if more entries fit into the answer."""
    fitting = request.token_budget // _TOKENS_PER_ENTRY
    if request.limit is not None:
        return max(minimum, min(maximum, fitting), request.limit)
    return max(minimum, min(_MAX_DEPTH, fitting * minimum // _VECTOR_DEPTH[0]))


def _vector_hits(snapshot: Snapshot, request: Request, query: QuestionVectors | None) -> list[str]:
    if query is None:
        return []
    depth = _depth(request, *_VECTOR_DEPTH)
    identity, vector = query.embedder.identity, query.embedding.pooled
    hits = snapshot.nearest(identity, vector, request.where, depth)
    return [id_ for id_, cosine in hits if cosine >= _MIN_COSINE]


def _score_candidates(
    snapshot: Snapshot,
    entries: Mapping[str, Entry],
    context: ConversationContext,
    words: WeightedTerms,
    *,
    live: bool,
) -> list[Candidate]:
    """Return the entries as candidates, with their scores from the full-text index."""
    ids = list(entries)
    statistics = snapshot.term_statistics(words.terms, with_neighbours(context, ids), live=live)
    weights = _term_weights(words, entries.values())
    keyword = keyword_scores(statistics, ids, context.neighbours, weights)
    sources = _source_scores(statistics, entries, context, weights)
    usage = snapshot.usage(ids)
    return [
        Candidate(
            entries[id_],
            keyword[i],
            last_used=usage[id_].used if id_ in usage else None,
            kind=context.kind(id_),
            source_coverage=sources.get(id_),
            previous_id=next(iter(context.neighbours_of(id_).before), None),
        )
        for i, id_ in enumerate(ids)
    ]


def _term_weights(words: WeightedTerms, entries: Iterable[Entry]) -> list[float]:
    """Return the weight of each word; names of speakers get a lower one."""
    names = {part for entry in entries if (name := speaker_of(entry)) for part in name.split()}
    return [
        weight * _SPEAKER_NAME_WEIGHT if fold(term) in names else weight
        for term, weight in zip(words.terms, words.weights, strict=True)
    ]


def _source_scores(
    statistics: TermStatistics,
    entries: Mapping[str, Entry],
    context: ConversationContext,
    weights: Sequence[float],
) -> dict[str, float]:
    """Return how much of the question the conversation of each candidate covers."""
    sources = {
        id_: place[0]
        for id_, entry in entries.items()
        if context.kind(id_) != "note" and (place := place_of(entry))
    }
    scores = source_scores(statistics, sources, weights)
    return {id_: scores.get(source, 0.0) for id_, source in sources.items()}


def _find_by_date_or_category(
    snapshot: Snapshot, question: Question, request: Request, hits: int
) -> list[str]:
    """Return the ids of entries from the dates in the question.

    If there are few hits, add entries of the categories that the question is about, and entries
    that a narrow filter admits.
    """
    entries: list[Entry] = []
    for window in question.windows:
        span = day_span(window.first, window.last, question.zone)
        where = Where(filter=request.where, created=span)
        entries += snapshot.select(where, "important", _NAMED_DEPTH)
    if hits + len(entries) >= _FEW_HITS:
        return [entry.id for entry in entries]
    if question.categories and not request.where.categories:
        admitted = replace(request.where, categories=tuple(sorted(question.categories)))
        entries += snapshot.select(Where(filter=admitted), "important", _NAMED_DEPTH)
    if request.where.is_selective:
        limit = max(_NAMED_DEPTH, request.limit or 0)
        entries += snapshot.select(Where(filter=request.where), "important", limit)
    return [entry.id for entry in entries]
