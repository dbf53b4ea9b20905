"""Facts of one entity that contradict each other, and which of them is later.

To the rules of the audit it adds two that need a common entity: two values for something that
can have only one (where somebody lives, what something costs), and a fact that negates another.
Where dates or wording show which one is later, replacing the other is proposed, never done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.contradictions import are_distinct, contradictions, normalized_value
from remem.model.fact import Fact
from remem.text.pattern_file import pattern_file
from remem.text.similarity import SIMILAR, overlap
from remem.text.statements import text_statement
from remem.text.words import fold, words

_FILE: Final = pattern_file("model/contradictions")
_ONLY_ONE: Final = _FILE.regex("only_one")
_IS: Final = _FILE.regex("is")
_ADVERB: Final = _FILE.regex("now_adverb")
_ATTRIBUTE: Final = _FILE.regex("attribute")
_NUMBER: Final = re.compile(r"\d")
_DESCRIBES: Final = re.compile(
    r"(?:an?|the|my|our|his|her|their|eine?[mnrs]?|de[mnr]|die|das|une?|la|le|l['’]|un[ao]?|el)\s"
)
_POSSESSED: Final = _FILE.regex("possessed")
_NOW: Final = _FILE.regex("says_now")
_NEGATION: Final = _FILE.regex("negation")
_WEAK: Final = frozenset("is are does do the a an to not it he she they now".split())


@dataclass(frozen=True, slots=True)
class Conflict:
    """An active fact that a new one contradicts, and the rule that shows it.

    `supersede` proposes to replace it; `why` gives the reason, or says that nothing decides.
    """

    old: Fact
    rule: str
    supersede: bool
    why: str


def find_conflicts(new: Fact, active: Sequence[Fact]) -> list[Conflict]:
    """The active facts that a new one contradicts, each once."""
    found: dict[int, Conflict] = {}
    for index, rule in _conflicting(new, active):
        if index not in found:
            supersede, why = _proposal(new, active[index])
            found[index] = Conflict(active[index], rule, supersede, why)
    return [found[index] for index in sorted(found)]


def _conflicting(new: Fact, active: Sequence[Fact]) -> Iterator[tuple[int, str]]:
    claims = [text_statement(str(place), fact.fact) for place, fact in enumerate((*active, new))]
    latest = len(active)
    for clash in contradictions(claims):
        first, second = sorted((int(clash.a.path), int(clash.b.path)))
        if second == latest:
            yield first, clash.reason
    for place, fact in enumerate(active):
        if rule := conflict_rule(new.fact, fact.fact):
            yield place, rule


def conflict_rule(new: str, old: str) -> str:
    """The rule by which two statements of one speaker, or about one thing, contradict each
    other; empty if they do not."""
    new_values, old_values = (list(attribute_values(text)) for text in (new, old))
    pairs = ((one, other) for one in new_values for other in old_values)
    thing = next((one.thing for one, other in pairs if one.excludes(other)), "")
    return f"two values for one thing: {thing}" if thing else negation_rule(new, old)


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """A value that a statement gives to a thing.

    `unique` means that there can be just one such value; `counted` that the value is a number of
    something that belongs to somebody.
    """

    thing: str
    value: str
    unique: bool
    counted: bool

    def excludes(self, other: AttributeValue) -> bool:
        """Whether both cannot be true: two prices are in conflict, 'the door is red' and 'the
        door is old' are not, nor are 'lives in a city near the sea' and 'lives in Porto'."""
        if self.thing != other.thing or not are_distinct(self.value, other.value):
            return False
        if _DESCRIBES.match(self.value) or _DESCRIBES.match(other.value):
            return False
        return (self.unique and other.unique) or (self.counted and other.counted)


def attribute_values(text: str) -> Iterator[AttributeValue]:
    bare = _ADVERB.sub("", text).strip()
    if only := _ONLY_ONE.match(bare):
        yield AttributeValue(
            f"{_subject(only)} {_verb(only)}", normalized_value(only["value"]), True, False
        )
    if match := _IS.match(bare):
        attribute = _ATTRIBUTE.search(match["subject"]) is not None
        counted = bool(_NUMBER.search(match["value"]) and _POSSESSED.search(match["subject"]))
        yield AttributeValue(
            f"{_subject(match)} is", normalized_value(match["value"]), attribute, counted
        )


def _subject(match: re.Match[str]) -> str:
    return fold(match["subject"]).removeprefix("the ")


def _verb(match: re.Match[str]) -> str:
    first, _, rest = fold(match["verb"]).partition(" ")
    return f"{first.removesuffix('s')} {rest}".strip()


def is_negation(text: str) -> bool:
    return _NEGATION.search(text) is not None


def negation_rule(new: str, old: str) -> str:
    """The rule broken by 'Mara no longer works at Acme' and 'Mara works at Acme', in either
    order; empty if neither negates the other."""
    if is_negation(new) == is_negation(old):
        return ""
    similarity = overlap(_content(new), _content(old))
    return "one negates what the other says" if similarity >= SIMILAR else ""


def _content(text: str) -> set[str]:
    bare = words(_NEGATION.sub(" ", text))
    return {word.removesuffix("s") for word in bare if word not in _WEAK}


def _proposal(new: Fact, old: Fact) -> tuple[bool, str]:
    first, second = old.since, new.since
    if first and second and first != second:
        if second > first:
            return True, f"the new fact is later ({new.day} after {old.day})"
        return False, f"the known fact is later ({old.day} after {new.day})"
    if _NOW.search(new.fact) and not _NOW.search(old.fact):
        return True, "the new fact says that it is true now"
    return False, "neither dates nor wording tell which one is current; decide which is right"
