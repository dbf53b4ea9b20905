"""What stays of a fact that was erased? Its id, when, what took its place, and hashes of its words.

It stands where the fact stood, with the fields that readers of facts look for: an empty `fact`, and
a `status` that is not `active`. What a field could tell of the words is left out.

What may be said of a fact, what may be done with facts, and where may they stand?

What is a fact? One statement about an entity, when it was made, and what took its place.

Facts are read as people and programs have written them: other categories, other states and
further fields are theirs to have. Only `superseded` ends a fact; one that is `completed` or
`planned` still stands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from remem.errors import InvalidInput
from remem.text.similarity import folded_number
from remem.text.timestamps import end_of, moment
from remem.text.words import fold

FACT_TREES: Final = ("brain", "life", "para")
"""Folders of the owner that hold facts; new entities get theirs in the first."""

FACT_CATEGORIES: Final = ("relationship", "milestone", "status", "preference", "decision")
FACT_SOURCES: Final = ("conversation", "observation")
FACT_ACTIONS: Final = (
    *("list", "record", "supersede", "history", "entities"),
    *("alias", "merge", "unmerge", "proposals"),
)


ERASED: Final = "erased"
_WORDINGS: Final = "wordings"
_BY: Final = "supersededBy"
_BITS: Final = 64
_HASH: Final = re.compile(r"[0-9a-f]{16}")
_ONE_WORD: Final = re.compile(r"[\w-]{1,30}")


@dataclass(frozen=True, slots=True)
class Gone:
    """The tombstone of a fact; `number` is its place in its file, `at` when it was erased."""

    id: str
    at: str = ""
    entity: str = ""
    path: str = ""
    category: str = ""
    timestamp: str = ""
    superseded_by: str | None = None
    wordings: frozenset[int] = frozenset()
    number: int = 0

    @property
    def since(self) -> str | None:
        """When the fact began, in UTC: what it replaced ended then."""
        return _moment(self.timestamp)


def is_tombstone(value: Any) -> bool:
    return isinstance(value, Mapping) and fold(str(value.get("status", ""))) == ERASED


def gone_of(value: Any, *, entity: str, path: str, number: int) -> Gone | None:
    """The tombstone that a JSON value is; None where it is none."""
    if not is_tombstone(value):
        return None
    hashes = value.get(_WORDINGS)
    by = value.get(_BY)
    return Gone(
        id=str(value.get("id", "")),
        at=str(value.get(ERASED, "")),
        entity=entity,
        path=path,
        category=str(value.get("category", "")),
        timestamp=str(value.get("timestamp", "")),
        superseded_by=str(by) if by else None,
        wordings=frozenset(_numbers(hashes if isinstance(hashes, list) else ())),
        number=number,
    )


def tombstone(value: Mapping[str, Any], at: str, wordings: Collection[int]) -> dict[str, Any]:
    """What takes the place of a fact. A category or a source of one word sorts facts; more words
    may say what the fact said."""
    kept: dict[str, Any] = {"id": value.get("id"), "fact": ""}
    for name in ("category", "source"):
        if isinstance(said := value.get(name), str) and _ONE_WORD.fullmatch(said):
            kept[name] = said
    if isinstance(when := value.get("timestamp"), str) and _moment(when):
        kept["timestamp"] = when
    kept |= {"status": ERASED, ERASED: at}
    if _BY in value:
        kept[_BY] = value[_BY]
    kept[_WORDINGS] = [f"{wording % (1 << _BITS):016x}" for wording in sorted(wordings)]
    return kept


def is_buried(text: str, gone: Iterable[Gone]) -> bool:
    """Whether one of these facts was worded so."""
    number = folded_number(text)
    return any(number in each.wordings for each in gone)


def _numbers(hashes: Iterable[Any]) -> Iterable[int]:
    """As `wording` gives them: signed, because databases keep them so."""
    for each in hashes:
        if isinstance(each, str) and _HASH.fullmatch(each):
            number = int(each, 16)
            yield number - (1 << _BITS) if number >> (_BITS - 1) else number


def _moment(text: str) -> str | None:
    try:
        return moment(text, "timestamp")
    except InvalidInput:
        return None


ACTIVE: Final = "active"
SUPERSEDED: Final = "superseded"

_TEXTS: Final = ("fact", "text", "content")


@dataclass(frozen=True, slots=True)
class Fact:
    """Lines `start` to `end` of `path`. `timestamp` is as it was written: a date, or a time.

    `entity` is the id of the entity in whose file it stands; `number` is its place there.
    """

    id: str
    fact: str
    entity: str = ""
    category: str = ""
    timestamp: str = ""
    source: str = ""
    status: str = ACTIVE
    superseded_by: str | None = None
    origin: str | None = None
    path: str = ""
    start: int = 0
    end: int = 0
    number: int = 0

    @property
    def superseded(self) -> bool:
        return self.superseded_by is not None or fold(self.status) == SUPERSEDED

    @property
    def active(self) -> bool:
        return not self.superseded

    @property
    def since(self) -> str | None:
        """The moment it was made, in UTC; None where its timestamp says nothing."""
        try:
            return moment(self.timestamp, "timestamp")
        except InvalidInput:
            return None

    @property
    def day(self) -> str | None:
        """The day as it was written, whatever the zone."""
        return self.timestamp[:10] if self.since else None

    @property
    def place(self) -> str:
        """Where it stands: `path#L4-L12`."""
        lines = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{lines}"


def fact_of(
    value: Any, *, entity: str, path: str, lines: tuple[int, int], number: int
) -> Fact | None:
    """The fact that a JSON value tells; None where it tells none, or was erased."""
    if not isinstance(value, Mapping) or is_tombstone(value):
        return None
    texts = (value[name] for name in _TEXTS if isinstance(value.get(name), str))
    said = next((text for text in texts if text.strip()), None)
    if said is None:
        return None
    by = value.get("supersededBy")
    return Fact(
        id=_text(value.get("id")),
        fact=said,
        entity=entity,
        category=_text(value.get("category")),
        timestamp=_text(value.get("timestamp")),
        source=_text(value.get("source")),
        status=_text(value.get("status")) or ACTIVE,
        superseded_by=_text(by) if by else None,
        origin=_text(value.get("origin")) or None,
        path=path,
        start=lines[0],
        end=lines[1],
        number=number,
    )


def valid_at(facts: Iterable[Fact], when: str, gone: Iterable[Gone] = ()) -> list[Fact]:
    """What was true at the end of a day, or at a moment.

    A superseded fact is true until its successor begins. One whose successor cannot be found
    ended nobody knows when, and is left out; one without a date has always been so. Of one that
    was erased (`gone`) is still known when it began.
    """
    then = end_of(when, "as_of")
    known = list(facts)
    begins = {(each.path, each.id): each.since for each in gone}
    begins |= {(fact.path, fact.id): fact.since for fact in known}
    return [fact for fact in known if _is_valid(fact, then, begins)]


def chain(facts: Sequence[Fact], id_: str, gone: Iterable[Gone] = ()) -> list[Fact]:
    """What a fact has replaced and what replaced it, the earliest first; a fact that was erased
    (`gone`) is a link that says nothing."""
    by_id = {fact.id: fact for fact in facts}
    if id_ not in by_id:
        return []
    after = {each.id: each.superseded_by for each in gone}
    after |= {fact.id: fact.superseded_by for fact in facts}
    wanted = {id_}
    following = after[id_]
    while following in after and following not in wanted:
        wanted.add(following)
        following = after[following]
    grown = True
    while grown:
        before = {each for each, by in after.items() if by in wanted}
        grown = not before <= wanted
        wanted |= before
    return in_order([by_id[each] for each in wanted if each in by_id])


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """By time; those of one moment, or of none, as they stand in their file."""
    return sorted(facts, key=lambda each: (each.since or "", each.path, each.number))


def _is_valid(fact: Fact, then: str, begins: Mapping[tuple[str, str], str | None]) -> bool:
    since = fact.since
    if since is not None and since > then:
        return False
    if fact.active:
        return True
    end = begins.get((fact.path, fact.superseded_by or ""))
    return end is not None and end > then


def _text(value: Any) -> str:
    """A field as text; ids and dates are numbers in some files."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
