"""Is this a memory that can be stored? Checks every value before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from remem.core.secrets import Redaction, redact, redact_name
from remem.core.values import checked_text, one_of, several, whole_number
from remem.errors import InvalidInput, shown

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


def draft(memory: Memory, allowed_trust: Trust, now: str) -> Draft:
    """The memory with its secrets masked; raises InvalidInput with the value and its name."""
    kinds: dict[str, None] = {}

    def told(redaction: Redaction) -> str:
        if redaction.kinds:
            kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    def clean(text: str, name: str) -> str:
        return told(redact(checked_text(text, name)))

    def clean_name(text: str, name: str, longest: int = _LONGEST_PLACE) -> str:
        return told(redact_name(checked_text(text, name, longest)))

    _require_known_fields(memory)
    context, trust, origin = memory.get("context"), memory.get("trust"), memory.get("origin")
    created, expires = memory.get("created_at"), memory.get("expires")
    source = memory.get("source")
    tags = several(memory.get("tags") or (), _MOST_TAGS, "tags")
    return Draft(
        category=one_of(memory.get("category"), CATEGORIES, "category"),
        content=clean(memory.get("content", ""), "content"),
        context=clean(context, "context") if context else None,
        priority=one_of(memory.get("priority") or "medium", PRIORITIES, "priority"),
        tags=tuple(dict.fromkeys(clean_name(tag, "tag", _LONGEST_TAG) for tag in tags)),
        related_to=_ids(memory.get("related_to") or (), "related_to"),
        supersedes=_ids(memory.get("supersedes") or (), "supersedes"),
        source=clean_name(source, "source", _LONGEST_TAG) if source else "session",
        origin=None if origin is None else _clean_origin(checked_origin(origin), clean_name),
        trust=lower_trust(allowed_trust, one_of(trust, TRUSTS, "trust") if trust else None),
        created_at=moment(created, "created_at") if created else None,
        expires_at=_future(expires, now) if expires else None,
        redacted=tuple(kinds),
    )


def _clean_origin(origin: Origin, clean: Callable[[str, str], str]) -> Origin:
    """An address or a name can carry a secret too."""
    source = clean(origin.source, "the origin's source")
    speaker = clean(origin.speaker, "the origin's speaker") if origin.speaker else None
    role = clean(origin.role, "the origin's role") if origin.role else None
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
        raise InvalidInput(
            f"unknown field {shown(min(memory.keys() - _FIELDS))}",
            hint=f"known: {', '.join(Memory.__annotations__)}",
        )


def _ids(values: Sequence[str], name: str) -> tuple[str, ...]:
    found = several(values, MOST_LINKS, name)
    return tuple(dict.fromkeys(checked_text(value, name, _LONGEST_TAG) for value in found))


def _future(expires: str, now: str) -> str:
    when = end_of(expires, "expires")
    if when <= now:
        raise InvalidInput(f"expires {shown(expires)} is in the past (it is {now} now)")
    return when
