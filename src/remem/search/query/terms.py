"""What do its words give away? Whether a text asks, when something was, who is meant.

How much of a question does a passage say? Its words, each weighed by how rare it is.

What counts is what one statement of the passage says together with what it stands under: a
note of a day holds many names and many numbers, and most of them have nothing to do with each
other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from remem.model.passage import Passage
from remem.text.language import language_of
from remem.text.words import fold, search_terms, search_text, stem_of, words

_WORD: Final = re.compile(r"[^\W_]+")
_STATEMENT: Final = re.compile(r"\n(?=[ \t]*(?:[-*+•#|]|\d{1,3}[.)][ \t]|\n))")
_ENDINGS: Final = tuple("ments ment ings ing ies ied ers ed es er s y e".split())
_SHORTEST_STEM: Final = 3
_MENDED: Final = 0.8
"""What a word counts that was found in another spelling."""
_UNHEARD_OF: Final = 0.3
"""What a word weighs that nothing holds: it cannot tell passages apart."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question, how the memory spells it where it does not know it so, what it
    tells (more where fewer passages hold it), and its stem in the question's language."""

    text: str
    mended: str | None = None
    weight: float = 1.0
    stem: str | None = None


def terms_of(
    query: str,
    spelling: Callable[[str], str | None],
    holders: Callable[[Sequence[str]], int],
    among: int,
) -> tuple[Term, ...]:
    """The words of a question; `holders` counts the passages that hold one of the spellings."""
    terms = []
    language = language_of(query)
    for text in search_terms(query):
        mended, stem = spelling(text), stem_of(text, language)
        count = holders([each for each in (text, mended, stem) if each])
        terms.append(Term(text, mended, rarity(count, among), stem))
    return tuple(terms)


def rarity(holders: int, among: int) -> float:
    if not holders:
        return _UNHEARD_OF
    return log(1 + (max(among, holders) - holders + 0.5) / (holders + 0.5))


def to_look_for(terms: Sequence[Term]) -> list[str]:
    """Every spelling, each once."""
    spelled = [term.text for term in terms] + [term.mended for term in terms if term.mended]
    stems = [term.stem for term in terms if term.stem]
    return list(dict.fromkeys(spelled + stems))


def coverage(terms: Sequence[Term], passage: Passage) -> float:
    """The share of a question that the passage's best statement says, from 0 to 1."""
    return _share(terms, _Said(passage))


def coverage_among(words: Sequence[str], passages: Sequence[Passage]) -> list[float]:
    """The share that each says, of texts that no store has counted: a word weighs more where
    fewer of these hold it."""
    texts = [_Said(passage) for passage in passages]
    terms = []
    for word in words:
        holders = sum(text.holds(word) for text in texts)
        terms.append(Term(word, weight=rarity(holders, len(texts))))
    return [_share(terms, text) for text in texts]


class _Text:
    """A text as the full text sees it."""

    __slots__ = ("plain", "stems")

    def __init__(self, text: str) -> None:
        self.plain = _plain(search_text(text))
        self.stems = frozenset(map(_stem, _WORD.findall(self.plain)))

    def holds(self, term: str) -> bool:
        plain, stem = _needle(term)
        return stem in self.stems if stem else plain in self.plain


class _Said:
    """What a passage says: its statements, each with the heading above it, and the names that
    all of them stand under."""

    def __init__(self, passage: Passage) -> None:
        self.around = _Text(" ".join((*passage.headings, *passage.within, passage.path)))
        self.statements: list[_Text] = []
        heading = ""
        for piece in _STATEMENT.split(passage.text):
            if piece.lstrip().startswith("#"):
                heading = piece
            if piece.strip():
                self.statements.append(_Text(f"{piece} {heading}" if heading else piece))

    def holds(self, term: str) -> bool:
        return self.around.holds(term) or any(text.holds(term) for text in self.statements)


def _share(terms: Sequence[Term], said: _Said) -> float:
    total = sum(term.weight for term in terms)
    if not total or not said.statements:
        return 0.0
    open_ = [term for term in terms if not _held(term, said.around)]
    above = total - sum(term.weight for term in open_)
    return (above + max(_told(open_, text) for text in said.statements)) / total


def _told(terms: Sequence[Term], text: _Text) -> float:
    told = 0.0
    for term in terms:
        if _held(term, text):
            told += term.weight
        elif term.mended and text.holds(term.mended):
            told += _MENDED * term.weight
    return told


def _held(term: Term, text: _Text) -> bool:
    return text.holds(term.text) or (term.stem is not None and text.holds(term.stem))


@lru_cache(maxsize=1_000)
def _needle(term: str) -> tuple[str, str | None]:
    """A word to look for, and its stem if it is a single one."""
    plain = _plain(term)
    words = _WORD.findall(plain)
    return plain, _stem(words[0]) if len(words) == 1 else None


def _plain(text: str) -> str:
    """Folded, and without accents, as the full text sees it."""
    folded = fold(text)
    if folded.isascii():
        return folded
    apart = unicodedata.normalize("NFD", folded)
    return "".join(each for each in apart if not unicodedata.combining(each))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Near enough to the stems of the full text; coverage only weighs what that has found."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_WHEN: Final = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow long ago\b"
    r"|\bwann\b|\bquand\b|\bcuándo\b|\bкогда\b|什么时候|何时|几号|哪天|いつ|언제",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:week|month|year|morning|weekend)"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|(?:19|20)\d\d"
    r"|gestern|heute|morgen|hier|demain|ayer|mañana|вчера|завтра)\b|昨天|明天|今天|上周|昨日|어제",
    re.IGNORECASE,
)
_SAID: Final = (
    r"(?:said|told|suggested|recommended|mentioned|gave|given|provided|listed|explained|described"
    r"|wrote|written|created|answered|advised|proposed|shared|outlined|helped)"
)
_SAY: Final = (
    r"(?:say|tell|suggest|recommend|mention|give|provide|list|explain|describe|write|create"
    r"|answer|advise|propose|share|outline|help)"
)
# Only what is over: who asks "what would you suggest?" wants new advice, by what he said himself.
# One conversation: what runs "through our conversations" is mostly what he brought up himself.
_OF_ASSISTANT: Final = re.compile(
    r"\b(?:you|assistant|chatbot|ai)"
    rf"(?:['’](?:d|ve)|\s(?:had|have|just|also|already|once|previously|earlier|then|first)){{0,2}}"
    rf"\s{_SAID}\b"
    rf"|\bdid (?:you|the (?:assistant|chatbot|ai))\b.{{0,20}}\b{_SAY}\b"
    r"|\b(?:previous|earlier|last) (?:chat|conversation|discussion)s?\b"
    r"|\bour (?:chat|conversation|discussion)\b|\bremind me\b",
    re.IGNORECASE,
)

_IN_ONE_BREATH: Final = frozenset({"and", "or", "s", "und", "oder", "et", "ou", "y", "o", "e", "и"})


def asks(text: str) -> bool:
    return "?" in text or "？" in text or "؟" in text


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def tells_a_time(text: str) -> bool:
    return _TIME.search(text) is not None


def asks_of_assistant(question: str) -> bool:
    """Whether somebody wants to hear again what an assistant has said."""
    return _OF_ASSISTANT.search(question) is not None


def the_one_meant(asked: Sequence[str], names: Iterable[str]) -> str | None:
    """Of the people whom a question's words name, the one who does something in it: the first;
    nobody, where the first two are named in one breath ("Mara and Tom")."""
    parts = {name: words(name) for name in names}
    places = sorted(
        (min(map(asked.index, spoken)), name)
        for name, own in parts.items()
        if (spoken := set(own).intersection(asked))
    )
    if len(places) < 2:
        return places[0][1] if places else None
    (first, name), (second, _) = places[:2]
    between = set(asked[first + 1 : second])
    together = first == second or between <= {*_IN_ONE_BREATH, *parts[name]}
    return None if together else name
