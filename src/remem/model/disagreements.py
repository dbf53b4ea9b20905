"""Statements from several conversations that contradict each other; they are only reported.

The rules are those of facts and of the audit. Only what a person stated outright counts, and two
statements of one conversation do not: there the speaker made a correction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from remem.model.contradictions import contradictions
from remem.model.fact_conflicts import AttributeValue, attribute_values, is_negation, negation_rule
from remem.model.recurrence import Recurring
from remem.text.pattern_file import pattern_file
from remem.text.statements import text_statement
from remem.text.words import content_words, fold

_FILE: Final = pattern_file("model/contradictions")
_AMBIGUOUS: Final = _FILE.regex("ambiguous")
"""Words that refer to somebody else in another conversation."""
_SPEAKER: Final = _FILE.regex("speaker")
_MAX_COMPARED: Final = 200
"""At most this many statements that share a word or a thing are compared with each other."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements and the rule by which they contradict each other."""

    earlier: Recurring
    later: Recurring
    rule: str

    @property
    def why(self) -> str:
        first, second = self.earlier.last_day, self.later.last_day
        if not first or not second or first == second:
            return "their dates do not tell which one is current; decide which is right"
        return f"the second is later ({second} after {first})"


def disagreements(statements: Sequence[Recurring], *, one_speaker: bool) -> list[Disagreement]:
    """Every contradictory pair, once.

    Where several people speak, statements about the speaker do not count.
    """
    outright = [
        statement for statement in statements if _counts(statement, one_speaker=one_speaker)
    ]
    found: dict[frozenset[str], Disagreement] = {}
    for one, other, rule in (*_two_values(outright), *_negated(outright), *_clashing(outright)):
        pair = frozenset((fold(one.lesson.text), fold(other.lesson.text)))
        if len(pair) == 2 and not _in_one_conversation(one, other):
            first, second = sorted((one, other), key=lambda statement: statement.last_day)
            found.setdefault(pair, Disagreement(first, second, rule))
    return list(found.values())


def _counts(statement: Recurring, *, one_speaker: bool) -> bool:
    text = statement.lesson.text
    if statement.latest.hint or not statement.by_a_person or _AMBIGUOUS.match(text):
        return False
    return one_speaker or not _SPEAKER.match(text)


def _in_one_conversation(one: Recurring, other: Recurring) -> bool:
    return len({sighting.conversation for sighting in (*one.sightings, *other.sightings)}) == 1


def _two_values(statements: Iterable[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    by_thing: dict[str, list[tuple[AttributeValue, Recurring]]] = defaultdict(list)
    for statement in statements:
        for value in attribute_values(statement.lesson.text):
            by_thing[value.thing].append((value, statement))
    for thing, values in by_thing.items():
        for (value_a, one), (value_b, other) in combinations(values[-_MAX_COMPARED:], 2):
            if value_a.excludes(value_b):
                yield one, other, f"two values for one thing: {thing}"


def _negated(statements: Sequence[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    """Pairs of which one negates the other; they share most words, so a word index finds them."""
    by_word: dict[str, list[Recurring]] = defaultdict(list)
    for statement in statements:
        for word in set(content_words(statement.lesson.text)):
            by_word[word].append(statement)
    for statement in statements:
        if not is_negation(statement.lesson.text):
            continue
        candidates = {
            id(other): other
            for word in set(content_words(statement.lesson.text))
            if len(by_word[word]) <= _MAX_COMPARED
            for other in by_word[word]
        }
        for other in candidates.values():
            if rule := negation_rule(statement.lesson.text, other.lesson.text):
                yield other, statement, rule


def _clashing(statements: Sequence[Recurring]) -> Iterator[tuple[Recurring, Recurring, str]]:
    by_id = {str(number): statement for number, statement in enumerate(statements)}
    claims = [text_statement(id_, statement.lesson.text) for id_, statement in by_id.items()]
    for clash in contradictions(claims):
        yield by_id[clash.a.path], by_id[clash.b.path], clash.reason
