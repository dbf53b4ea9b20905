"""Could this entry be one of ours? Checks one that comes whole, from an export or a file.

What is stored once is read again and again: a date that is none, or a name that is a number,
would break every answer that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any, Final

from remem.core.entry import TRUSTS, Entry
from remem.core.ids import is_entry_id
from remem.core.moments import moment
from remem.core.values import one_of, several, whole_number
from remem.errors import InvalidInput, shown
from remem.remember.draft import MOST_LINKS, Memory, checked_origin, clean_origin, draft
from remem.remember.powers import refuse_power

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
        related_to=_ids(entry.related_to, "related_to"),
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


def _ids(values: Sequence[Any], name: str) -> tuple[str, ...]:
    return tuple(checked_id(value, name) for value in several(values, MOST_LINKS, name))


def _or_none(value: Any, check: Callable[[Any, str], str], name: str) -> str | None:
    return None if value is None else check(value, name)
