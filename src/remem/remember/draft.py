"""Is this a memory that can be stored? Checks every value before anything is touched."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, Final, Required, TypedDict

from remem.core.entry import (
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Draft,
    Origin,
    Trust,
    lower_trust,
)
from remem.core.moments import end_of, moment
from remem.core.secrets import Redaction, redact, redact_name, spotless
from remem.core.values import checked_text, one_of, refuse_unknown, several, whole_number
from remem.errors import InvalidInput, shown
from remem.remember.powers import refuse_power

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
    memory: Memory, allowed_trust: Trust, now: str, unmasked: Set[str] = frozenset()
) -> Draft:
    """The memory with its secrets masked; raises InvalidInput with the value and its name.

    `unmasked` are texts that are known to hold no secret.
    """
    kinds: dict[str, None] = {}
    _require_known_fields(memory)
    context, trust, origin = memory.get("context"), memory.get("trust"), memory.get("origin")
    created, expires = memory.get("created_at"), memory.get("expires")
    source, related = memory.get("source"), memory.get("related_to")
    supersedes = memory.get("supersedes")
    tags = several(memory.get("tags") or (), _MOST_TAGS, "tags")
    return Draft(
        category=one_of(memory.get("category"), CATEGORIES, "category"),
        content=_clean(memory.get("content", ""), "content", unmasked, kinds),
        context=_clean(context, "context", unmasked, kinds) if context else None,
        priority=one_of(memory.get("priority") or "medium", PRIORITIES, "priority"),
        tags=tuple(dict.fromkeys(_clean_name(tag, "tag", kinds) for tag in tags)) if tags else (),
        related_to=_ids(related, "related_to") if related else (),
        supersedes=_ids(supersedes, "supersedes") if supersedes else (),
        source=_clean_name(source, "source", kinds) if source else "session",
        origin=None if origin is None else clean_origin(checked_origin(origin), kinds),
        trust=lower_trust(allowed_trust, one_of(trust, TRUSTS, "trust") if trust else None),
        created_at=moment(created, "created_at") if created else None,
        expires_at=_future(expires, now) if expires else None,
        redacted=tuple(kinds),
    )


def drafts(memories: Sequence[Memory], allowed_trust: Trust, now: str) -> list[Draft]:
    """The same for many memories, whose secrets are looked for together; none has a power that
    it may not have."""
    said = (memory.get(name) for memory in memories for name in ("content", "context"))
    unmasked = spotless([text for text in said if isinstance(text, str)])
    found = []
    for memory in memories:
        found.append(draft(memory, allowed_trust, now, unmasked))
        refuse_power(found[-1])
    return found


def _clean(text: Any, name: str, unmasked: Set[str], kinds: dict[str, None]) -> str:
    checked = checked_text(text, name)
    return checked if checked in unmasked else _told(redact(checked), kinds)


def _clean_name(text: Any, name: str, kinds: dict[str, None]) -> str:
    return _told(redact_name(checked_text(text, name, _LONGEST_TAG)), kinds)


def _told(redaction: Redaction, kinds: dict[str, None]) -> str:
    if redaction.kinds:
        kinds.update(dict.fromkeys(redaction.kinds))
    return redaction.text


def clean_origin(origin: Origin, kinds: dict[str, None]) -> Origin:
    """The origin with its secrets masked: an address or a name can hold one. The kinds that were
    found are added to `kinds`."""
    source = _told(redact_name(origin.source), kinds)
    speaker = _told(redact_name(origin.speaker), kinds) if origin.speaker else None
    role = _told(redact_name(origin.role), kinds) if origin.role else None
    if (source, speaker, role) == (origin.source, origin.speaker, origin.role):
        return origin
    return Origin(source, origin.position, speaker, role)


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
