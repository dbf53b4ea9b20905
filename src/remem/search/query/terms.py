"""The terms of a question and their weights, cues in its wording, and how much a text covers of it.

Coverage is measured on the best statement of a text together with its headings, not on the whole
text: a daily note contains many names and numbers that have nothing to do with each other. Rarer
terms have a higher weight.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import filterfalse
from math import log
from typing import Final, NamedTuple

from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.passage import Passage
from remem.text.language import language_of
from remem.text.words import fold, search_text, words

UNKNOWN_WEIGHT: Final = 0.3
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
_WORD: Final = re.compile(r"[^\W_]+")
_STATEMENT: Final = re.compile(r"\n(?=[ \t]*(?:[-*+•#|]|\d{1,3}[.)][ \t]|\n))")
_ENDINGS: Final = tuple("ments ment ings ing ies ied ers ed es er s y e".split())
_MIN_STEM_LENGTH: Final = 3
_CORRECTED_WEIGHT: Final = 0.8
"""The weight of a word that was found only with corrected spelling."""


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
    return idf(count, total) if count else UNKNOWN_WEIGHT


def all_spellings(terms: Sequence[Term]) -> list[str]:
    """Return every spelling and stem of the terms, without duplicates."""
    spelled = [term.text for term in terms] + [term.correction for term in terms if term.correction]
    stems = [term.stem for term in terms if term.stem]
    return list(dict.fromkeys(spelled + stems))


def is_question(text: str) -> bool:
    """Return whether a text contains a question mark."""
    return "?" in text or "？" in text or "؟" in text


def asks_when(question: str) -> bool:
    """Return whether a question asks for a time."""
    return _WHEN.search(question) is not None


def mentions_time(text: str) -> bool:
    """Return whether a text mentions a time."""
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


class _Form(NamedTuple):
    """A spelling of a word, normalised, and its stem if it is a single word."""

    plain: str
    stem: str | None


class _Needle(NamedTuple):
    """A term of the question, as it is looked for in texts."""

    text: str
    weight: float
    forms: tuple[_Form, ...]
    corrected: tuple[_Form, ...]


class BestStatement(NamedTuple):
    """The statement of a text that covers most of a question, with the heading above it.

    The heading is empty if it is not part of the text. `covered` are the terms in the statement,
    its headings or the path, `own` those in the statement itself.
    """

    text: str
    heading: str
    covered: frozenset[str]
    own: frozenset[str]


class TermCoverage:
    """The terms of one question, prepared for comparing them with many texts."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._needles = [
            _Needle(
                term.text,
                term.weight,
                tuple(_form(spelling) for spelling in (term.text, term.stem) if spelling),
                (_form(term.correction),) if term.correction else (),
            )
            for term in terms
        ]
        self._total = sum([term.weight for term in terms])

    def share(self, item: Entry | Passage) -> float:
        """Return the share of the question that the best statement of a text covers, up to 1."""
        text = _parsed(item)
        if not self._total or not text.statements:
            return 0.0
        uncovered = self._needles
        if text.around:
            uncovered = [n for n in uncovered if not _is_in(n.forms, text.around)]
        matched_weight = self._total - sum([needle.weight for needle in uncovered])
        possible = [n for n in uncovered if _may_be_in(n, text.whole)]
        best = max([_matched_weight(possible, statement) for statement in text.statements])
        return (matched_weight + best) / self._total

    def best_statement(self, item: Entry | Passage) -> BestStatement:
        """Return the best statement of a text, the first one among equals; not a mere heading."""
        text = _parsed(item)
        around = {n.text for n in self._needles if _is_in(n.forms, text.around)}
        others = [needle for needle in self._needles if needle.text not in around]
        if not text.statements:
            return BestStatement(text.text, "", frozenset(around), frozenset())
        best = max(
            range(len(text.statements)),
            key=lambda i: (
                _matched_weight(others, text.statements[i]),
                not text.parts[i].lstrip().startswith("#"),
            ),
        )
        statement, heading = text.statements[best], text.part_headings[best]
        matches = {needle.text for needle in others if _matched_weight((needle,), statement)}
        part = _normalised(text.parts[best], text.language) if heading else statement
        own = {needle.text for needle in self._needles if _matched_weight((needle,), part)}
        return BestStatement(text.parts[best], heading, frozenset(around | matches), frozenset(own))


def coverage_among(question_words: Sequence[str], items: Sequence[Entry | Passage]) -> list[float]:
    """Return the coverage of texts for which no store has counted the words.

    The fewer of these texts contain a word, the higher is its weight.
    """
    texts = list(map(_parsed, items))
    counts = [sum(text.contains(_form(word)) for text in texts) for word in question_words]
    terms = [
        Term(word, weight=rarity(count, len(texts)))
        for word, count in zip(question_words, counts, strict=True)
    ]
    coverage = TermCoverage(terms)
    return [coverage.share(item) for item in items]


def prepare(items: Iterable[Entry | Passage]) -> None:
    """Parse texts ahead of time; what is parsed is kept for computing their coverage."""
    for item in items:
        _parsed(item)


class _Parsed:
    """A text as normalised statements, each with its heading.

    `around` is what applies to all of them: the headings above the text and its path. `parts` are
    the statements as written, and `part_headings` the heading of each within the text.
    """

    def __init__(self, text: str, around: str) -> None:
        self.text = text
        # Reading the language of each line would take most of the time of a search.
        self.language = language_of(text)
        self.around = _normalised(around, self.language) if around else ""
        self.statements: list[str] = []
        self.parts: list[str] = []
        self.part_headings: list[str] = []
        heading = ""
        for part in _STATEMENT.split(text) if "\n" in text else (text,):
            if part.lstrip().startswith("#"):
                heading = part
            if part.strip():
                self.parts.append(part)
                self.part_headings.append(heading)
                headed = f"{part} {heading}" if heading else part
                self.statements.append(_normalised(headed, self.language))
        self.whole = "\n".join(self.statements)

    def contains(self, form: _Form) -> bool:
        return any(_is_in((form,), text) for text in (self.around, *self.statements))


def _parsed(item: Entry | Passage) -> _Parsed:
    if isinstance(item, Entry):
        if not item.context and not item.tags:
            return _parse(item.content, "")
        return _parse(" ".join(filter(None, (item.content, item.context, *item.tags))), "")
    return _parse(item.text, " ".join((*item.headings, *item.within, item.path)))


_parse: Final = lru_cache(maxsize=4_096)(_Parsed)


def _matched_weight(needles: Iterable[_Needle], text: str) -> float:
    total = 0.0
    for needle in needles:
        if _is_in(needle.forms, text):
            total += needle.weight
        elif needle.corrected and _is_in(needle.corrected, text):
            total += _CORRECTED_WEIGHT * needle.weight
    return total


def _may_be_in(needle: _Needle, text: str) -> bool:
    """Return False if a text surely does not contain a term; much faster than to be certain."""
    return any((stem or plain) in text for plain, stem in needle.forms + needle.corrected)


def _is_in(forms: Iterable[_Form], text: str) -> bool:
    for plain, stem in forms:
        if stem is None:
            if plain in text:
                return True
        elif stem in text and _has_stem(text, stem):
            return True
    return False


def _has_stem(text: str, stem: str) -> bool:
    """Return whether a word of a text has this stem; a stem is the beginning of its words."""
    at = text.find(stem)
    while at >= 0:
        if at == 0 or not text[at - 1].isalnum():
            word = _WORD.match(text, at)
            if word and _stem(word[0]) == stem:
                return True
        at = text.find(stem, at + 1)
    return False


@lru_cache(maxsize=1_000)
def _form(spelling: str) -> _Form:
    plain = _plain(spelling)
    plain_words = _WORD.findall(plain)
    return _Form(plain, _stem(plain_words[0]) if len(plain_words) == 1 else None)


def _normalised(text: str, language: str) -> str:
    """Return a text as the full-text index has it."""
    return _plain(search_text(text, language))


def _plain(text: str) -> str:
    """Fold case and remove accents, as the full-text index does."""
    folded = fold(text)
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    return "".join(filterfalse(unicodedata.combining, decomposed))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Stem roughly as the full-text index does; coverage only compares passages that it found."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH:
            return word[: -len(ending)]
    return word
