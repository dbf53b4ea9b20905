"""What can a stranger's words not do, until the owner has confirmed them?

They are kept, but cannot command, cannot be critical, and cannot push trusted memory aside.
"""

from __future__ import annotations

from dataclasses import replace

from remem.core.entry import Draft, Entry
from remem.errors import InvalidInput, shown
from remem.ports import Transaction


def refuse_power(draft: Draft) -> None:
    if draft.trust != "untrusted":
        return
    if draft.category == "instruction" or draft.priority == "critical":
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


def without_power(entry: Entry) -> Entry:
    """An entry as the strongest that a stranger's may be."""
    return replace(
        entry,
        category="fact" if entry.category == "instruction" else entry.category,
        priority="high" if entry.priority == "critical" else entry.priority,
    )
