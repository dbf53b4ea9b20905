"""Finds pairs of statements that contradict each other, by a few rules that a person can check.

The rules: one line forbids a thing and another makes it the default; one key has two current
values; one line says what something "is", and another
says that it "is now" something different. Lines about the past are
ignored. Where both lines have a date, the later one counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from remem.text.pattern_file import pattern_file
from remem.text.statements import Statement
from remem.text.words import content_words, fold, words

_FILE: Final = pattern_file("model/contradictions")
_PAST: Final = _FILE.regex("past")
_FORBIDDEN: Final = _FILE.regex("forbidden")
_CONDITION: Final = _FILE.regex("condition")
_PURPOSE: Final = _FILE.regex("purpose")
_NEGATED: Final = _FILE.regex("negated")
_RECOMMENDED: Final = _FILE.regex("recommended")
_CURRENT: Final = _FILE.regex("current")
_CHANGED_VALUE: Final = _FILE.regex("changed")
_GENERAL_TITLES: Final = _FILE.words("general_titles")
_CLAUSE: Final = re.compile(r"[,;]|\s[–—-]\s")
_DATE_ONLY: Final = re.compile(r"[\d\s./年月日-]*")
_PRONOUNS: Final = _FILE.words("pronouns")
_COUNT_KEY: Final = _FILE.regex("counted")


@dataclass(frozen=True, slots=True)
class Clash:
    """Two statements that contradict each other, and why."""

    a: Statement
    b: Statement
    reason: str

    @property
    def verdict(self) -> str:
        first, second = self.a.day, self.b.day
        if first is None or second is None or first == second:
            return "their dates do not tell which one is current; decide which is right"
        later = self.a if first > second else self.b
        return f"{later.source} is later ({max(first, second)})"


def contradictions(statements: Sequence[Statement]) -> list[Clash]:
    """Return every pair of different wordings that contradict each other, once."""
    valid = [statement for statement in statements if not statement.struck]
    present = [statement for statement in valid if not _PAST.search(statement.text)]
    clashes = [*_forbidden(present), *_two_values(valid), *_changed_values(present)]
    unique = {
        frozenset((fold(clash.a.plain_text), fold(clash.b.plain_text))): clash for clash in clashes
    }
    return list(unique.values())


def _forbidden(statements: Sequence[Statement]) -> Iterator[Clash]:
    """Find pairs such as 'never use the script' and 'the script is now the primary way'."""
    holding: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        if not _NEGATED.search(statement.plain_text):
            for word in statement.vocabulary:
                holding[word].append(statement)
    for rule in statements:
        match = _FORBIDDEN.search(rule.plain_text)
        if match is None or _CONDITION.search(match["object"]):
            continue
        thing, purpose = _thing_and_purpose(match["object"])
        if not thing or (len(thing) == 1 and not _is_identifier(match["object"])):
            continue
        for other in min((holding[word] for word in thing), key=len):
            if _recommends(other, match["verb"], thing) and _fits_purpose(other, purpose):
                reason = f"one forbids what the other asks for: {' '.join(thing)}"
                yield Clash(*_in_order(rule, other), reason)


def _thing_and_purpose(text: str) -> tuple[list[str], list[str]]:
    """Split what is forbidden from its purpose: `the helper script` for `deployments`."""
    first = _PURPOSE.search(text)
    thing, purpose = (text[: first.start()], text[first.end() :]) if first else (text, "")
    return content_words(thing), content_words(purpose)


def _recommends(other: Statement, verb: str, thing: Sequence[str]) -> bool:
    """Whether a statement asks for what is forbidden, or makes the thing the default."""
    text = f" {' '.join(other.words)} "
    always = (
        rf" always {re.escape(verb.casefold())}(?: the| a| an| our)? {re.escape(' '.join(thing))} "
    )
    if re.search(always, text) and not _CONDITION.search(other.plain_text):
        return True
    recommended = _RECOMMENDED.search(other.plain_text)
    subject = content_words(other.plain_text[: recommended.start()]) if recommended else []
    return set(thing) <= set(subject) and len(subject) <= len(thing) + 1


def _fits_purpose(other: Statement, purpose: Sequence[str]) -> bool:
    """Whether a statement has the same purpose: a thing that is forbidden for one purpose may be
    the default for a different one."""
    stems = [word[:5] for word in purpose if len(word) >= 5]
    return not purpose or any(word.startswith(tuple(stems)) for word in other.words if stems)


def _two_values(statements: Sequence[Statement]) -> Iterator[Clash]:
    """Find pairs such as 'Default model: small' and 'Default model: large'."""
    by_key: dict[str, list[tuple[str, Statement]]] = defaultdict(list)
    for statement in statements:
        match = _CURRENT.match(statement.plain_text)
        if match is None or "\n" in statement.plain_text or _COUNT_KEY.search(match["key"]):
            continue
        clause = _CLAUSE.split(match["value"])[0]
        if not _PAST.search(clause):
            by_key[fold(match["key"])].append(
                (normalized_value(clause.partition("(")[0]), statement)
            )
    for key, values in by_key.items():
        for (one, a), (other, b) in combinations(values, 2):
            if are_distinct(one, other) and _have_same_subject(a, b):
                yield Clash(a, b, f"two values for one key: {key}")


def _changed_values(statements: Sequence[Statement]) -> Iterator[Clash]:
    """Find pairs such as 'Mara lives in Porto' and 'Mara now lives in Lisbon'."""
    known: dict[tuple[str, str], list[tuple[str, bool, Statement]]] = defaultdict(list)
    for statement in statements:
        if match := _CHANGED_VALUE.match(statement.plain_text):
            subject = fold(match["subject"]).removeprefix("the ")
            now = bool(match["early"] or match["late"] or match["last"])
            if subject not in _PRONOUNS:
                key = (
                    subject,
                    fold(match["verb"]).replace("lives", "live").replace("works", "work"),
                )
                known[key].append((normalized_value(match["value"]), now, statement))
    for (subject, verb), values in known.items():
        for (one, earlier, a), (other, later, b) in combinations(values, 2):
            if earlier != later and are_distinct(one, other) and _have_same_parent(a, b):
                reason = (
                    f"one statement may be outdated: the other says “now” about: {subject} {verb}"
                )
                yield Clash(a, b, reason)


def normalized_value(text: str) -> str:
    return fold(text).strip(" .!\"'“”")


def are_distinct(one: str, other: str) -> bool:
    return bool(one and other) and one not in other and other not in one


def _have_same_subject(a: Statement, b: Statement) -> bool:
    """Whether two lines are about the same thing: a default under one agent's heading says nothing
    about the default of a different agent."""
    if not _have_same_parent(a, b):
        return False
    first, second = _heading(a), _heading(b)
    return first == second or (_is_general(first) and _is_general(second))


def _have_same_parent(a: Statement, b: Statement) -> bool:
    return fold(a.parent or "") == fold(b.parent or "")


def _heading(statement: Statement) -> str:
    title = fold(statement.headings[-1]) if statement.headings else ""
    return re.sub(r"\W*\(?[\d./年月日-]{4,}\)?\W*", " ", title).strip()


def _is_general(title: str) -> bool:
    return _DATE_ONLY.fullmatch(title) is not None or set(words(title)) <= _GENERAL_TITLES


def _is_identifier(text: str) -> bool:
    return re.search(r"\w[._/-]\w|\d", text) is not None


def _in_order(one: Statement, other: Statement) -> tuple[Statement, Statement]:
    swap = one.path == other.path and one.start > other.start
    return (other, one) if swap else (one, other)
