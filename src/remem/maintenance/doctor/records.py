"""What does an examination of a database mean for its owner?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.ports import Examined

_NAMED: Final = 8


def judged(found: Examined, scope: str, part: str, now: str) -> Iterator[Finding]:
    """The findings of one database."""
    if found.structure:
        yield Finding(
            scope,
            part,
            "damage",
            f"the file is not sound: {_some(found.structure)}",
            "entries may be unreadable; nothing is written to it any more",
            f"{REPAIR} builds a sound one beside it and keeps this one",
        )
    if found.damaged:
        yield Finding(
            scope,
            part,
            "damage",
            f"{len(found.damaged)} records are not what was written: {_some(found.damaged)}",
            "a byte has changed on the disk; these entries are left out of answers",
            f"{REPAIR} heals them from their domain files or their history, or names them",
        )
    if found.damaged_history:
        yield Finding(
            scope,
            part,
            "damage",
            f"earlier versions of {_some(found.damaged_history)} are not what was written",
            "a byte has changed on the disk; the present wordings are not concerned",
            f"{REPAIR} heals what a single byte has spoiled, and names the rest",
        )
    for text in found.derived:
        yield Finding(
            scope,
            part,
            "drift",
            text,
            "search may miss entries; no entry is lost",
            f"{REPAIR} makes it anew from the entries",
        )
    if found.newest is not None and found.newest > now:
        yield Finding(
            scope,
            part,
            "notice",
            f"an entry was changed at {found.newest}, and now it is {now}",
            "this machine's clock is behind, or was ahead; order and expiry rely on it",
            "set the clock; entries keep their order all the same",
        )


def _some(texts: Sequence[str]) -> str:
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")
