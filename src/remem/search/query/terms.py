"""The terms of a question, how much of a question a passage covers, and cues in its wording.

Coverage is that of the best statement of a passage together with its headings, not of the whole
passage: a daily note contains many names and numbers that have nothing to do with each other. Rarer
terms have a higher weight.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.text.words import fold, search_text, words

_WORD: Final = re.compile(r"[^\W_]+")
_STATEMENT: Final = re.compile(r"\n(?=[ \t]*(?:[-*+•#|]|\d{1,3}[.)][ \t]|\n))")
_ENDINGS: Final = tuple("ments ment ings ing ies ied ers ed es er s y e".split())
_MIN_STEM_LENGTH: Final = 3
_CORRECTED_WEIGHT: Final = 0.8
"""The weight of a word that was found only with corrected spelling."""
_UNKNOWN_WEIGHT: Final = 0.3
"""The weight of a word that no passage contains, so that it cannot tell passages apart."""
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
_CONJUNCTIONS: Final = frozenset({"and", "or", "s", "und", "oder", "et", "ou", "y", "o", "e", "и"})


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question.

    `correction` is its corrected spelling, `weight` is higher the fewer passages contain it, and
    `stem` is its stem in the question's language.
    """

    text: str
    correction: str | None = None
    weight: float = 1.0
    stem: str | None = None


def idf(count: int, total: int) -> float:
    """Return the inverse document frequency of a term that `count` of `total` texts contain."""
    return log(1 + (max(total, count) - count + 0.5) / (count + 0.5))


def rarity(count: int, total: int) -> float:
    """Return the weight of a term; a term that no text contains gets a low weight."""
    return idf(count, total) if count else _UNKNOWN_WEIGHT


def all_spellings(terms: Sequence[Term]) -> list[str]:
    """Return every spelling and stem of the terms, without duplicates."""
    spelled = [term.text for term in terms] + [term.correction for term in terms if term.correction]
    stems = [term.stem for term in terms if term.stem]
    return list(dict.fromkeys(spelled + stems))


def entry_as_passage(entry: Entry) -> Passage:
    """Return an entry's text, context and tags as a passage, to compute its coverage."""
    return Passage("", 1, 1, " ".join((entry.content, entry.context or "", *entry.tags)))


def coverage(terms: Sequence[Term], passage: Passage) -> float:
    """Return the share of a question that the passage's best statement covers, from 0 to 1."""
    return _share(terms, _PassageText(passage))


def coverage_among(words: Sequence[str], passages: Sequence[Passage]) -> list[float]:
    """Return the coverage of texts for which no store has counted the words.

    The fewer of these texts contain a word, the higher is its weight.
    """
    texts = [_PassageText(passage) for passage in passages]
    terms = []
    for word in words:
        count = sum(text.contains(word) for text in texts)
        terms.append(Term(word, weight=rarity(count, len(texts))))
    return [_share(terms, text) for text in texts]


class _Text:
    """A text, normalised as in the full-text index."""

    __slots__ = ("plain", "stems")

    def __init__(self, text: str) -> None:
        self.plain = _plain(search_text(text))
        self.stems = frozenset(map(_stem, _WORD.findall(self.plain)))

    def contains(self, term: str) -> bool:
        plain, stem = _needle(term)
        return stem in self.stems if stem else plain in self.plain


class _PassageText:
    """A passage as statements, each with its heading; `around` is their common context."""

    def __init__(self, passage: Passage) -> None:
        self.around = _Text(" ".join((*passage.headings, *passage.within, passage.path)))
        self.statements: list[_Text] = []
        heading = ""
        for part in _STATEMENT.split(passage.text):
            if part.lstrip().startswith("#"):
                heading = part
            if part.strip():
                self.statements.append(_Text(f"{part} {heading}" if heading else part))

    def contains(self, term: str) -> bool:
        return self.around.contains(term) or any(text.contains(term) for text in self.statements)


def _share(terms: Sequence[Term], passage: _PassageText) -> float:
    total = sum(term.weight for term in terms)
    if not total or not passage.statements:
        return 0.0
    uncovered = [term for term in terms if not _contains(term, passage.around)]
    covered = total - sum(term.weight for term in uncovered)
    return (covered + max(_matched_weight(uncovered, text) for text in passage.statements)) / total


def _matched_weight(terms: Sequence[Term], text: _Text) -> float:
    total = 0.0
    for term in terms:
        if _contains(term, text):
            total += term.weight
        elif term.correction and text.contains(term.correction):
            total += _CORRECTED_WEIGHT * term.weight
    return total


def _contains(term: Term, text: _Text) -> bool:
    return text.contains(term.text) or (term.stem is not None and text.contains(term.stem))


@lru_cache(maxsize=1_000)
def _needle(term: str) -> tuple[str, str | None]:
    """Return a term normalised, and its stem if it is a single word."""
    plain = _plain(term)
    words = _WORD.findall(plain)
    return plain, _stem(words[0]) if len(words) == 1 else None


def _plain(text: str) -> str:
    """Fold case and remove accents, as the full-text index does."""
    folded = fold(text)
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Stem roughly as the full-text index does; coverage only compares passages that it found."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH:
            return word[: -len(ending)]
    return word


def is_question(text: str) -> bool:
    return "?" in text or "？" in text or "؟" in text


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def mentions_time(text: str) -> bool:
    return _TIME.search(text) is not None


def person_asked_about(question_words: Sequence[str], names: Iterable[str]) -> str | None:
    """Return the person that a question is about, which is the first one it names.

    None if the first two are named together ("Mara and Tom").
    """
    parts = {name: words(name) for name in names}
    positions = sorted(
        (min(map(question_words.index, present)), name)
        for name, name_words in parts.items()
        if (present := set(name_words).intersection(question_words))
    )
    if len(positions) < 2:
        return positions[0][1] if positions else None
    (first, name), (second, _) = positions[:2]
    between = set(question_words[first + 1 : second])
    joined = first == second or between <= {*_CONJUNCTIONS, *parts[name]}
    return None if joined else name
