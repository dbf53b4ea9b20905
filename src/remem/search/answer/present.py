"""Present entries, facts and passages in an answer, and choose those that fill the budget.

Long texts are cut to the sentences that match the question; untrusted text is fenced. If not
everything fits, entries are chosen by relevance minus a penalty for length: of two equally relevant
entries, the shorter one leaves room for a third. The answer itself is sorted best first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING, Final

from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.project import is_of_other_project, project_names, without_projects
from remem.ports.entries import EntryReader
from remem.ports.models import TokenCounter
from remem.search.answer.answer import EntryOffer, Recalled, with_details
from remem.search.answer.unmigrated import Extract, shown_text
from remem.search.query.question import Question
from remem.search.rank.ranking import RankedCandidate
from remem.text.similarity import sentences
from remem.text.tokens import estimate
from remem.text.words import words

if TYPE_CHECKING:
    from remem.model.fact import Fact


PASSAGE: Final = "passage"
_FIELD_TOKENS: Final = 50
"""The typical number of tokens of an entry's id, category, score, time and tags."""
_MIN_FIELD_TOKENS: Final = 40
"""The minimum number of tokens of these fields."""
_COST_WEIGHT: Final = 0.2
"""Penalty subtracted from an entry's signals each time its cost doubles; tuned on three data sets
(decision 0028)."""
_ELLIPSIS: Final = "…"
_MAX_BASES: Final = 200
"""Up to this many memories that others build on are read together; further ones one by one."""


def mark_outdated(
    results: Iterable[RankedCandidate], entries: EntryReader
) -> list[RankedCandidate]:
    """Return the results; those that build on a replaced memory have its id in `outdated_by`."""
    ranked = list(results)
    building = [result.entry for result in ranked if result.entry.related_to]
    if not building:
        return ranked
    from remem.model.outdated import outdated_by  # lazy: few memories build on others

    known = _bases(building, entries)

    def find(id_: str) -> Entry | None:
        if id_ not in known:
            known[id_] = entries.find([id_]).get(id_)
        return known[id_]

    return [
        result._replace(outdated_by=outdated_by(result.entry, find))
        if result.entry.related_to
        else result
        for result in ranked
    ]


def _bases(building: Sequence[Entry], entries: EntryReader) -> dict[str, Entry | None]:
    """Return what memories build on, in few reads; None for ids that do not exist."""
    known: dict[str, Entry | None] = {}
    level = building
    while len(known) < _MAX_BASES:
        newest: dict[str, str] = {}
        for entry in level:
            for id_ in entry.related_to:
                newest[id_] = max(entry.created_at, newest.get(id_, ""))
        ids = [id_ for id_ in newest if id_ not in known]
        if not ids:
            break
        found = entries.find(ids)
        known |= {id_: found.get(id_) for id_ in ids}
        level = [base for base in found.values() if base.created_at <= newest[base.id]]
    return known


def fill_order(
    results: Sequence[RankedCandidate | Extract],
    budget: int,
    max_tokens: int | None,
    limit: int | None,
) -> list[RankedCandidate | Extract]:
    """Sort results for filling the answer: by rank if all fit, else with a penalty for their cost.

    At most `max_tokens` of a text and `limit` texts are shown.
    """
    ranked = sorted(results, key=lambda result: -result.total)
    if sum(_cost(result, max_tokens) for result in ranked[:limit]) <= budget:
        return ranked
    # A text that will be cut is charged for all of its tokens, because part of it is also worth
    # less.
    values = [value_for_cost(result.total, _cost(result, None)) for result in ranked]
    return [ranked[i] for i in sorted(range(len(ranked)), key=values.__getitem__, reverse=True)]


def value_for_cost(total: float, cost: float) -> float:
    """Return the sum of the signals, minus a penalty for the cost."""
    return total - _COST_WEIGHT * log2(cost)


def min_cost(entry: Entry, max_tokens: int | None) -> int:
    """Return a lower bound of an entry's cost.

    Its tokens may have been counted differently when it was stored, and a text that is cut may
    shrink to one short sentence.
    """
    cut = max_tokens is not None and entry.token_estimate > max_tokens
    return _MIN_FIELD_TOKENS + (0 if cut else entry.token_estimate * 9 // 10)


def _cost(result: RankedCandidate | Extract, max_tokens: int | None) -> int:
    if isinstance(result, RankedCandidate):
        tokens = result.entry.token_estimate
    else:
        tokens = estimate(result.fact.fact if result.fact else shown_text(result.passage))
    return _FIELD_TOKENS + (tokens if max_tokens is None else min(tokens, max_tokens))


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """The parts of each entry to show.

    `nonce` marks the fences of this answer. `project` is the current one: entries of others are
    marked.
    """

    counter: TokenCounter
    max_tokens: int | None
    include_context: bool
    detailed: bool
    why: bool
    nonce: str
    project: str | None = None


def offer(result: RankedCandidate | Extract, question: Question, style: AnswerStyle) -> EntryOffer:
    """Return a result as a possible entry of the answer."""
    if isinstance(result, RankedCandidate):
        cost = min_cost(result.entry, style.max_tokens)
        return EntryOffer(cost, lambda: present(result, question, style))
    return EntryOffer(0, lambda: present_passage(result, question, style))


def present(ranked: RankedCandidate, question: Question, style: AnswerStyle) -> Recalled:
    """Return an entry as the answer shows it."""
    entry = ranked.entry
    untrusted = entry.trust == "untrusted"
    content, cut = _content(entry, question, style)
    context = entry.context if style.include_context else None
    recalled = Recalled(
        id=entry.id,
        category=entry.category,
        content=_fenced(content, style) if untrusted else content,
        priority=entry.priority,
        score=round(ranked.score, 4),
        stored_at=entry.created_at,
        tags=() if untrusted else without_projects(entry.tags),
        project=_project(entry, style),
        context=_fenced(context, style) if untrusted and context else context,
        trust="untrusted" if untrusted else None,
        truncated=True if cut else None,
        archived=True if entry.archived else None,
        superseded_by=entry.superseded_by,
        earlier=True if ranked.earlier else None,
        possibly_outdated=ranked.outdated_by,
        why={name: round(value, 3) for name, value in ranked.why.items()} if style.why else None,
    )
    return with_details(recalled, entry) if style.detailed else recalled


def _project(entry: Entry, style: AnswerStyle) -> str | None:
    """Return the project that an entry comes from.

    A brief answer names it only if it is another one.
    """
    if entry.trust == "untrusted" or not (
        style.detailed or is_of_other_project(entry.tags, style.project)
    ):
        return None
    return project_names(entry.tags) or None


def present_passage(extract: Extract, question: Question, style: AnswerStyle) -> Recalled:
    """Present a passage or fact as an entry; the id of a passage is its citation."""
    passage, fact = extract.passage, extract.fact
    text = fact.fact if fact else shown_text(passage)
    long = style.max_tokens is not None and style.counter.count(text) > style.max_tokens
    content = _relevant(text, question, style) if long else text
    recalled = Recalled(
        id=passage.citation,
        category=PASSAGE,
        content=_fenced(content, style) if passage.is_talk else content,
        priority="medium",
        score=round(extract.score, 4),
        stored_at=f"{passage.day}T00:00:00Z" if passage.day else "",
        trust="untrusted" if passage.is_talk else None,
        truncated=True if long or extract.cut else None,
        earlier=True if extract.earlier else None,
        why={name: round(value, 3) for name, value in extract.why.items()} if style.why else None,
    )
    return _as_fact(recalled, extract, fact, style) if fact else recalled


def _fenced(text: str, style: AnswerStyle) -> str:
    from remem.text.untrusted import fence_untrusted  # lazy: most text is trusted

    return fence_untrusted(text, style.nonce)


def _as_fact(entry: Recalled, extract: Extract, fact: Fact, style: AnswerStyle) -> Recalled:
    """Give a fact its own id and time; its origin is shown only in detailed answers."""
    return replace(
        entry,
        id=fact.id or extract.passage.citation,
        category=extract.category or "fact",
        stored_at=fact.since or "",
        tags=extract.passage.headings,
        superseded_by=fact.superseded_by,
        source=(fact.origin or fact.place) if style.detailed else None,
    )


def _content(entry: Entry, question: Question, style: AnswerStyle) -> tuple[str, bool]:
    if style.max_tokens is None or entry.token_estimate <= style.max_tokens:
        return entry.content, False
    return _relevant(entry.content, question, style), True


def _relevant(text: str, question: Question, style: AnswerStyle) -> str:
    """Return the sentences that share the most words with the question, in their original order."""
    assert style.max_tokens is not None
    question_words = set(words(question.text))
    parts = sentences(text)
    order = sorted(
        range(len(parts)), key=lambda i: (-len(question_words & set(words(parts[i]))), i)
    )
    available, positions = style.max_tokens, set[int]()
    for i in order:
        cost = style.counter.count(parts[i]) + 2
        if cost <= available:
            positions.add(i)
            available -= cost
    if not positions:
        return _start_of(parts[order[0]], style)
    pieces = []
    for i in sorted(positions):
        if i and i - 1 not in positions:
            pieces.append(_ELLIPSIS)
        pieces.append(parts[i])
    if len(parts) - 1 not in positions:
        pieces.append(_ELLIPSIS)
    return " ".join(pieces)


def _start_of(sentence: str, style: AnswerStyle) -> str:
    """Return as much of one long sentence as fits."""
    assert style.max_tokens is not None
    length = len(sentence)
    while length > 1 and style.counter.count(sentence[:length]) > style.max_tokens - 2:
        length //= 2
    return sentence[:length] + _ELLIPSIS
