"""How does the owner hear that something faded? In status, and once in the next start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.maintenance.decay.result import Faint
from remem.ports import Reading, Transaction

_NOTE: Final = "decay_notice"
"""What the next start has to tell; empty once it was told."""

_NAMED: Final = 3


def notice_of(stale: Sequence[Faint]) -> str:
    named = ", ".join(each.id for each in stale[:_NAMED])
    more = f" and {len(stale) - _NAMED} more" if len(stale) > _NAMED else ""
    count = "1 low memory" if len(stale) == 1 else f"{len(stale)} low memories"
    return (
        f"{count} faded, unused since {max(each.idle_since for each in stale)}: {named}{more}. "
        "Recall by id or memory_reinforce brings one back, `remem decay --undo` all"
    )


def tell(tx: Transaction, notice: str, now: str) -> None:
    tx.announce(now, notice)
    tx.keep_note(_NOTE, notice)


def untold(reading: Reading) -> str:
    return reading.note(_NOTE) or ""


def told_of(tx: Transaction) -> None:
    tx.keep_note(_NOTE, "")
