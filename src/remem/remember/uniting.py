"""What does a memory that is said again add to what is known? Nothing is taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from remem.core.entry import PRIORITIES, Draft, Entry, Origin

_MOST_ORIGINS: Final = 1_000


def united_with(entry: Entry, draft: Draft) -> Entry:
    """The entry with what the draft adds to it: nothing is taken away."""
    higher = min(entry.priority, draft.priority, key=PRIORITIES.index)
    return replace(
        entry,
        priority=higher,
        context=_joined(entry.context, draft.context),
        tags=merged(entry.tags, draft.tags),
        related_to=merged(entry.related_to, draft.related_to),
        origins=_with_origin(entry.origins, draft.origin),
        expires_at=_longer(entry.expires_at, draft.expires_at),
    )


def _longer(old: str | None, new: str | None) -> str | None:
    """Said once without an end and once with one, it stays; of two ends, the later."""
    return max(old, new) if old and new else None


def _joined(old: str | None, new: str | None) -> str | None:
    if not new or (old and new in old):
        return old
    return f"{old}\n{new}" if old else new


def _with_origin(origins: tuple[Origin, ...], new: Origin | None) -> tuple[Origin, ...]:
    if new is None or new in origins:
        return origins
    return (*origins, new)[-_MOST_ORIGINS:]


def merged(first: Sequence[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *second]))
