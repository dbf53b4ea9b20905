"""What cannot both hold? Few rules, each of which a person can check with his own eyes.

A rule that forbids a thing and a line that makes it the way to go; two current values for one
key; a place or a value that "is" one thing here and "is now" another there. Lines that say of
themselves that they are past are left alone. Where both lines have a date, the later stands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Protocol

from remem.text.words import STOP_WORDS, fold, words

_PAST: Final = re.compile(
    r"\b(?:was|were|used to|previously|formerly|former|earlier|old|older|deprecated|superseded|"
    r"obsolete|until|replaced|switched from|migrated from|no longer)\b|→|->|~~|\[done\]|✅|以前|旧",
    re.IGNORECASE,
)
_FORBIDDEN: Final = re.compile(
    r"\b(?:never|do not|don['’]t|must not|must never)\s+(?P<verb>\w+)\s+"
    r"(?:(?:the|a|an|any|our|this|that)\s+)?(?P<object>(?:[^.,;:!?()—–]|\.(?=\w))+)",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:without|unless|except|until|before|after|outside|during|if|when|while|or|and)\b",
    re.IGNORECASE,
)
_PURPOSE: Final = re.compile(r"\b(?:for|to|in|on|from|with|at|as|by|because)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(r"\b(?:never|not|no|without|avoid)\b|n['’]t\b", re.IGNORECASE)
_THE_WAY: Final = re.compile(
    r"\b(?:is|are)\s+(?:now\s+)?the\s+(?:primary|default|preferred|main|standard|only|recommended)\b"
    r"|\bis now (?:primary|default|preferred|standard|required|mandatory)\b",
    re.IGNORECASE,
)
_CURRENT: Final = re.compile(
    r"^(?:the\s+)?(?P<key>(?:current|default|primary|preferred|main|active|aktuelle[rs]?|当前|默认|"
    r"現在の|デフォルト|текущ\w+)\s*[^:：]{1,40}?)\s*(?:[:：]|\bis\b)\s*(?P<value>\S.*)$",
    re.IGNORECASE,
)
_NOW: Final = re.compile(
    r"^(?P<subject>[\w'’. -]{2,50}?)\s+(?P<early>now\s+)?"
    r"(?P<verb>lives? in|works? (?:at|for)|runs? on|is hosted (?:on|at|by)|is deployed (?:on|to))"
    r"\s+(?P<late>now\s+)?(?P<value>[^,;()]{2,60}?)(?P<last>\s+now)?[.!]?$",
    re.IGNORECASE,
)
_GENERIC: Final = frozenset(
    """setup configuration config key-configuration models model tools environment status settings
    notes facts reference current defaults general overview memory""".split()
)
_CLAUSE: Final = re.compile(r"[,;]|\s[–—-]\s")
_DATE_ONLY: Final = re.compile(r"[\d\s./年月日-]*")
_PRONOUNS: Final = frozenset("he she it they this that there who which we you i".split())
_COUNTED: Final = re.compile(
    r"\b(?:tests?|count|total|lines|commits?|number|score|progress)\b", re.I
)


class Claim(Protocol):
    """A statement of a file, an entry or a fact. `said` is its text without marks; `source`
    names it to a person; one that was `struck` was taken back by its writer."""

    @property
    def path(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def said(self) -> str: ...
    @property
    def headings(self) -> tuple[str, ...]: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def source(self) -> str: ...
    @property
    def struck(self) -> bool: ...
    @property
    def words(self) -> Sequence[str]: ...
    @property
    def vocabulary(self) -> Set[str]: ...
    @property
    def day(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Clash:
    """Two statements and the rule by which they clash."""

    a: Claim
    b: Claim
    rule: str

    @property
    def verdict(self) -> str:
        first, second = self.a.day, self.b.day
        if first is None or second is None or first == second:
            return "no dates decide: say which one stands"
        later = self.a if first > second else self.b
        return f"{later.source} is the later one ({max(first, second)})"


def contradictions(said: Sequence[Claim]) -> list[Clash]:
    standing = [claim for claim in said if not claim.struck]
    present = [claim for claim in standing if not _PAST.search(claim.text)]
    clashes = [*_forbidden(present), *_two_values(standing), *_is_now(present)]
    unique = {frozenset((fold(clash.a.said), fold(clash.b.said))): clash for clash in clashes}
    return list(unique.values())


def _forbidden(said: Sequence[Claim]) -> Iterator[Clash]:
    """'Never use the helper script' and 'the helper script is now the primary way'."""
    holding: dict[str, list[Claim]] = defaultdict(list)
    for claim in said:
        if not _NEGATED.search(claim.said):
            for word in claim.vocabulary:
                holding[word].append(claim)
    for rule in said:
        match = _FORBIDDEN.search(rule.said)
        if match is None or _CONDITION.search(match["object"]):
            continue
        thing, purpose = _taken_apart(match["object"])
        if not thing or (len(thing) == 1 and not _is_identifier(match["object"])):
            continue
        for other in min((holding[word] for word in thing), key=len):
            if _commends(other, match["verb"], thing) and _serves(other, purpose):
                rule_text = f"one forbids what the other asks for: {' '.join(thing)}"
                yield Clash(*_in_order(rule, other), rule_text)


def _taken_apart(text: str) -> tuple[list[str], list[str]]:
    """What is forbidden, and what for: `the helper script`, `deployments`."""
    first = _PURPOSE.search(text)
    thing, purpose = (text[: first.start()], text[first.end() :]) if first else (text, "")
    return _telling(thing), _telling(purpose)


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


def _commends(other: Claim, verb: str, thing: Sequence[str]) -> bool:
    """Whether it says to do just that, or that the thing is the way to go."""
    said = f" {' '.join(other.words)} "
    always = (
        rf" always {re.escape(verb.casefold())}(?: the| a| an| our)? {re.escape(' '.join(thing))} "
    )
    if re.search(always, said) and not _CONDITION.search(other.said):
        return True
    way = _THE_WAY.search(other.said)
    subject = _telling(other.said[: way.start()]) if way else []
    return set(thing) <= set(subject) and len(subject) <= len(thing) + 1


def _serves(other: Claim, purpose: Sequence[str]) -> bool:
    """A thing that is forbidden for one purpose may be the way to go for another."""
    stems = [word[:5] for word in purpose if len(word) >= 5]
    return not purpose or any(word.startswith(tuple(stems)) for word in other.words if stems)


def _two_values(said: Sequence[Claim]) -> Iterator[Clash]:
    """'Default model: one' and 'Default model: another'."""
    by_key: dict[str, list[tuple[str, Claim]]] = defaultdict(list)
    for claim in said:
        match = _CURRENT.match(claim.said)
        if match is None or "\n" in claim.said or _COUNTED.search(match["key"]):
            continue
        clause = _CLAUSE.split(match["value"])[0]
        if not _PAST.search(clause):
            by_key[fold(match["key"])].append((value_of(clause.partition("(")[0]), claim))
    for key, values in by_key.items():
        for (one, a), (other, b) in combinations(values, 2):
            if distinct(one, other) and _same_place(a, b):
                yield Clash(a, b, f"two values for one key: {key}")


def _is_now(said: Sequence[Claim]) -> Iterator[Clash]:
    """'Mara lives in Porto' and 'Mara now lives in Lisbon'."""
    known: dict[tuple[str, str], list[tuple[str, bool, Claim]]] = defaultdict(list)
    for claim in said:
        if match := _NOW.match(claim.said):
            subject = fold(match["subject"]).removeprefix("the ")
            now = bool(match["early"] or match["late"] or match["last"])
            if subject not in _PRONOUNS:
                key = (
                    subject,
                    fold(match["verb"]).replace("lives", "live").replace("works", "work"),
                )
                known[key].append((value_of(match["value"]), now, claim))
    for (subject, verb), values in known.items():
        for (one, earlier, a), (other, later, b) in combinations(values, 2):
            if earlier != later and distinct(one, other) and _same_parent(a, b):
                yield Clash(a, b, f"one says what is, the other what is now: {subject} {verb}")


def value_of(text: str) -> str:
    return fold(text).strip(" .!\"'“”")


def distinct(one: str, other: str) -> bool:
    return bool(one and other) and one not in other and other not in one


def _same_place(a: Claim, b: Claim) -> bool:
    """A default under one agent's heading says nothing about another's."""
    if not _same_parent(a, b):
        return False
    first, second = _heading(a), _heading(b)
    return first == second or (_is_general(first) and _is_general(second))


def _same_parent(a: Claim, b: Claim) -> bool:
    return fold(a.parent or "") == fold(b.parent or "")


def _heading(statement: Claim) -> str:
    title = fold(statement.headings[-1]) if statement.headings else ""
    return re.sub(r"\W*\(?[\d./年月日-]{4,}\)?\W*", " ", title).strip()


def _is_general(title: str) -> bool:
    return _DATE_ONLY.fullmatch(title) is not None or set(words(title)) <= _GENERIC


def _is_identifier(text: str) -> bool:
    return re.search(r"\w[._/-]\w|\d", text) is not None


def _in_order(one: Claim, other: Claim) -> tuple[Claim, Claim]:
    first = one.path == other.path and one.start > other.start
    return (other, one) if first else (one, other)
