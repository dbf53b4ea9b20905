"""Read what a text states about a question, and decide whether one statement replaces another.

A note has many lines; compared are those that cover most of the question. A statement replaces an
older one if both cover the same words of the question and a sign says that they give two values of
the same thing: a label in one whose words are in the other ("Backup: …"), the same word with
another number, words for a change, or mostly the same words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Final

from remem.model.entry import Entry, headings_in
from remem.model.passage import Passage
from remem.search.query.terms import TermCoverage
from remem.search.rank.ranking import Candidate
from remem.search.rank.signals import passage_day
from remem.text.language import function_words
from remem.text.line_status import announces_change, is_over, is_struck, line_status
from remem.text.note_dates import date_in_name, day_of_headings, mentions
from remem.text.timestamps import date_of
from remem.text.words import STOP_WORDS, as_written, words

_MARKERS: Final = re.compile(r"^[\s>|*+•#-]*(?:\d{1,3}[.)]\s)?(?:\[[ xX]\]\s)?|[*_`~]+")
_LABEL: Final = re.compile(r"([^:：\n]{2,60})[:：](?=\s|[^\W\d]|\d+\D)(?!//)\s*(\S.*)", re.DOTALL)
_ROOT: Final = 6
"""Words are compared by their first letters, so that endings do not matter."""
_SAME_WORDS: Final = 0.6
_SIMILAR_WORDS: Final = 0.3
"""The share of the shorter statement's words in the longer statement; the lower one if a change is
announced."""
_MIN_WORDS: Final = 4
_MAX_WORDS: Final = 40
_MAX_LABELLED: Final = 3
"""This many different lines among the results may be values of one label."""
_MIN_SHARE: Final = 0.3
"""Both statements cover at least this part of the question."""
MIN_SHARE_OF_CHANGE: Final = 0.45
"""A statement that announces a change replaces another one if both cover this part of the question,
whatever else they say; a statement is marked as earlier only if both cover this part."""
_MIN_COVERED: Final = 0.4
"""A newer statement covers at least this part of what the older one covers."""


class AnsweringStatement:
    """The line of a text that answers a question best, with the day from which it holds."""

    def __init__(self, candidate: Candidate, coverage: TermCoverage, today: date) -> None:
        item = candidate.item
        self.text, self._heading, self.covered, self.own = coverage.best_statement(item)
        if isinstance(item, Entry):
            self.text = item.content
        self._item = item
        self._today = today

    @cached_property
    def day(self) -> date | None:
        """The day of the file or heading, or the latest day that the line names."""
        item = self._item
        if isinstance(item, Passage):
            if date_in_name(item.path) is None and (day := day_of_headings((self._heading,))):
                return date.fromisoformat(day)
            return passage_day(item) or _day_in(self.text, self._today)
        for origin in item.origins:
            if origin.position is not None:  # migrated: the time of storing says nothing
                return date_in_name(origin.source) or _day_in(item.content, self._today)
        return date_of(item.created_at)

    @cached_property
    def has_ended(self) -> bool:
        """Whether a heading above the line, or the line itself, says that it no longer holds."""
        item = self._item
        headings = headings_in(item.context) if isinstance(item, Entry) else item.headings
        is_marked = line_status(_bare(self.text)) == "superseded" or is_struck(self.text)
        return is_marked or any(map(is_over, headings))

    @cached_property
    def changed(self) -> bool:
        """Whether the line says that something is different from before."""
        return announces_change(self.text)

    @property
    def announces(self) -> bool:
        """Whether the line is short enough that the change is surely of what it speaks of."""
        return self.changed and len(self.roots) <= _MAX_WORDS

    @cached_property
    def roots(self) -> frozenset[str]:
        """The content words of the line, without endings."""
        return frozenset(_roots(self.text))

    @cached_property
    def label(self) -> frozenset[str]:
        """The words before the colon of the line; none if it has no label."""
        match = _LABEL.match(_bare(self.text))
        return frozenset(_roots(match[1])) if match else frozenset()

    @cached_property
    def numbers(self) -> Mapping[str, frozenset[str]]:
        """The words next to a number, with the numbers next to each."""
        return _numbers(self.text)


def drop_common_labels(statements: Iterable[AnsweringStatement]) -> None:
    """Ignore labels that several different lines share: names of speakers, kinds of records."""
    texts: dict[frozenset[str], set[frozenset[str]]] = {}
    labelled = [statement for statement in statements if statement.label]
    for statement in labelled:
        texts.setdefault(statement.label, set()).add(statement.roots)
    for statement in labelled:
        if len(texts[statement.label]) > _MAX_LABELLED:
            statement.label = frozenset()


def share_enough(
    one: AnsweringStatement,
    other: AnsweringStatement,
    weights: Mapping[str, float],
    min_share: float = _MIN_SHARE,
) -> bool:
    """Return whether two statements cover the same part of a question.

    If so, one may replace the other. `weights` are those of the terms of the question, `min_share`
    is the smallest part that counts.
    """
    shared = one.covered & other.covered
    if not shared:
        return False
    weight = sum([weights[term] for term in shared])
    return weight > 0 and weight >= min_share * sum(weights.values())


def replaces(
    newer: AnsweringStatement, older: AnsweringStatement, weights: Mapping[str, float]
) -> bool:
    """Return whether a newer statement gives another value of what an older one is about.

    `weights` are those of the terms of the question.
    """
    if not share_enough(newer, older, weights):
        return False
    shared_terms = newer.covered & older.covered
    shared = sum(weights[term] for term in shared_terms)
    if shared < _MIN_COVERED * sum(weights[term] for term in older.covered):
        return False
    if newer.roots == older.roots:
        return False  # it says the same again
    shared_weight = sum(weights[term] for term in shared_terms & newer.own)
    if newer.announces and shared_weight >= MIN_SHARE_OF_CHANGE * sum(weights.values()):
        return True
    roots = frozenset(root for term in shared_terms for root in _roots(as_written(term)))
    return (
        _is_label_of(newer.label, older)
        or _is_label_of(older.label, newer)
        or _differs_in_number(newer, older, roots)
        or _same_words(newer, older) >= (_SIMILAR_WORDS if newer.changed else _SAME_WORDS)
    )


def _is_label_of(label: frozenset[str], other: AnsweringStatement) -> bool:
    """Return whether a label names what the other statement is about.

    A single word does only if it is in the other label.
    """
    return (len(label) > 1 and label <= other.roots) or bool(label and label <= other.label)


def _differs_in_number(
    one: AnsweringStatement, other: AnsweringStatement, asked: Collection[str]
) -> bool:
    shared = one.numbers.keys() & other.numbers.keys()
    return any(
        one.numbers[word].isdisjoint(other.numbers[word]) for word in shared if word in asked
    )


def _same_words(one: AnsweringStatement, other: AnsweringStatement) -> float:
    shorter = min(len(one.roots), len(other.roots))
    if shorter < _MIN_WORDS:
        return 0.0
    return len(one.roots & other.roots) / shorter if shorter else 0.0


@lru_cache(maxsize=2_048)
def _day_in(text: str, today: date) -> date | None:
    days = [day for m in mentions(text) if m.year and (day := m.on(m.year)) and day <= today]
    return max(days, default=None)


def _bare(text: str) -> str:
    """Return a line without the marks of lists and emphasis, a row without dates."""
    if text.lstrip().startswith("|"):
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        text = " ".join(cell for cell in cells if cell and not _is_date(cell))
    return _MARKERS.sub("", text).strip()


def _is_date(cell: str) -> bool:
    return any(m.end - m.start >= len(cell) - 2 for m in mentions(cell))


@lru_cache(maxsize=2_048)
def _roots(text: str) -> tuple[str, ...]:
    ignored = _function_words()
    return tuple(
        word[:_ROOT] if word.isalpha() else word
        for word in words(_without_dates(text))
        if word not in ignored
    )


@cache
def _function_words() -> frozenset[str]:
    return STOP_WORDS.union(*function_words().values())


def _without_dates(text: str) -> str:
    for mention in reversed(mentions(text)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


@lru_cache(maxsize=2_048)
def _numbers(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    roots = _roots(text)
    for i, root in enumerate(roots):
        if root[0].isdigit():
            for word in (*roots[max(0, i - 2) : i], *roots[i + 1 : i + 2]):
                if not word[0].isdigit():
                    found.setdefault(word, set()).add(root)
    return {word: frozenset(numbers) for word, numbers in found.items()}
