"""How is an entry shown? Whole, or as the sentences that matter; strangers' words fenced.

Which memories fill a budget that has no room for all? Those worth most for what they cost.

Of two that are as likely to answer, the shorter one leaves room for a third. The order of
filling decides only what is told; it is told best first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, log2
from typing import TYPE_CHECKING, Final

from remem.model.entry import Entry
from remem.ports.models import TokenCounter
from remem.search.answer.answer import Recalled, with_details
from remem.search.answer.unmigrated import Extract, shown_text
from remem.search.query.question import Question
from remem.search.rank.ranking import Ranked
from remem.text.similarity import sentences
from remem.text.untrusted import fenced
from remem.text.words import words

if TYPE_CHECKING:
    from remem.model.fact import Fact


_FIELDS: Final = 50
"""What an entry costs beside its content, in tokens: its id, category, score, time and tags."""
_BARE: Final = 40
"""What the fields cost at least."""
_DEAR: Final = 0.2
"""What twice the price weighs beside the signals; chosen on three sets (decision 0028)."""


def order_of_filling(
    ranked: list[Ranked], budget: int, longest: int | None, most: int | None
) -> list[Ranked]:
    """Best first where so many fit; else the best for its price. Of an entry `longest` tokens
    are shown, and of all entries `most`."""
    if sum(_price(each.entry, longest) for each in ranked[:most]) <= budget:
        return ranked
    # What is cut pays for all of its tokens: a part of it is worth less, too.
    values = [worth(fsum(each.why.values()), _price(each.entry, None)) for each in ranked]
    return [ranked[i] for i in sorted(range(len(ranked)), key=values.__getitem__, reverse=True)]


def worth(total: float, price: float) -> float:
    """What the signals say of a memory, less what its tokens take from the others."""
    return total - _DEAR * log2(price)


def least_cost(entry: Entry, longest: int | None) -> int:
    """What an entry takes of a budget at least. Its tokens may have been counted otherwise when it
    was stored; and of one that is cut, a short sentence may be left."""
    cut = longest is not None and entry.token_estimate > longest
    return _BARE + (0 if cut else entry.token_estimate * 9 // 10)


def _price(entry: Entry, longest: int | None) -> int:
    shown = entry.token_estimate
    return _FIELDS + (shown if longest is None else min(shown, longest))


PASSAGE: Final = "passage"
_ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True)
class Manner:
    """How much of each entry the asker wants to see; `nonce` marks the fence of this answer."""

    counter: TokenCounter
    longest: int | None
    include_context: bool
    detailed: bool
    why: bool
    nonce: str


def present(ranked: Ranked, question: Question, how: Manner) -> Recalled:
    entry = ranked.entry
    untrusted = entry.trust == "untrusted"
    content, cut = _content(entry, question, how)
    context = entry.context if how.include_context else None
    recalled = Recalled(
        id=entry.id,
        category=entry.category,
        content=fenced(content, how.nonce) if untrusted else content,
        priority=entry.priority,
        score=round(ranked.score, 4),
        stored_at=entry.created_at,
        tags=() if untrusted else entry.tags,
        context=fenced(context, how.nonce) if untrusted and context else context,
        trust="untrusted" if untrusted else None,
        truncated=True if cut else None,
        archived=True if entry.archived else None,
        superseded_by=entry.superseded_by,
        why={name: round(value, 3) for name, value in ranked.why.items()} if how.why else None,
    )
    return with_details(recalled, entry) if how.detailed else recalled


def present_passage(extract: Extract, question: Question, how: Manner) -> Recalled:
    """A passage in the shape of an entry; its id says where it stands."""
    passage, fact = extract.passage, extract.fact
    text = fact.fact if fact else shown_text(passage)
    long = how.longest is not None and how.counter.count(text) > how.longest
    content = _relevant(text, question, how) if long else text
    recalled = Recalled(
        id=passage.citation,
        category=PASSAGE,
        content=fenced(content, how.nonce) if passage.is_talk else content,
        priority="medium",
        score=round(extract.score, 4),
        stored_at=f"{passage.day}T00:00:00Z" if passage.day else "",
        trust="untrusted" if passage.is_talk else None,
        truncated=True if long or extract.cut else None,
        why={"passage": round(extract.score, 3)} if how.why else None,
    )
    return _as_fact(recalled, extract, fact, how) if fact else recalled


def _as_fact(recalled: Recalled, extract: Extract, fact: Fact, how: Manner) -> Recalled:
    """A fact has its own id and time; where it stands and was said is detail."""
    return replace(
        recalled,
        id=fact.id or extract.passage.citation,
        category=extract.category or "fact",
        stored_at=fact.since or "",
        tags=extract.passage.headings,
        superseded_by=fact.superseded_by,
        source=(fact.origin or fact.place) if how.detailed else None,
    )


def _content(entry: Entry, question: Question, how: Manner) -> tuple[str, bool]:
    if how.longest is None or entry.token_estimate <= how.longest:
        return entry.content, False
    return _relevant(entry.content, question, how), True


def _relevant(text: str, question: Question, how: Manner) -> str:
    """The sentences that share most words with the question, in their order."""
    assert how.longest is not None
    asked = set(words(question.text))
    parts = sentences(text)
    order = sorted(range(len(parts)), key=lambda i: (-len(asked & set(words(parts[i]))), i))
    room, kept = how.longest, set[int]()
    for i in order:
        cost = how.counter.count(parts[i]) + 2
        if cost <= room:
            kept.add(i)
            room -= cost
    if not kept:
        return _start_of(parts[order[0]], how)
    pieces = []
    for i in sorted(kept):
        if i and i - 1 not in kept:
            pieces.append(_ELLIPSIS)
        pieces.append(parts[i])
    if len(parts) - 1 not in kept:
        pieces.append(_ELLIPSIS)
    return " ".join(pieces)


def _start_of(sentence: str, how: Manner) -> str:
    """As much of one long sentence as fits."""
    assert how.longest is not None
    length = len(sentence)
    while length > 1 and how.counter.count(sentence[:length]) > how.longest - 2:
        length //= 2
    return sentence[:length] + _ELLIPSIS
