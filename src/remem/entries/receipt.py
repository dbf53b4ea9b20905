"""What does a memory that is said again add to what is known? Nothing is taken away.

What does keeping a memory need, and what is told of it? For who keeps none now, too.

What can a stranger's words not do, until the owner has confirmed them?

They are kept, but cannot command, cannot be critical, and cannot push trusted memory aside. What
was meant to have such a power waits without it, and gets it when the owner confirms it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from remem.errors import InvalidInput, shown
from remem.model.arguments import one_of
from remem.model.entry import CATEGORIES, PRIORITIES, Category, Draft, Entry, Origin, Priority
from remem.ports.entries import Reading, Transaction

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a memory; `redacted` names the kinds of secrets that were masked, and `hint`
    says how the owner can have them kept.

    What the owner has erased is not stored again: then `stored` is false, and `reason` says so.
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


@dataclass(frozen=True, slots=True)
class Remembering:
    """What storing needs beside the memory itself."""

    counter: TokenCounter
    topics: tuple[str, ...]
    random_bytes: Callable[[int], bytes]


_Memory = TypeVar("_Memory", Draft, Entry)
_INTENT: Final = "review intent "


@dataclass(frozen=True, slots=True)
class Intent:
    """What a memory that waits in review is to be once the owner has confirmed it."""

    category: Category
    priority: Priority
    drop_context: bool = False
    """The context says only why the memory is in doubt."""

    @classmethod
    def of(cls, memory: Draft | Entry) -> Intent:
        return cls(memory.category, memory.priority)

    @classmethod
    def read(cls, value: dict[str, object]) -> Intent:
        """From plain values, checked; the inverse of `asdict`."""
        return cls(
            one_of(value.get("category"), CATEGORIES, "category"),
            one_of(value.get("priority"), PRIORITIES, "priority"),
            value.get("drop_context") is True,
        )


def has_power(memory: Draft | Entry) -> bool:
    """Whether it commands or stands in every conversation."""
    return memory.category == "instruction" or memory.priority == "critical"


def keep_intent(tx: Transaction, id_: str, intent: Intent) -> None:
    """To be called in the transaction that stores the entry without its power."""
    tx.keep_note(_INTENT + id_, json.dumps(asdict(intent)))


def kept_intent(reading: Reading, id_: str) -> Intent | None:
    note = reading.note(_INTENT + id_)
    return Intent.read(json.loads(note)) if note else None


def drop_intent(tx: Transaction, id_: str) -> None:
    """The entry no longer waits."""
    if tx.note(_INTENT + id_):
        tx.keep_note(_INTENT + id_, "")


def as_intended(reading: Reading, entry: Entry) -> Entry:
    """The entry with the category and priority that confirming it would give it."""
    intent = kept_intent(reading, entry.id)
    if intent is None:
        return entry
    return replace(entry, category=intent.category, priority=intent.priority)


def confirmed(reading: Reading, entry: Entry) -> Entry:
    """The entry as the owner's: what it was meant to be, without the reason for the doubt."""
    intent = kept_intent(reading, entry.id)
    context = None if intent is not None and intent.drop_context else entry.context
    return replace(as_intended(reading, entry), trust="owner", context=context)


def refuse_power(draft: Draft) -> None:
    if draft.trust != "untrusted":
        return
    if has_power(draft):
        what = "an instruction" if draft.category == "instruction" else "critical"
        raise InvalidInput(
            f"an untrusted memory cannot be {what}: {shown(draft.content)}",
            hint="store it as a fact; `remem review` lets the owner confirm it",
        )


def refuse_replacement(tx: Transaction, draft: Draft) -> None:
    """To be asked inside the transaction that stores the draft."""
    if draft.trust != "untrusted" or not draft.supersedes:
        return
    for old in tx.by_ids(draft.supersedes).values():
        if old.entry.trust != "untrusted":
            raise InvalidInput(
                f"an untrusted memory cannot supersede {old.entry.id}, which is trusted",
                hint="store it beside it; `remem review` lets the owner confirm it",
            )


def unproved(entry: Entry) -> Entry:
    """An entry that comes from a file which anybody may have written: it speaks for the agent
    at most, and gives no orders."""
    trust = entry.trust if entry.trust == "untrusted" else "agent"
    return without_power(replace(entry, trust=trust))


def without_power(memory: _Memory) -> _Memory:
    """The memory as the strongest that an untrusted one may be."""
    return replace(
        memory,
        category="fact" if memory.category == "instruction" else memory.category,
        priority="high" if memory.priority == "critical" else memory.priority,
    )


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
