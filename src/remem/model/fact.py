"""Facts about an entity, and the tombstones of erased ones.

Facts are read as people and programs wrote them, with any category, status or further field.
Only `superseded` ends a fact; a `completed` or `planned` fact is still valid.

A tombstone takes the place of an erased fact. It has the fields that readers of facts look for: an
empty `fact`, and a `status` that is not `active`. It contains hashes of the wordings, and nothing
that could reveal the wordings themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from remem.errors import InvalidInput
from remem.fast_dataclass import dataclass
from remem.text.similarity import folded_hash
from remem.text.timestamps import day_as_written, normalize_end_time, normalize_time
from remem.text.words import fold

FACT_CATEGORIES: Final = ("relationship", "milestone", "status", "preference", "decision")
FACT_SOURCES: Final = ("conversation", "observation")
STATEMENT_FIELDS: Final = ("category", "timestamp", "source", "origin", "kind", "trust")
"""The optional fields of a statement that is recorded as a fact."""

ERASED: Final = "erased"
_WORDINGS: Final = "wordings"
_SUPERSEDED_BY: Final = "supersededBy"
_BITS: Final = 64
_HASH: Final = re.compile(r"[0-9a-f]{16}")
_ONE_WORD: Final = re.compile(r"[\w-]{1,30}")
ACTIVE: Final = "active"
SUPERSEDED: Final = "superseded"
_TEXTS: Final = ("fact", "text", "content")


@dataclass(frozen=True, slots=True)
class FactTombstone:
    """The tombstone of a fact.

    `number` is its index in its file, `at` the time when the fact was erased, and `wordings` are
    the hashes of its texts.
    """

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
        """When the fact became valid, in UTC; its predecessor was valid until then."""
        return _utc(self.timestamp)


def is_tombstone(value: Any) -> bool:
    """Return whether a JSON value is the tombstone of a fact."""
    return isinstance(value, Mapping) and fold(str(value.get("status", ""))) == ERASED


def tombstone_of(value: Any, *, entity: str, path: str, number: int) -> FactTombstone | None:
    """Read a tombstone from a JSON value; None if the value is not one."""
    if not is_tombstone(value):
        return None
    hashes = value.get(_WORDINGS)
    by = value.get(_SUPERSEDED_BY)
    return FactTombstone(
        id=str(value.get("id", "")),
        at=str(value.get(ERASED, "")),
        entity=entity,
        path=path,
        category=str(value.get("category", "")),
        timestamp=str(value.get("timestamp", "")),
        superseded_by=str(by) if by else None,
        wordings=frozenset(_parse_hashes(hashes if isinstance(hashes, list) else ())),
        number=number,
    )


def tombstone_value(value: Mapping[str, Any], at: str, wordings: Collection[int]) -> dict[str, Any]:
    """Return the JSON value that replaces an erased fact.

    Its category and source are kept only if they are single words, because longer ones may repeat
    the fact.
    """
    result: dict[str, Any] = {"id": value.get("id"), "fact": ""}
    for name in ("category", "source"):
        if isinstance(text := value.get(name), str) and _ONE_WORD.fullmatch(text):
            result[name] = text
    if isinstance(when := value.get("timestamp"), str) and _utc(when):
        result["timestamp"] = when
    result |= {"status": ERASED, ERASED: at}
    if _SUPERSEDED_BY in value:
        result[_SUPERSEDED_BY] = value[_SUPERSEDED_BY]
    result[_WORDINGS] = [f"{wording % (1 << _BITS):016x}" for wording in sorted(wordings)]
    return result


def is_erased_wording(text: str, tombstones: Iterable[FactTombstone]) -> bool:
    """Return whether a text is that of one of these erased facts."""
    number = folded_hash(text)
    return any(number in tombstone.wordings for tombstone in tombstones)


def _parse_hashes(hashes: Iterable[Any]) -> Iterable[int]:
    """Yield hashes as the signed 64-bit numbers that databases store."""
    for text in hashes:
        if isinstance(text, str) and _HASH.fullmatch(text):
            number = int(text, 16)
            yield number - (1 << _BITS) if number >> (_BITS - 1) else number


def _utc(text: str) -> str | None:
    try:
        return normalize_time(text, "timestamp")
    except InvalidInput:
        return None


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact on lines `start` to `end` of `path`.

    `fact` is its text, and `timestamp` a date, or a date and time, as it was written. `entity` is
    the id of the entity that the file belongs to; `number` is the fact's index in the file. A fact
    that states a relation names it in `relation`, and in `object` what the entity is related to.
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
    relation: str = ""
    object: str = ""

    @property
    def superseded(self) -> bool:
        """Whether it has ended, with or without a successor."""
        return self.superseded_by is not None or fold(self.status) == SUPERSEDED

    @property
    def active(self) -> bool:
        """Whether it has not been superseded."""
        return not self.superseded

    @property
    def since(self) -> str | None:
        """Its timestamp in UTC; None if the timestamp cannot be read."""
        return _utc(self.timestamp)

    @property
    def day(self) -> str | None:
        """The day of its timestamp, in the time zone in which it was written."""
        return day_as_written(self.timestamp) if self.since else None

    @property
    def place(self) -> str:
        """Its citation: `path#L4-L12`."""
        lines = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{lines}"


def fact_of(
    value: Any, *, entity: str, path: str, lines: tuple[int, int], number: int
) -> Fact | None:
    """Read a fact from a JSON value; None if it is not a fact, or an erased one."""
    if not isinstance(value, Mapping) or is_tombstone(value):
        return None
    texts = (value[name] for name in _TEXTS if isinstance(value.get(name), str))
    statement = next((text for text in texts if text.strip()), None)
    if statement is None:
        return None
    by = value.get(_SUPERSEDED_BY)
    return Fact(
        id=_text(value.get("id")),
        fact=statement,
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
        relation=_text(value.get("relation")),
        object=_text(value.get("object")),
    )


def valid_at(
    facts: Iterable[Fact], time: str, tombstones: Iterable[FactTombstone] = ()
) -> list[Fact]:
    """Return the facts that were valid at a time; for a date, at the end of that day.

    A superseded fact is valid until the time of its successor, which may be an erased fact with a
    tombstone. If the successor cannot be found, the fact ended at an unknown time and is left out.
    A fact without a date has always been valid.
    """
    as_of = normalize_end_time(time, "as_of")
    known = list(facts)
    starts = {(tombstone.path, tombstone.id): tombstone.since for tombstone in tombstones}
    starts |= {(fact.path, fact.id): fact.since for fact in known}
    return [fact for fact in known if _is_valid(fact, as_of, starts)]


def succession(
    facts: Sequence[Fact], id_: str, tombstones: Iterable[FactTombstone] = ()
) -> list[Fact]:
    """Return a fact with all its predecessors and successors, earliest first.

    An erased fact, given by its tombstone, still connects others but is not returned.
    """
    by_id = {fact.id: fact for fact in facts}
    if id_ not in by_id:
        return []
    successors = {tombstone.id: tombstone.superseded_by for tombstone in tombstones}
    successors |= {fact.id: fact.superseded_by for fact in facts}
    ids = {id_}
    successor = successors[id_]
    while successor in successors and successor not in ids:
        ids.add(successor)
        successor = successors[successor]
    while not (predecessors := {old for old, new in successors.items() if new in ids}) <= ids:
        ids |= predecessors
    return in_order([by_id[found_id] for found_id in ids if found_id in by_id])


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Sort facts by time; those without one come first, and equal ones keep their file's order."""
    return sorted(facts, key=lambda fact: (fact.since or "", fact.path, fact.number))


def _is_valid(fact: Fact, time: str, starts: Mapping[tuple[str, str], str | None]) -> bool:
    since = fact.since
    if since is not None and since > time:
        return False
    if fact.active:
        return True
    end = starts.get((fact.path, fact.superseded_by or ""))
    return end is not None and end > time


def _text(value: Any) -> str:
    """Return a field as text, because ids and dates are numbers in some files."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
