"""Notices for the owner, shown by `status`: what happened to their files and entries."""

from __future__ import annotations

from typing import Final

from remem.fast_dataclass import dataclass
from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace

_MAX_NOTICES: Final = 200


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice for the owner, and its time."""

    at: str
    text: str


_NOTICES: Final[Namespace[Notice]] = Namespace("notice", Notice)


def add_notice(tx: Transaction, at: str, text: str) -> None:
    """Add a notice, unless there is one with the same text; drop the oldest if there are many."""
    earlier = tx.records(_NOTICES)
    if any(notice.text == text for notice in earlier.values()):
        return
    number = int(next(reversed(earlier), "0")) + 1
    tx.put_record(_NOTICES, f"{number:08}", Notice(at, text))
    for key in list(earlier)[: max(0, len(earlier) + 1 - _MAX_NOTICES)]:
        tx.put_record(_NOTICES, key, None)


def latest_notices(reader: EntryReader, limit: int) -> list[str]:
    """Return the latest notices with their times, newest first."""
    notices = list(reader.records(_NOTICES).values())[-limit:]
    return [f"{notice.at} {notice.text}" for notice in reversed(notices)]
