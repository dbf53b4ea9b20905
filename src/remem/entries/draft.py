"""Validate new memories and imported entries before anything is written.

A stored value is read many times: an invalid date, or a name that is a number, would break every
answer that contains it. `batches` groups items for storing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Required, TypedDict, TypeVar

from remem.entries.receipt import MAX_LINKS, refuse_privileges
from remem.errors import InvalidInput, quoted
from remem.model.arguments import (
    checked_list,
    checked_text,
    meant_id,
    one_of,
    refuse_unknown,
    whole_number,
)
from remem.model.entry import (
    ARCHIVE_REASONS,
    CATEGORIES,
    PRIORITIES,
    TRUSTS,
    Category,
    Draft,
    Entry,
    Origin,
    Priority,
    Trust,
    is_entry_id,
    lower_trust,
)
from remem.text.secrets.mask import redact_all, redact_name
from remem.text.timestamps import normalize_end_time, normalize_time

_MAX_TAG_LENGTH: Final = 200
_MAX_ORIGIN_LENGTH: Final = 1_000
_MAX_POSITION: Final = 2**53
_MAX_COUNT: Final = 2**53
_MAX_VERSION: Final = 1_000_000
MAX_BATCH_ITEMS: Final = 5_000
_MAX_BATCH_CHARACTERS: Final = 2_000_000


class Memory(TypedDict, total=False):
    """The fields that a new memory may have."""

    category: Required[Category]
    content: Required[str]
    context: str | None
    priority: Priority
    tags: Sequence[str]
    related_to: Sequence[str]
    supersedes: Sequence[str]
    expires: str | None
    trust: Trust | None
    created_at: str | None
    origin: Origin | None
    source: str


_FIELDS: Final = frozenset(Memory.__annotations__)


def make_draft(
    memory: Memory,
    allowed_trust: Trust,
    now: str,
    *,
    keep: Collection[str] = (),
    keep_if_in: str = "",
    mask_secrets: bool = True,
) -> Draft:
    """Check the fields of a memory and mask its secrets; InvalidInput names field and value.

    Secrets of the kinds in `keep`, and those that the text `keep_if_in` contains, are left as they
    are. Only the owner may turn masking off with `mask_secrets`.
    """
    if not memory.keys() <= _FIELDS:
        refuse_unknown(memory, tuple(Memory.__annotations__), "a memory", noun="field")
    context, trust, origin = memory.get("context"), memory.get("trust"), memory.get("origin")
    created, expires = memory.get("created_at"), memory.get("expires")
    related, supersedes = memory.get("related_to"), memory.get("supersedes")
    tags = checked_list(memory.get("tags") or (), MAX_LINKS, "tags")
    draft = Draft(
        category=one_of(memory.get("category"), CATEGORIES, "category"),
        content=checked_text(memory.get("content", ""), "content"),
        context=checked_text(context, "context") if context else None,
        priority=one_of(memory.get("priority") or "medium", PRIORITIES, "priority"),
        tags=_unique(checked_text(tag, "tag", _MAX_TAG_LENGTH) for tag in tags),
        related_to=_ids(related, "related_to") if related else (),
        supersedes=_ids(supersedes, "supersedes") if supersedes else (),
        source=checked_text(memory.get("source") or "session", "source", _MAX_TAG_LENGTH),
        origin=None if origin is None else checked_origin(origin),
        trust=lower_trust(allowed_trust, one_of(trust, TRUSTS, "trust") if trust else None),
        created_at=normalize_time(created, "created_at") if created else None,
        expires_at=_future(expires, now) if expires else None,
    )
    return _masked(draft, keep, keep_if_in) if mask_secrets else draft


def _masked(draft: Draft, keep: Collection[str], keep_if_in: str) -> Draft:
    """Return the draft without its secrets.

    A secret that is recognised in one field is masked in all fields.
    """
    origin = draft.origin
    names = (origin.source, origin.speaker or "", origin.role or "") if origin else ("", "", "")
    texts = (draft.content, draft.context or "", *draft.tags, draft.source, *names)
    redactions = redact_all(texts, keep=keep, keep_if_in=keep_if_in)
    kinds = _unique(kind for redaction in redactions for kind in redaction.kinds)
    if not kinds:
        return draft
    content, context, *tags, source, origin_source, speaker, role = (
        redaction.text for redaction in redactions
    )
    return replace(
        draft,
        content=content,
        context=context or None,
        tags=_unique(tags),
        source=source,
        origin=origin and Origin(origin_source, origin.position, speaker or None, role or None),
        redacted=kinds,
    )


def mask_origin(origin: Origin) -> Origin:
    """Return an origin with the secrets masked that its address and names can contain."""
    return Origin(
        redact_name(origin.source).text,
        origin.position,
        redact_name(origin.speaker).text if origin.speaker else None,
        redact_name(origin.role).text if origin.role else None,
    )


def checked_origin(origin: Any) -> Origin:
    """Check that every part of an origin can be stored and shown."""
    if not isinstance(origin, Origin):
        raise InvalidInput(f"origin must be an Origin, not {quoted(origin)}")
    checked_text(origin.source, "the origin's source", _MAX_ORIGIN_LENGTH)
    for name, text in (("speaker", origin.speaker), ("role", origin.role)):
        if text is not None:
            checked_text(text, f"the origin's {name}", _MAX_ORIGIN_LENGTH)
    if origin.position is not None:
        whole_number(origin.position, 0, _MAX_POSITION, "the origin's position")
    return origin


def _ids(values: Sequence[str], name: str) -> tuple[str, ...]:
    ids = checked_list(values, MAX_LINKS, name)
    return _unique(meant_id(id_, name) for id_ in ids)


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _future(expires: str, now: str) -> str:
    when = normalize_end_time(expires, "expires")
    if when <= now:
        raise InvalidInput(
            f"expires {quoted(expires)} is in the past (it is {now} now)",
            hint="give a date in the future, or leave it out",
        )
    return when


def checked_entry(entry: Entry, keep_if_in: str = "") -> Entry:
    """Check a complete entry from an export or a file; InvalidInput names the field and the value.

    Secrets are masked, except those that the text `keep_if_in` contains.
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
    checked = make_draft(memory, "owner", now="", keep_if_in=keep_if_in)
    refuse_privileges(checked)
    if not isinstance(entry.archived, bool):
        raise InvalidInput(f"archived must be true or false, not {quoted(entry.archived)}")
    return Entry(
        id=checked_id(entry.id, "id"),
        category=checked.category,
        content=checked.content,
        created_at=normalize_time(entry.created_at, "created_at"),
        updated_at=normalize_time(entry.updated_at, "updated_at"),
        context=checked.context,
        priority=checked.priority,
        tags=checked.tags,
        related_to=tuple(
            checked_id(id_, "related_to")
            for id_ in checked_list(entry.related_to, MAX_LINKS, "related_to")
        ),
        source=checked.source,
        origins=tuple(
            mask_origin(checked_origin(origin))
            for origin in checked_list(entry.origins, MAX_LINKS, "origins")
        ),
        trust=checked.trust,
        expires_at=None
        if entry.expires_at is None
        else normalize_time(entry.expires_at, "expires_at"),
        token_estimate=whole_number(entry.token_estimate, 0, _MAX_COUNT, "token_estimate"),
        archived=entry.archived,
        superseded_by=None
        if entry.superseded_by is None
        else checked_id(entry.superseded_by, "superseded_by"),
        version=whole_number(entry.version, 1, _MAX_VERSION, "version"),
        strength=whole_number(entry.strength, 1, _MAX_COUNT, "strength"),
        uses=whole_number(entry.uses, 0, _MAX_COUNT, "uses"),
        archive_reason=None
        if entry.archive_reason is None
        else one_of(entry.archive_reason, ARCHIVE_REASONS, "archive_reason"),
    )


def checked_id(value: Any, name: str) -> str:
    """Check that a value is an entry id; `name` is the name of its field."""
    if not isinstance(value, str) or not is_entry_id(value):
        raise InvalidInput(f"{name} {quoted(value)} is not an entry id")
    return value


T = TypeVar("T")


def batches(items: Iterable[T], length: Callable[[T], int]) -> Iterator[list[T]]:
    """Group items, in their order, into batches of limited number and length.

    Larger batches are written faster; smaller ones need less memory and block other writers for a
    shorter time.
    """
    batch: list[T] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += length(item)
        if len(batch) == MAX_BATCH_ITEMS or characters >= _MAX_BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
