"""Change an entry on the owner's request; the earlier wording stays in its history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remem.entries.draft import Memory, make_draft
from remem.entries.lifecycle import revise
from remem.errors import InvalidInput, NotAllowed, UnknownEntry
from remem.model.domain_routing import UNTRUSTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remem.model.entry import Category, Entry, Priority
    from remem.ports import StoreDependencies
    from remem.ports.entries import Transaction


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """New values for the fields of an entry; None leaves a field as it is."""

    content: str | None = None
    category: Category | None = None
    priority: Priority | None = None
    tags: Sequence[str] | None = None
    context: str | None = None
    expires: str | None = None


def edit(
    tx: Transaction, id_: str, changes: EntryChanges, now: str, deps: StoreDependencies
) -> Entry:
    """Save the next version of an entry and return it, unless nothing has changed.

    Secrets are masked, except those that the entry contains already.
    """
    old = tx.find([id_]).get(id_)
    if old is None:
        raise UnknownEntry.for_id(id_)
    _require_editable(old)
    memory = Memory(
        category=changes.category or old.category,
        content=old.content if changes.content is None else changes.content,
        context=changes.context or old.context,
        priority=changes.priority or old.priority,
        tags=old.tags if changes.tags is None else changes.tags,
        expires=changes.expires,
    )
    old_text = f"{old.content}\n{old.context or ''}"
    draft = make_draft(memory, "owner", now, keep_if_in=old_text)
    new = replace(
        old,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        expires_at=draft.expires_at or old.expires_at,
        token_estimate=deps.counter.count(draft.content),
    )
    if new == old:
        return old
    return revise(tx, new, "edited by the owner", now=now, topics=deps.topics)


def _require_editable(entry: Entry) -> None:
    if entry.trust == UNTRUSTED:
        raise NotAllowed(
            f"{entry.id} is waiting for review",
            hint=f"confirm it first: `remem review --confirm {entry.id}`",
        )
    if entry.superseded_by:
        raise InvalidInput(
            f"{entry.id} was replaced by {entry.superseded_by}",
            hint=f"edit {entry.superseded_by}",
        )
    if entry.archived:
        raise InvalidInput(f"{entry.id} is archived", hint="store the statement again")
