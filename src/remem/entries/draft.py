"""Validation of new memories and of imported entries, before anything is written.

A stored value is read many times: an invalid date, or a name that is a number, would break every
answer that contains it. `batches` groups items for storing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, Required, TypedDict, TypeVar

from remem.entries.receipt import refuse_privileges
from remem.errors import InvalidInput, shown
from remem.model.arguments import checked_list, checked_text, one_of, refuse_unknown, whole_number
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
from remem.text.secrets.mask import Redaction, certainly_clean, redact_all, redact_name
from remem.text.timestamps import normalize_end_time, normalize_time

_MAX_TAG_LENGTH: Final = 200
_MAX_TAGS: Final = 100
MAX_LINKS: Final = 1_000
_MAX_ORIGIN_LENGTH: Final = 1_000
_MAX_POSITION: Final = 2**53


class Memory(TypedDict, total=False):
    """The fields that a new memory may have."""

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


def make_draft(
    memory: Memory,
    allowed_trust: Trust,
    now: str,
    unmasked: Set[str] = frozenset(),
    *,
    keep: Collection[str] = (),
    keep_if_in: str = "",
    mask_secrets: bool = True,
) -> Draft:
    """Check a memory and mask its secrets; InvalidInput names the field and its value.

    A secret that is recognised in one field is masked in all of them. `unmasked` are texts known
    to contain no secret. Secrets of the kinds in `keep`, and those that the text `keep_if_in`
    contains, are left as they are. Only the owner may turn masking off with `mask_secrets`.
    """
    _require_known_fields(memory)
    context, trust, origin = memory.get("context"), memory.get("trust"), memory.get("origin")
    created, expires = memory.get("created_at"), memory.get("expires")
    related, supersedes = memory.get("related_to"), memory.get("supersedes")
    category = one_of(memory.get("category"), CATEGORIES, "category")
    tags = checked_list(memory.get("tags") or (), _MAX_TAGS, "tags")
    texts = _Texts(
        content=checked_text(memory.get("content", ""), "content"),
        context=checked_text(context, "context") if context else None,
        tags=tuple(checked_text(tag, "tag", _MAX_TAG_LENGTH) for tag in tags),
        source=_source(memory.get("source")),
        origin=None if origin is None else checked_origin(origin),
    )
    texts, kinds = texts.masked(unmasked, keep, keep_if_in) if mask_secrets else (texts, ())
    return Draft(
        category=category,
        content=texts.content,
        context=texts.context,
        priority=one_of(memory.get("priority") or "medium", PRIORITIES, "priority"),
        tags=tuple(dict.fromkeys(texts.tags)),
        related_to=_ids(related, "related_to") if related else (),
        supersedes=_ids(supersedes, "supersedes") if supersedes else (),
        source=texts.source,
        origin=texts.origin,
        trust=lower_trust(allowed_trust, one_of(trust, TRUSTS, "trust") if trust else None),
        created_at=normalize_time(created, "created_at") if created else None,
        expires_at=_future(expires, now) if expires else None,
        redacted=kinds,
    )


def make_drafts(
    memories: Sequence[Memory], allowed_trust: Trust, now: str, keep: Collection[str] = ()
) -> list[Draft]:
    """Check several memories; an untrusted one with privileges is refused."""
    values = (memory.get(name) for memory in memories for name in ("content", "context"))
    unmasked = certainly_clean([text for text in values if isinstance(text, str)])
    drafts = []
    for memory in memories:
        drafts.append(make_draft(memory, allowed_trust, now, unmasked, keep=keep))
        refuse_privileges(drafts[-1])
    return drafts


def _source(source: Any) -> str:
    return checked_text(source, "source", _MAX_TAG_LENGTH) if source else "session"


@dataclass(frozen=True, slots=True)
class _Texts:
    """All texts of a memory that could contain a secret."""

    content: str
    context: str | None
    tags: tuple[str, ...]
    source: str
    origin: Origin | None

    def masked(
        self, unmasked: Set[str], keep: Collection[str], keep_if_in: str
    ) -> tuple[_Texts, tuple[str, ...]]:
        """The texts with their secrets masked, and the kinds of secrets that were found."""
        long = [text for text in (self.content, self.context) if text is not None]
        short = self._names()
        if all(text in unmasked for text in long) and not any(
            redact_name(text).kinds for text in short
        ):
            return self, ()
        redactions = redact_all((*long, *short), keep=keep, keep_if_in=keep_if_in)
        kinds = tuple(dict.fromkeys(kind for redaction in redactions for kind in redaction.kinds))
        return (self._with([redaction.text for redaction in redactions]) if kinds else self), kinds

    def _names(self) -> tuple[str, ...]:
        origin = self.origin
        place = (origin.source, origin.speaker or "", origin.role or "") if origin else ()
        return (*self.tags, self.source, *place)

    def _with(self, texts: Sequence[str]) -> _Texts:
        rest = iter(texts)
        return _Texts(
            content=next(rest),
            context=None if self.context is None else next(rest),
            tags=tuple(next(rest) for _ in self.tags),
            source=next(rest),
            origin=None
            if self.origin is None
            else Origin(next(rest), self.origin.position, next(rest) or None, next(rest) or None),
        )


def mask_origin(origin: Origin, kinds: dict[str, None]) -> Origin:
    """Mask secrets in an origin, whose address or names can contain some; adds their kinds to
    `kinds`."""
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
    """Check that every part of an origin can be stored and shown."""
    if not isinstance(origin, Origin):
        raise InvalidInput(f"origin must be an Origin, not {shown(origin)}")
    checked_text(origin.source, "the origin's source", _MAX_ORIGIN_LENGTH)
    for name, text in (("speaker", origin.speaker), ("role", origin.role)):
        if text is not None:
            checked_text(text, f"the origin's {name}", _MAX_ORIGIN_LENGTH)
    if origin.position is not None:
        whole_number(origin.position, 0, _MAX_POSITION, "the origin's position")
    return origin


def _require_known_fields(memory: Memory) -> None:
    if not memory.keys() <= _FIELDS:
        refuse_unknown(memory, tuple(Memory.__annotations__), "a memory", noun="field")


def _ids(values: Sequence[str], name: str) -> tuple[str, ...]:
    ids = checked_list(values, MAX_LINKS, name)
    return tuple(dict.fromkeys(checked_text(id_, name, _MAX_TAG_LENGTH) for id_ in ids))


def _future(expires: str, now: str) -> str:
    when = normalize_end_time(expires, "expires")
    if when <= now:
        raise InvalidInput(f"expires {shown(expires)} is in the past (it is {now} now)")
    return when


_MAX_COUNT: Final = 2**53
_MAX_VERSION: Final = 1_000_000


def checked_entry(entry: Entry, unmasked: Set[str] = frozenset(), keep_if_in: str = "") -> Entry:
    """Check a complete entry from an export or a file, and mask its secrets.

    `unmasked` are texts known to contain no secret; secrets in the text `keep_if_in` are left as
    they are. InvalidInput names the field and its value.
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
    checked = make_draft(memory, "owner", now="", unmasked=unmasked, keep_if_in=keep_if_in)
    refuse_privileges(checked)
    if not isinstance(entry.archived, bool):
        raise InvalidInput(f"archived must be true or false, not {shown(entry.archived)}")
    return Entry(
        id=checked_id(entry.id, "id"),
        category=checked.category,
        content=checked.content,
        created_at=normalize_time(entry.created_at, "created_at"),
        updated_at=normalize_time(entry.updated_at, "updated_at"),
        context=checked.context,
        priority=checked.priority,
        tags=checked.tags,
        related_to=_foreign_ids(entry.related_to, "related_to"),
        source=checked.source,
        origins=tuple(
            mask_origin(checked_origin(origin), {})
            for origin in checked_list(entry.origins, MAX_LINKS, "origins")
        ),
        trust=checked.trust,
        expires_at=_or_none(entry.expires_at, normalize_time, "expires_at"),
        token_estimate=entry.token_estimate,
        archived=entry.archived,
        superseded_by=_or_none(entry.superseded_by, checked_id, "superseded_by"),
        version=whole_number(entry.version, 1, _MAX_VERSION, "version"),
        strength=whole_number(entry.strength, 1, _MAX_COUNT, "strength"),
        uses=whole_number(entry.uses, 0, _MAX_COUNT, "uses"),
    )


def checked_id(value: Any, name: str) -> str:
    if not isinstance(value, str) or not is_entry_id(value):
        raise InvalidInput(f"{name} {shown(value)} is not an entry id")
    return value


def _foreign_ids(values: Sequence[Any], name: str) -> tuple[str, ...]:
    return tuple(checked_id(value, name) for value in checked_list(values, MAX_LINKS, name))


def _or_none(value: Any, check: Callable[[Any, str], str], name: str) -> str | None:
    return None if value is None else check(value, name)


T = TypeVar("T")

MAX_BATCH_ITEMS: Final = 5_000
_MAX_BATCH_CHARACTERS: Final = 2_000_000


def batches(items: Iterable[T], length: Callable[[T], int]) -> Iterator[list[T]]:
    """Group items, in their order, into batches of limited number and length.

    Larger batches write each index page fewer times; smaller ones need less memory and block
    other writers for a shorter time.
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
