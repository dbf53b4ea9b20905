"""Find statements that contradict each other, by a few rules that a person can check.

The rules are: two statements give different values to a thing that can have only one; one statement
negates another; one forbids a thing that another recommends. Statements about the past are ignored,
and so is a thing with many values, which is a field of a log. If the dates of two statements
differ, the later one is current.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from remem.model.fact import Fact
from remem.text.pattern_file import pattern_file
from remem.text.similarity import SIMILAR, overlap
from remem.text.statements import TextStatement, strip_markup, text_statement
from remem.text.words import content_words, fold, words

_FILE: Final = pattern_file("model/contradictions")
_PAST: Final = _FILE.regex("past")
_ADVERB: Final = _FILE.regex("now_adverb")
_CURRENT: Final = _FILE.regex("current")
_ONLY_ONE: Final = _FILE.regex("only_one")
_IS: Final = _FILE.regex("is")
_ATTRIBUTE: Final = _FILE.regex("attribute")
_POSSESSIVE: Final = _FILE.regex("possessive")
_COUNTED: Final = _FILE.regex("counted")
_DESCRIBES: Final = _FILE.regex("describes")
_FORBIDDEN: Final = _FILE.regex("forbidden")
_CONDITION: Final = _FILE.regex("condition")
_PURPOSE: Final = _FILE.regex("purpose")
_NEGATED: Final = _FILE.regex("negated")
_RECOMMENDED: Final = _FILE.regex("recommended")
_NEGATION: Final = _FILE.regex("negation")
_NOW: Final = _FILE.regex("says_now")
_PRONOUNS: Final = _FILE.words("pronouns")
_GENERAL_TITLES: Final = _FILE.words("general_titles")
_WEAK: Final = _FILE.words("weak")
_CLAUSE: Final = re.compile(r"[,;](?!\d)|\s[–—-]\s")
_PARENTHESIS: Final = re.compile(r"[(（]")
_PASSING: Final = re.compile(r"(?i)\d{1,2}[:：]\d\d|\b\d+ (?:minutes?|hours?|days?|weeks?)\b")
"""Times of day and time spans; a value with one of these changes too often to be compared."""
_NUMBER: Final = re.compile(r"\d")
_TABLE_ROW: Final = re.compile(r"[^:;\n]+: [^;\n]*; [^:;\n]+: ")
_BARE_ATTRIBUTE: Final = re.compile(r"\S+ is")
"""An attribute without its owner, such as `model is`; only the lines around it name the owner."""
_DATE_IN_TITLE: Final = re.compile(r"\W*\(?[\d./年月日-]{4,}\)?\W*")
_MAX_VALUES: Final = 3
"""A thing with more values than this is a field of a log."""
_MAX_VALUE_WORDS: Final = 6
_MAX_COMPARED: Final = 200
"""At most this many statements that share a word are compared with each other."""
_UNDECIDED: Final = "their dates do not show which one is current; decide which is right"


@dataclass(frozen=True, slots=True)
class StatementContradiction:
    """Two statements that contradict each other, and the rule that shows it."""

    a: TextStatement
    b: TextStatement
    reason: str

    @property
    def resolution(self) -> str:
        """A sentence that says which statement is later, or that this is not known."""
        first, second = self.a.day, self.b.day
        if first is None or second is None or first == second:
            return _UNDECIDED
        later = self.a if first > second else self.b
        return f"{later.source} is later ({max(first, second)})"


@dataclass(frozen=True, slots=True)
class FactConflict:
    """An active fact that a new one contradicts, and the rule that shows it.

    `supersede` proposes to replace it; `why` gives the reason, or says that nothing shows which one
    is current.
    """

    old: Fact
    rule: str
    supersede: bool
    why: str


def contradictions(statements: Sequence[TextStatement]) -> list[StatementContradiction]:
    """Return the statements that contradict each other; each pair of wordings is listed once."""
    valid = [
        statement
        for statement in statements
        if not statement.struck and not statement.plain_text.rstrip().endswith((":", "："))
    ]
    unique: dict[frozenset[str], StatementContradiction] = {}
    for a, b, rule in (*_two_values(valid), *_negated_pairs(valid), *_forbidden_pairs(valid)):
        swapped = a.path == b.path and a.start > b.start
        clash = (
            StatementContradiction(b, a, rule) if swapped else StatementContradiction(a, b, rule)
        )
        unique.setdefault(frozenset((fold(a.plain_text), fold(b.plain_text))), clash)
    return [clash for texts, clash in unique.items() if len(texts) == 2]


def conflict_rule(first: str, other: str) -> str:
    """Return the rule by which two statements about an entity contradict each other.

    The result is empty if they do not.
    """
    pairs = ((a, b) for a in values_of(first) for b in values_of(other))
    thing = next((a.thing for a, b in pairs if a.excludes(b)), "")
    if thing:
        return f"two values for one thing: {thing}"
    statements = text_statement("", first), text_statement("", other)
    return _negation_rule(first, other) or _forbidden_rule(*statements)


def find_conflicts(new: Fact, active: Sequence[Fact]) -> list[FactConflict]:
    """Return the active facts that a new one contradicts."""
    conflicts = []
    for old in active:
        if rule := conflict_rule(new.fact, old.fact):
            conflicts.append(FactConflict(old, rule, *_proposal(new, old)))
    return conflicts


def _proposal(new: Fact, old: Fact) -> tuple[bool, str]:
    first, second = old.since, new.since
    if first and second and first != second:
        if second > first:
            return True, f"the new fact is later ({new.day} after {old.day})"
        return False, f"the known fact is later ({old.day} after {new.day})"
    if _NOW.search(new.fact) and not _NOW.search(old.fact):
        return True, "the new fact says that it is true now"
    return False, "neither dates nor wording show which one is current; decide which is right"


# Two values


@dataclass(frozen=True, slots=True)
class SingleValue:
    """A value that a statement gives to a thing, which can have only one such value.

    `is_number`: the value is a number that belongs to somebody or something. `follows_verb`: it
    follows a verb such as 'lives in'. `says_now`: the statement says that it is true now.
    """

    thing: str
    value: str
    is_number: bool = False
    follows_verb: bool = False
    says_now: bool = False

    def excludes(self, other: SingleValue) -> bool:
        """Return whether the two values exclude each other.

        'Lives in a city near the sea' and 'lives in Porto' do not.
        """
        if self.thing != other.thing or self.is_number != other.is_number:
            return False
        if _DESCRIBES.match(self.value) or _DESCRIBES.match(other.value):
            return False
        return bool(self.value and other.value) and (
            self.value not in other.value and other.value not in self.value
        )


def values_of(text: str) -> Iterator[SingleValue]:
    """Yield the values in a statement such as 'Default model: x' or 'Mara lives in y'."""
    plain = strip_markup(text)
    bare = _ADVERB.sub("", plain).strip()
    if "\n" in plain or _TABLE_ROW.match(plain) or _PAST.search(_CLAUSE.split(plain)[0]):
        return
    match = _CURRENT.match(plain)
    if match and not _PASSING.search(match["value"]) and not _COUNTED.search(match["key"]):
        yield SingleValue(fold(match["key"]), _normalize(match["value"]))
    if match := _ONLY_ONE.match(bare):
        first, _, rest = fold(match["verb"]).partition(" ")
        verb = f"{first.removesuffix('s')} {rest}".strip()
        says_now = _NOW.search(plain) is not None
        yield SingleValue(
            f"{_subject(match)} {verb}",
            _normalize(match["value"]),
            follows_verb=True,
            says_now=says_now,
        )
    if match := _IS.match(bare):
        attribute = _ATTRIBUTE.search(match["subject"])
        is_number = bool(_NUMBER.search(match["value"]) and _POSSESSIVE.search(match["subject"]))
        lasting = attribute or (is_number and not _COUNTED.search(match["subject"]))
        is_long = len(words(match["value"])) > _MAX_VALUE_WORDS
        if lasting and not (is_long or _PASSING.search(match["value"])):
            yield SingleValue(
                f"{_subject(match)} is", _normalize(match["value"]), is_number=not attribute
            )


def _normalize(value: str) -> str:
    return fold(_PARENTHESIS.split(_CLAUSE.split(value)[0])[0]).strip(" .!\"'“”")


def _subject(match: re.Match[str]) -> str:
    return fold(match["subject"]).removeprefix("the ")


def _two_values(
    statements: Sequence[TextStatement],
) -> Iterator[tuple[TextStatement, TextStatement, str]]:
    by_thing: dict[tuple[str, str], list[tuple[SingleValue, TextStatement]]] = defaultdict(list)
    labels = Counter((_label(statement), _section(statement)) for statement in statements)
    for statement in statements:
        if labels[_label(statement), _section(statement)] > _MAX_VALUES:
            continue
        for value in values_of(statement.plain_text):
            if value.thing.split(" ")[0] in _PRONOUNS or _BARE_ATTRIBUTE.fullmatch(value.thing):
                continue
            by_thing[value.thing, _section(statement)].append((value, statement))
    for (thing, _), values in by_thing.items():
        if len({value.value for value, _ in values}) <= _MAX_VALUES:
            for (value_a, a), (value_b, b) in combinations(values, 2):
                # 'lives in Porto' and 'lives in Portugal' can both be true
                undecided = value_a.follows_verb and value_a.says_now == value_b.says_now
                if value_a.excludes(value_b) and not undecided:
                    yield a, b, f"two values for one thing: {thing}"


def _label(statement: TextStatement) -> str:
    """Return what a statement begins with; many that share it are a list with its introduction."""
    return fold(statement.plain_text.partition(": ")[0])


def _section(statement: TextStatement) -> str:
    """Return the heading and the bullet that a statement is under.

    Only statements in the same section are compared, because the same attribute of two agents may
    have two values. Dates and general titles such as “Setup” do not identify a section.
    """
    title = fold(statement.headings[-1]) if statement.headings else ""
    bare = _DATE_IN_TITLE.sub(" ", title).strip()
    return f"{'' if set(words(bare)) <= _GENERAL_TITLES else bare}\n{fold(statement.parent or '')}"


# Negations


def _negated_pairs(
    statements: Sequence[TextStatement],
) -> Iterator[tuple[TextStatement, TextStatement, str]]:
    """Yield the pairs of statements of which the second one negates the first.

    Such statements have most words in common, so an index of words finds them.
    """
    by_word: dict[str, list[TextStatement]] = defaultdict(list)
    for statement in statements:
        for word in statement.vocabulary - _WEAK:
            by_word[word].append(statement)
    for statement in statements:
        if not _NEGATION.search(statement.plain_text):
            continue
        rarest = min((by_word[word] for word in statement.vocabulary - _WEAK), key=len, default=[])
        for other in rarest[:_MAX_COMPARED]:
            rule = _negation_rule(statement.plain_text, other.plain_text)
            if rule and _section(statement) == _section(other):
                yield other, statement, rule


def _negation_rule(one: str, other: str) -> str:
    """Return the rule if one text negates the other, else an empty string.

    For example, 'Mara no longer works at Acme' negates 'Mara works at Acme'.
    """
    if bool(_NEGATION.search(one)) == bool(_NEGATION.search(other)):
        return ""
    first, second = (
        {word.removesuffix("s") for word in words(_NEGATION.sub(" ", text)) if word not in _WEAK}
        for text in (one, other)
    )
    return "one negates what the other says" if overlap(first, second) >= SIMILAR else ""


# Something forbidden that another statement recommends


def _forbidden_pairs(
    statements: Sequence[TextStatement],
) -> Iterator[tuple[TextStatement, TextStatement, str]]:
    """Yield pairs such as 'never use the script' and 'the script is now the primary way'."""
    recommending = [
        statement
        for statement in statements
        if "always" in statement.vocabulary or _RECOMMENDED.search(statement.plain_text)
    ]
    for rule in statements:
        if _FORBIDDEN.search(rule.plain_text):
            for other in recommending:
                if reason := _forbidden_rule(rule, other):
                    yield rule, other, reason


def _forbidden_rule(one: TextStatement, other: TextStatement) -> str:
    for rule, advice in ((one, other), (other, one)):
        match = _FORBIDDEN.search(rule.plain_text)
        if match is None or _CONDITION.search(match["object"]) or _is_outdated(rule, advice):
            continue
        thing, purpose = _thing_and_purpose(match["object"])
        is_specific = len(thing) > 1 or re.search(r"\w[._/-]\w|\d", match["object"])
        asked_for = thing and is_specific and _recommends(advice, match["verb"], thing)
        if asked_for and _fits_purpose(advice, purpose):
            return f"one forbids what the other asks for: {' '.join(thing)}"
    return ""


def _is_outdated(rule: TextStatement, advice: TextStatement) -> bool:
    past = _PAST.search(rule.plain_text) or _PAST.search(advice.plain_text)
    return bool(past or _NEGATED.search(advice.plain_text))


def _thing_and_purpose(text: str) -> tuple[list[str], list[str]]:
    """Split what is forbidden from its purpose: `the helper script` for `deployments`."""
    first = _PURPOSE.search(text)
    thing, purpose = (text[: first.start()], text[first.end() :]) if first else (text, "")
    return content_words(thing), content_words(purpose)


def _recommends(other: TextStatement, verb: str, thing: Sequence[str]) -> bool:
    """Return whether a statement asks for what is forbidden, or makes the thing the default."""
    text = f" {' '.join(other.words)} "
    always = rf" always {re.escape(fold(verb))}(?: the| a| an| our)? {re.escape(' '.join(thing))} "
    if re.search(always, text) and not _CONDITION.search(other.plain_text):
        return True
    recommended = _RECOMMENDED.search(other.plain_text)
    subject = content_words(other.plain_text[: recommended.start()]) if recommended else []
    return set(thing) <= set(subject) and len(subject) <= len(thing) + 1


def _fits_purpose(other: TextStatement, purpose: Sequence[str]) -> bool:
    """Return whether a statement mentions the purpose for which a thing is forbidden, if any.

    A thing that is forbidden for one purpose may be recommended for another.
    """
    stems = [word[:5] for word in purpose if len(word) >= 5]
    return not purpose or any(word.startswith(tuple(stems)) for word in other.words if stems)
