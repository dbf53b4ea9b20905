"""The log of a shared space: who read, stored or changed what, and when.

A write commits together with its line. The uses of one hour are one record, so that a line costs
the same however long the log is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from remem.fast_dataclass import dataclass
from remem.ports.entries import EntryReader, Store, Transaction
from remem.ports.state import Namespace

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


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a space: `who` did something, with the entries `ids`."""

    at: str
    who: str
    action: Action
    ids: tuple[str, ...] = ()
    detail: str = ""


_USES: Final[Namespace[tuple[Use, ...]]] = Namespace("space use", tuple[Use, ...])
"""The uses of each hour."""
_HOUR_LENGTH: Final = len("2026-11-18T06")
_MAX_YEARS: Final = 2


def log_use(tx: Transaction, use: Use) -> None:
    """Add a line to the log, in the transaction of what it describes."""
    hour = use.at[:_HOUR_LENGTH]
    known = tx.record(_USES, hour)
    if known is None:
        _drop_old(tx, hour)
    tx.put_record(_USES, hour, (*(known or ()), use))


def _drop_old(tx: Transaction, hour: str) -> None:
    """Drop hours that are older than two years, when a new hour begins."""
    oldest = f"{int(hour[:4]) - _MAX_YEARS}{hour[4:]}"
    for old in tx.records(_USES):
        if old < oldest:
            tx.put_record(_USES, old, None)


def log_read(store: Store, use: Use) -> str | None:
    """Record that a space was read; returns why this was not possible, if it was not."""
    from remem.errors import StoreError

    try:
        store.write(lambda tx: log_use(tx, use))
    except StoreError as error:
        return f"this use of the space was not recorded: {error}"
    return None


def uses_of(reader: EntryReader) -> list[Use]:
    """Return every line of the log, oldest first."""
    return [use for hour in reader.records(_USES).values() for use in hour]


def short_list(ids: Iterable[str], limit: int = 8) -> str:
    """Return some ids in one line."""
    listed = list(ids)
    more = f" and {len(listed) - limit} more" if len(listed) > limit else ""
    return " ".join(listed[:limit]) + more
