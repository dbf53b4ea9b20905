"""The log of a shared space: who read, stored or changed what, and when.

A write commits together with its line. The uses of one second are one record, so that adding a line
costs the same however long the log is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from remem.fast_dataclass import dataclass
from remem.model.erased_text import ErasedText
from remem.ports.entries import EntryReader, Store, Transaction
from remem.ports.state import ACTIVITY, Namespace

Action = Literal[
    "create",
    "grant",
    "revoke",
    "read",
    "store",
    "propose",
    "accept",
    "decline",
    "share",
    "unshare",
    "handle",
]
_TRIMMED: Final = "space log trimmed"
_MONTH_LENGTH: Final = len("2026-11")
_MAX_YEARS: Final = 2


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """One use of a space: `who` did something, with the entries `ids`."""

    at: str
    who: str
    action: Action
    ids: tuple[str, ...] = ()
    detail: str = ""


_USES: Final[Namespace[tuple[SpaceUse, ...]]] = Namespace("space use", tuple[SpaceUse, ...])
"""The uses of each second."""


def log_use(tx: Transaction, use: SpaceUse) -> None:
    """Add a line to the log, in the transaction of what it describes.

    Once a month, old lines are dropped.
    """
    month = use.at[:_MONTH_LENGTH]
    if tx.record(ACTIVITY, _TRIMMED) != month:
        _drop_old(tx, use.at)
        tx.put_record(ACTIVITY, _TRIMMED, month)
    tx.put_record(_USES, use.at, (*(tx.record(_USES, use.at) or ()), use))


def _drop_old(tx: Transaction, now: str) -> None:
    """Drop uses that are older than two years."""
    oldest = f"{int(now[:4]) - _MAX_YEARS}{now[4:]}"
    for old in tx.records(_USES):
        if old < oldest:
            tx.put_record(_USES, old, None)


def log_read(store: Store, use: SpaceUse) -> str | None:
    """Record that a space was read; return the reason if that was not possible."""
    from remem.errors import StoreError

    try:
        store.write(lambda tx: log_use(tx, use))
    except StoreError as error:
        return f"this use of the space was not recorded: {error}"
    return None


def forget_declined(tx: Transaction, erased_text: ErasedText) -> None:
    """Remove an erased text from the lines about declined proposals; their authors are kept."""
    for at, uses in tx.records(_USES).items():
        new_uses = tuple(
            _without_text(use, erased_text) if use.action == "decline" else use for use in uses
        )
        if new_uses != uses:
            tx.put_record(_USES, at, new_uses)


def _without_text(use: SpaceUse, erased_text: ErasedText) -> SpaceUse:
    author, _, text = use.detail.partition(": ")
    return replace(use, detail=f"{author}: (erased)") if erased_text.matches_line(text) else use


def uses_of(reader: EntryReader) -> list[SpaceUse]:
    """Return every line of the log, oldest first."""
    return [use for uses in reader.records(_USES).values() for use in uses]
