"""What can a stranger's words not do, until the owner has confirmed them?

They are kept, but cannot command, cannot be critical, and cannot push trusted memory aside. What
was meant to have such a power waits without it, and gets it when the owner confirms it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Final, TypeVar

from remem.core.entry import CATEGORIES, PRIORITIES, Category, Draft, Entry, Priority
from remem.core.values import one_of
from remem.errors import InvalidInput, shown
from remem.ports import Reading, Transaction

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
