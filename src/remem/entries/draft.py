"""How much is stored in one durable step? Thousands of memories, as long as they are short.

The larger a step, the fewer times the same page of an index is written; the smaller, the less
is held in memory, and the shorter everybody else waits.

Is this a memory that can be stored? Checks every value before anything is touched.

Could this entry be one of ours? Checks one that comes whole, from an export or a file.

What is stored once is read again and again: a date that is none, or a name that is a number,
would break every answer that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, Required, TypedDict, TypeVar

from remem.entries.receipt import refuse_power
from remem.errors import InvalidInput, shown
from remem.model.arguments import checked_text, one_of, refuse_unknown, several, whole_number
from remem.model.entry import (
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Draft,
    Entry,
    Origin,
    Trust,
    is_entry_id,
    lower_trust,
)
from remem.text.secrets.mask import Redaction, redact_all, redact_name, spotless
from remem.text.timestamps import end_of, moment

_LONGEST_TAG: Final = 200
_MOST_TAGS: Final = 100
MOST_LINKS: Final = 1_000
_LONGEST_PLACE: Final = 1_000
_LAST_POSITION: Final = 2**53


class Memory(TypedDict, total=False):
    """What may be said of a memory when it is stored."""

    category: Required[str]
    content: Required[str]
    context: str | None
    priority: str
    tags: Sequence[str]
    related_to: Sequence[str]
    supersedes: Sequence[str]
    expires: str | None
    trust: str | None
    created_at: str | None
    origin: Origin | None
    source: str


_FIELDS: Final = frozenset(Memory.__annotations__)


def draft(
    memory: Memory,
    allowed_trust: Trust,
    now: str,
    unmasked: Set[str] = frozenset(),
    *,
    keep: Collection[str] = (),
    already: str = "",
    mask_secrets: bool = True,
) -> Draft:
    """The memory with its secrets masked; raises InvalidInput with the value and its name.

    A secret that one field shows to be one is masked in all of them. `unmasked` are texts that
    are known to hold no secret; kinds of secrets in `keep`, and what stands in the text
    `already`, are not masked; with `mask_secrets` false nothing is, which only the owner may ask.
    """
    _require_known_fields(memory)
    context, trust, origin = memory.get("context"), memory.get("trust"), memory.get("origin")
    created, expires = memory.get("created_at"), memory.get("expires")
    related, supersedes = memory.get("related_to"), memory.get("supersedes")
    category = one_of(memory.get("category"), CATEGORIES, "category")
    named = several(memory.get("tags") or (), _MOST_TAGS, "tags")
    said = _Said(
        content=checked_text(memory.get("content", ""), "content"),
        context=checked_text(context, "context") if context else None,
        tags=tuple(checked_text(tag, "tag", _LONGEST_TAG) for tag in named),
        source=_source(memory.get("source")),
        origin=None if origin is None else checked_origin(origin),
    )
    said, kinds = said.masked(unmasked, keep, already) if mask_secrets else (said, ())
    return Draft(
        category=category,
        content=said.content,
        context=said.context,
        priority=one_of(memory.get("priority") or "medium", PRIORITIES, "priority"),
        tags=tuple(dict.fromkeys(said.tags)),
        related_to=_ids(related, "related_to") if related else (),
        supersedes=_ids(supersedes, "supersedes") if supersedes else (),
        source=said.source,
        origin=said.origin,
        trust=lower_trust(allowed_trust, one_of(trust, TRUSTS, "trust") if trust else None),
        created_at=moment(created, "created_at") if created else None,
        expires_at=_future(expires, now) if expires else None,
        redacted=kinds,
    )


def drafts(
    memories: Sequence[Memory], allowed_trust: Trust, now: str, keep: Collection[str] = ()
) -> list[Draft]:
    """The same for many memories; none has a power that it may not have."""
    said = (memory.get(name) for memory in memories for name in ("content", "context"))
    unmasked = spotless([text for text in said if isinstance(text, str)])
    found = []
    for memory in memories:
        found.append(draft(memory, allowed_trust, now, unmasked, keep=keep))
        refuse_power(found[-1])
    return found


def _source(source: Any) -> str:
    return checked_text(source, "source", _LONGEST_TAG) if source else "session"


@dataclass(frozen=True, slots=True)
class _Said:
    """All texts of a memory that could hold a secret."""

    content: str
    context: str | None
    tags: tuple[str, ...]
    source: str
    origin: Origin | None

    def masked(
        self, unmasked: Set[str], keep: Collection[str], already: str
    ) -> tuple[_Said, tuple[str, ...]]:
        """The texts without the secrets of any of them, and the kinds of those."""
        long = [text for text in (self.content, self.context) if text is not None]
        short = self._names()
        if all(text in unmasked for text in long) and not any(
            redact_name(text).kinds for text in short
        ):
            return self, ()
        done = redact_all((*long, *short), keep=keep, already=already)
        kinds = tuple(dict.fromkeys(kind for redaction in done for kind in redaction.kinds))
        return (self._with([redaction.text for redaction in done]) if kinds else self), kinds

    def _names(self) -> tuple[str, ...]:
        origin = self.origin
        place = (origin.source, origin.speaker or "", origin.role or "") if origin else ()
        return (*self.tags, self.source, *place)

    def _with(self, texts: Sequence[str]) -> _Said:
        left = iter(texts)
        return _Said(
            content=next(left),
            context=None if self.context is None else next(left),
            tags=tuple(next(left) for _ in self.tags),
            source=next(left),
            origin=None
            if self.origin is None
            else Origin(next(left), self.origin.position, next(left) or None, next(left) or None),
        )


def clean_origin(origin: Origin, kinds: dict[str, None]) -> Origin:
    """The origin with its secrets masked: an address or a name can hold one. The kinds that were
    found are added to `kinds`."""
    source = _masked(redact_name(origin.source), kinds)
    speaker = _masked(redact_name(origin.speaker), kinds) if origin.speaker else None
    role = _masked(redact_name(origin.role), kinds) if origin.role else None
    if (source, speaker, role) == (origin.source, origin.speaker, origin.role):
        return origin
    return Origin(source, origin.position, speaker, role)


def _masked(redaction: Redaction, kinds: dict[str, None]) -> str:
    if redaction.kinds:
        kinds.update(dict.fromkeys(redaction.kinds))
    return redaction.text


def checked_origin(origin: Any) -> Origin:
    """The place where a memory was said, if every part of it can be stored and shown."""
    if not isinstance(origin, Origin):
        raise InvalidInput(f"origin must be an Origin, not {shown(origin)}")
    checked_text(origin.source, "the origin's source", _LONGEST_PLACE)
    for name, text in (("speaker", origin.speaker), ("role", origin.role)):
        if text is not None:
            checked_text(text, f"the origin's {name}", _LONGEST_PLACE)
    if origin.position is not None:
        whole_number(origin.position, 0, _LAST_POSITION, "the origin's position")
    return origin


def _require_known_fields(memory: Memory) -> None:
    if not memory.keys() <= _FIELDS:
        refuse_unknown(memory, tuple(Memory.__annotations__), "a memory", noun="field")


def _ids(values: Sequence[str], name: str) -> tuple[str, ...]:
    found = several(values, MOST_LINKS, name)
    return tuple(dict.fromkeys(checked_text(value, name, _LONGEST_TAG) for value in found))


def _future(expires: str, now: str) -> str:
    when = end_of(expires, "expires")
    if when <= now:
        raise InvalidInput(f"expires {shown(expires)} is in the past (it is {now} now)")
    return when


_LARGEST: Final = 2**53
_LAST_VERSION: Final = 1_000_000


def checked_entry(entry: Entry, unmasked: Set[str] = frozenset(), already: str = "") -> Entry:
    """The entry with its secrets masked; raises InvalidInput with the value and its name.

    `unmasked` are texts that are known to hold no secret; what stands in `already` is not masked.
    """
    memory = Memory(
        category=entry.category,
        content=entry.content,
        context=entry.context,
        priority=entry.priority,
        tags=entry.tags,
        trust=one_of(entry.trust, TRUSTS, "trust"),
        source=entry.source,
    )
    checked = draft(memory, "owner", now="", unmasked=unmasked, already=already)
    refuse_power(checked)
    if not isinstance(entry.archived, bool):
        raise InvalidInput(f"archived {shown(entry.archived)} is neither true nor false")
    return Entry(
        id=checked_id(entry.id, "id"),
        category=checked.category,
        content=checked.content,
        created_at=moment(entry.created_at, "created_at"),
        updated_at=moment(entry.updated_at, "updated_at"),
        context=checked.context,
        priority=checked.priority,
        tags=checked.tags,
        related_to=_foreign_ids(entry.related_to, "related_to"),
        source=checked.source,
        origins=tuple(
            clean_origin(checked_origin(each), {})
            for each in several(entry.origins, MOST_LINKS, "origins")
        ),
        trust=checked.trust,
        expires_at=_or_none(entry.expires_at, moment, "expires_at"),
        token_estimate=entry.token_estimate,
        archived=entry.archived,
        superseded_by=_or_none(entry.superseded_by, checked_id, "superseded_by"),
        version=whole_number(entry.version, 1, _LAST_VERSION, "version"),
        strength=whole_number(entry.strength, 1, _LARGEST, "strength"),
        uses=whole_number(entry.uses, 0, _LARGEST, "uses"),
    )


def checked_id(value: Any, name: str) -> str:
    if not isinstance(value, str) or not is_entry_id(value):
        raise InvalidInput(f"{name} {shown(value)} is not an id")
    return value


def _foreign_ids(values: Sequence[Any], name: str) -> tuple[str, ...]:
    return tuple(checked_id(value, name) for value in several(values, MOST_LINKS, name))


def _or_none(value: Any, check: Callable[[Any, str], str], name: str) -> str | None:
    return None if value is None else check(value, name)


T = TypeVar("T")

MOST: Final = 5_000
_CHARACTERS: Final = 2_000_000


def batches(items: Iterable[T], length: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in their order, together as long as there are not too many, nor too long."""
    batch: list[T] = []
    held = 0
    for item in items:
        batch.append(item)
        held += length(item)
        if len(batch) == MOST or held >= _CHARACTERS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
