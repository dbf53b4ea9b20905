"""How much of a question does a passage say? Its words, each weighed by how rare it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from remem.core.passage import Passage
from remem.core.words import fold, is_gram, search_terms, search_text

_WORD: Final = re.compile(r"[^\W_]+")
_ENDINGS: Final = tuple("ments ment ings ing ies ied ers ed es er s y e".split())
_SHORTEST_STEM: Final = 3
_MENDED: Final = 0.8
"""What a word counts that was found in another spelling."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question, and how the memory spells it where it does not know it so."""

    text: str
    mended: str | None = None


def terms_of(query: str, spelling: Callable[[str], str | None]) -> tuple[Term, ...]:
    return tuple(Term(term, spelling(term)) for term in search_terms(query))


def to_look_for(terms: Sequence[Term]) -> list[str]:
    """Every spelling, each once."""
    spelled = [term.text for term in terms] + [term.mended for term in terms if term.mended]
    return list(dict.fromkeys(spelled))


class Vocabulary:
    """The words of one passage, its headings and its path among them."""

    def __init__(self, passage: Passage) -> None:
        around = " ".join((*passage.headings, *passage.within))
        self._text = _plain(search_text(f"{passage.text} {around} {passage.path}"))
        self._stems = {_stem(word) for word in _WORD.findall(self._text)}

    def holds(self, term: str) -> bool:
        if is_gram(term):
            return term in self._stems or f" {term} " in f" {self._text} "
        plain = _plain(term)
        words = _WORD.findall(plain)
        if len(words) == 1:
            return _stem(words[0]) in self._stems
        return plain in self._text


def coverage(terms: Sequence[Term], passages: Sequence[Passage]) -> list[float]:
    """For each passage the share of the question that it says, from 0 to 1.

    A word that no passage holds lowers none of them by much: it cannot tell them apart.
    """
    if not terms or not passages:
        return [0.0] * len(passages)
    vocabularies = [Vocabulary(passage) for passage in passages]
    held = [[_held(term, vocabulary) for vocabulary in vocabularies] for term in terms]
    weights = [_rarity(sum(1 for each in row if each), len(passages)) for row in held]
    total = sum(weights)
    return [
        sum(weight * row[i] for weight, row in zip(weights, held, strict=True)) / total
        for i in range(len(passages))
    ]


def _held(term: Term, vocabulary: Vocabulary) -> float:
    if vocabulary.holds(term.text):
        return 1.0
    return _MENDED if term.mended and vocabulary.holds(term.mended) else 0.0


def _rarity(holders: int, among: int) -> float:
    if not holders:
        return 0.3
    return log(1 + (among - holders + 0.5) / (holders + 0.5)) + 0.5


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
