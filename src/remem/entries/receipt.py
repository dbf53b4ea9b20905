"""The receipt of a stored memory, the limits of untrusted memory, and merging of repetitions.

Untrusted memory is stored, but it cannot be an instruction, cannot be critical and cannot
supersede trusted memory. An entry that was meant to be privileged waits for review without its
privileges, and gets them when the owner confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from remem.errors import InvalidInput, quoted
from remem.fast_dataclass import dataclass
from remem.model.arguments import MAX_TEXT_LENGTH
from remem.model.entry import PRIORITIES, Category, Draft, Entry, Origin, Priority
from remem.model.project import merge_tags
from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace

MAX_LINKS: Final = 1_000
"""At most this many tags, links and origins of an entry; a merge adds no more."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of storing a memory.

    `redacted` names the kinds of secrets that were masked; `hint` says how the owner can keep
    them. Text that the owner has erased is not stored again: `stored` is false and `reason` says
    why.
    """

    id: str
    category: str
    stored: bool
    deduplicated: bool
    token_cost: int
    version: int = 1
    superseded: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    hint: str | None = None


_Memory = TypeVar("_Memory", Draft, Entry)


@dataclass(frozen=True, slots=True)
class ReviewedFields:
    """The category and priority that an entry in review gets when the owner confirms it."""

    category: Category
    priority: Priority
    drop_context: bool = False
    """Whether the context only explains why the memory is in doubt."""

    @classmethod
    def from_memory(cls, memory: Draft | Entry) -> ReviewedFields:
        return cls(memory.category, memory.priority)


_INTENTS: Final[Namespace[ReviewedFields]] = Namespace("intent", ReviewedFields)


def is_privileged(memory: Draft | Entry) -> bool:
    """Return whether a memory is an instruction or is loaded in every conversation."""
    return memory.category == "instruction" or memory.priority == "critical"


def save_intent(tx: Transaction, id_: str, intent: ReviewedFields) -> None:
    """Save the intent of an entry, in the transaction that stores the entry."""
    tx.put_record(_INTENTS, id_, intent)


def read_intent(reader: EntryReader, id_: str) -> ReviewedFields | None:
    """Return the intent of an entry in review, if one was saved."""
    return reader.record(_INTENTS, id_)


def drop_intent(tx: Transaction, id_: str) -> None:
    """Remove the intent of an entry that is no longer in review."""
    tx.put_record(_INTENTS, id_, None)


def as_intended(reader: EntryReader, entry: Entry) -> Entry:
    """Return the entry with the category and priority that confirming it would give it."""
    intent = read_intent(reader, entry.id)
    if intent is None:
        return entry
    return replace(entry, category=intent.category, priority=intent.priority)


def as_confirmed(reader: EntryReader, entry: Entry) -> Entry:
    """Return the entry as it will be once confirmed: with the owner's trust and as intended.

    A context that only explains why it was in doubt is removed.
    """
    intent = read_intent(reader, entry.id)
    context = None if intent is not None and intent.drop_context else entry.context
    return replace(as_intended(reader, entry), trust="owner", context=context)


def refuse_privileges(draft: Draft) -> None:
    """Raise InvalidInput for an untrusted draft that is an instruction or critical."""
    if draft.trust == "untrusted" and is_privileged(draft):
        what = "an instruction" if draft.category == "instruction" else "critical"
        raise InvalidInput(
            f"an untrusted memory cannot be {what}: {quoted(draft.content)}",
            hint="store it as a fact; `remem review` lets the owner confirm it",
        )


def refuse_replacement(tx: Transaction, draft: Draft) -> None:
    """Raise InvalidInput if an untrusted draft would supersede a trusted entry.

    Call it in the transaction that stores the draft.
    """
    if draft.trust != "untrusted" or not draft.supersedes:
        return
    for old in tx.find(draft.supersedes).values():
        if old.trust != "untrusted":
            raise InvalidInput(
                f"an untrusted memory cannot supersede {old.id}, which is trusted",
                hint="store it without `supersedes`; `remem review` lets the owner confirm it",
            )


def lowered_to_agent(entry: Entry) -> Entry:
    """Return the entry with at most the agent's trust and no privileges.

    It is used for entries from a file that anybody may have written.
    """
    trust = entry.trust if entry.trust == "untrusted" else "agent"
    return without_privileges(replace(entry, trust=trust))


def without_privileges(memory: _Memory) -> _Memory:
    """Return the memory with a category and priority that untrusted memory may have."""
    return replace(
        memory,
        category="fact" if memory.category == "instruction" else memory.category,
        priority="high" if memory.priority == "critical" else memory.priority,
    )


def merge_draft(entry: Entry, draft: Draft) -> Entry:
    """Merge a draft of the same statement into an entry.

    Nothing is removed, but a statement of one project that is also made in another one becomes
    general. What would exceed the limits of an entry is not added.
    """
    higher = min(entry.priority, draft.priority, key=PRIORITIES.index)
    return replace(
        entry,
        priority=higher,
        context=_joined(entry.context, draft.context),
        tags=merge_tags(entry.tags, draft.tags)[:MAX_LINKS],
        related_to=merge_unique(entry.related_to, draft.related_to)[:MAX_LINKS],
        origins=_with_origin(entry.origins, draft.origin),
        expires_at=_later_expiry(entry.expires_at, draft.expires_at),
    )


def _later_expiry(old: str | None, new: str | None) -> str | None:
    """Return the later of two expiry dates; None if one of the statements does not expire."""
    return max(old, new) if old and new else None


def _joined(old: str | None, new: str | None) -> str | None:
    if not new or (old and new in old):
        return old
    joined = f"{old}\n{new}" if old else new
    return joined if len(joined) <= MAX_TEXT_LENGTH else old


def _with_origin(origins: tuple[Origin, ...], new: Origin | None) -> tuple[Origin, ...]:
    if new is None or new in origins:
        return origins
    return (*origins, new)[-MAX_LINKS:]


def merge_unique(first: Sequence[str], second: Iterable[str]) -> tuple[str, ...]:
    """Concatenate two sequences without duplicates."""
    return tuple(dict.fromkeys([*first, *second]))
