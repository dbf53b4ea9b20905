"""Which facts of an entity cannot both hold, and does anything decide between them?

The rules are those of the audit, and what facts of one entity allow beside them: a thing of
which there is one (where somebody lives, what something costs) with two values, and a fact that
takes another back. Where the dates or the words say which one came later, replacing the other
is proposed; nothing is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from remem.model.contradictions import contradictions, distinct, value_of
from remem.model.fact import Fact
from remem.text.similarity import SIMILAR, overlap
from remem.text.words import fold, words

_VALUE: Final = (
    r"\s*(?P<value>(?:[^,;()，；。]|[,.](?=\d)){1,80}?)"
    r"(?:\s+(?:since|from|seit|desde|depuis)\b.*|[,;(，；].*)?[.!。]?$"
)
_ONLY_ONE: Final = re.compile(
    r"^(?P<subject>.{1,80}?)\s*(?P<verb>\b(?:lives? in|resides? in|is based in|works? (?:at|for)|"
    r"reports? to|runs? on|is hosted (?:on|at|by)|is deployed (?:on|to)|costs?|weighs?|"
    r"is married to|is engaged to|wohnt in|lebt in|arbeitet (?:bei|für)|kostet|vive en|"
    r"trabaja (?:en|para)|cuesta|habite à|travaille (?:chez|pour)|coûte|живёт в|живет в|"
    r"работает в|стоит)\s|住在|就职于)" + _VALUE,
    re.IGNORECASE,
)
_IS: Final = re.compile(
    r"^(?P<subject>.{1,80}?)\s*(?:\b(?:is|are|ist|es|est)\b|[:：]|是)" + _VALUE, re.IGNORECASE
)
_ADVERB: Final = re.compile(
    r"\s*\b(?:now|currently|jetzt|inzwischen|ahora|maintenant|désormais|теперь)\b|现在|目前",
    re.IGNORECASE,
)
_ATTRIBUTE: Final = re.compile(
    r"\b(?:name|surname|nickname|number|address|birthday|e-?mail|price|cost|rent|fee|salary|offer|"
    r"budget|deadline|due date|version|port|host|model|owner|capital|height|weight|age|employer|"
    r"title|role|time ?zone|password|Adresse|Geburtstag|Preis|Termin|dirección|adresse|prix)\b|"
    r"地址|生日|价格|电话|版本|住所|誕生日",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d")
_DESCRIBES: Final = re.compile(
    r"(?:an?|the|my|our|his|her|their|eine?[mnrs]?|de[mnr]|die|das|une?|la|le|l['’]|un[ao]?|el)\s"
)
_POSSESSED: Final = re.compile(r"['’]s\b|\bof\b|^(?:the|die|der|das|el|la|le)\b", re.IGNORECASE)
_NOW: Final = re.compile(
    r"\b(?:now|currently|as of|since|no longer|not any ?more|any ?more|moved to|changed to|"
    r"switched to|instead|from now on|jetzt|inzwischen|nicht mehr|ahora|ya no|maintenant|"
    r"désormais|теперь|больше не)\b|现在|目前|不再|改为|今は|もう",
    re.IGNORECASE,
)
_TAKEN_BACK: Final = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|does not|doesn['’]t|do not|don['’]t|is not|isn['’]t|"
    r"are not|aren['’]t|never|nicht mehr|ya no|больше не)\b|不再",
    re.IGNORECASE,
)
_WEAK: Final = frozenset("is are does do the a an to not it he she they now".split())


@dataclass(frozen=True, slots=True)
class Opposed:
    """A standing fact that the new one contradicts, and the rule by which it does.

    `supersede` says that replacing it is proposed; `why` is what decides, or that nothing does.
    """

    old: Fact
    rule: str
    supersede: bool
    why: str


@dataclass(frozen=True)
class _Claim:
    """A fact as the audit's rules read it."""

    fact: Fact

    path = property(lambda self: self.fact.path)
    start = property(lambda self: self.fact.number)
    text = said = property(lambda self: self.fact.fact)
    source = property(lambda self: self.fact.id)
    day = property(lambda self: self.fact.day)
    headings: tuple[str, ...] = ()
    parent: str | None = None
    struck: bool = False

    @cached_property
    def words(self) -> list[str]:
        return words(self.fact.fact)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)


def opposed(new: Fact, standing: Sequence[Fact]) -> list[Opposed]:
    """What the new fact contradicts among those that stand, each once."""
    found: dict[int, Opposed] = {}
    for place, rule in _opposing(new, standing):
        if place not in found:
            decided, why = _decided(new, standing[place])
            found[place] = Opposed(standing[place], rule, decided, why)
    return [found[place] for place in sorted(found)]


def _opposing(new: Fact, standing: Sequence[Fact]) -> Iterator[tuple[int, str]]:
    mine = _Claim(new)
    claims = [_Claim(fact) for fact in standing]
    places = {id(claim): place for place, claim in enumerate(claims)}
    for clash in contradictions([mine, *claims]):
        if clash.a is mine or clash.b is mine:
            other = clash.b if clash.a is mine else clash.a
            yield places[id(other)], clash.rule
    for place, each in enumerate(standing):
        if rule := opposing(new.fact, each.fact):
            yield place, rule


def opposing(new: str, old: str) -> str:
    """The rule by which two statements of one speaker, or about one thing, cannot both hold;
    empty if none does."""
    mine, its = (list(values_of(each)) for each in (new, old))
    pairs = ((one, other) for one in mine for other in its)
    thing = next((one.thing for one, other in pairs if one.excludes(other)), "")
    return f"two values for one thing: {thing}" if thing else takes_back(new, old)


@dataclass(frozen=True, slots=True)
class Valued:
    """What a statement says of a thing. `only`: there can be but one such value. `counted`: the
    value is a number of something that belongs to somebody."""

    thing: str
    value: str
    only: bool
    counted: bool

    def excludes(self, other: Valued) -> bool:
        """'The door is red' and 'the door is old' agree; two prices do not. Who lives in a city
        near the sea may live in Porto."""
        if self.thing != other.thing or not distinct(self.value, other.value):
            return False
        if _DESCRIBES.match(self.value) or _DESCRIBES.match(other.value):
            return False
        return (self.only and other.only) or (self.counted and other.counted)


def values_of(text: str) -> Iterator[Valued]:
    bare = _ADVERB.sub("", text).strip()
    if only := _ONLY_ONE.match(bare):
        yield Valued(f"{_subject(only)} {_verb(only)}", value_of(only["value"]), True, False)
    if said := _IS.match(bare):
        attribute = _ATTRIBUTE.search(said["subject"]) is not None
        counted = bool(_NUMBER.search(said["value"]) and _POSSESSED.search(said["subject"]))
        yield Valued(f"{_subject(said)} is", value_of(said["value"]), attribute, counted)


def _subject(match: re.Match[str]) -> str:
    return fold(match["subject"]).removeprefix("the ")


def _verb(match: re.Match[str]) -> str:
    first, _, rest = fold(match["verb"]).partition(" ")
    return f"{first.removesuffix('s')} {rest}".strip()


def denies(text: str) -> bool:
    return _TAKEN_BACK.search(text) is not None


def takes_back(new: str, old: str) -> str:
    """'Mara no longer works at Acme' against 'Mara works at Acme', either way round."""
    if denies(new) == denies(old):
        return ""
    mine, its = (_content(each) for each in (new, old))
    return "one takes back what the other says" if overlap(mine, its) >= SIMILAR else ""


def _content(text: str) -> set[str]:
    bare = words(_TAKEN_BACK.sub(" ", text))
    return {each.removesuffix("s") for each in bare if each not in _WEAK}


def _decided(new: Fact, old: Fact) -> tuple[bool, str]:
    first, second = old.since, new.since
    if first and second and first != second:
        if second > first:
            return True, f"the new one is later ({new.day} after {old.day})"
        return False, f"the known one is later ({old.day} after {new.day})"
    if _NOW.search(new.fact) and not _NOW.search(old.fact):
        return True, "the new one says what is so now"
    return False, "neither dates nor words decide: say which one stands"
