"""The lifecycle of entries: they are reinforced, archived, restored, confirmed or dismissed.

None of this deletes an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from remem.entries.placement import save_version, update
from remem.entries.receipt import as_confirmed, drop_intent
from remem.errors import InvalidInput, NotAllowed, UnknownEntry, quoted
from remem.fast_dataclass import dataclass
from remem.model.entry import ArchiveReason, Entry
from remem.ports.entries import Transaction
from remem.ports.state import Namespace
from remem.text.timestamps import date_of


@dataclass(frozen=True, slots=True)
class UnfinishedErasure:
    """An erasure that was begun.

    `texts` are needed to clean copies of files, and are dropped before unused bytes of the database
    are overwritten. `entity` is that of a fact; None for an entry.
    """

    id: str
    texts: tuple[str, ...] = ()
    entity: str | None = None


ERASURES: Final[Namespace[UnfinishedErasure]] = Namespace("erasure", UnfinishedErasure)
"""Unfinished erasures, by the id of their entry or fact."""


def revise(tx: Transaction, new: Entry, change: str, *, now: str, topics: Sequence[str]) -> Entry:
    """Save a changed entry as its next version."""
    next_version = replace(new, updated_at=max(now, new.created_at), version=new.version + 1)
    save_version(tx, next_version, change, topics)
    return next_version


def archive(
    tx: Transaction,
    old: Entry,
    now: str,
    change: str,
    topics: tuple[str, ...],
    *,
    reason: ArchiveReason | None = None,
) -> Entry:
    """Archive an entry; it can still be read by its id, with its history."""
    archived_entry = replace(old, archived=True, archive_reason=reason)
    return revise(tx, archived_entry, change, now=now, topics=topics)


def unarchived(entry: Entry) -> Entry:
    """Return the entry as it is when it is active again."""
    return replace(entry, archived=False, archive_reason=None)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of forgetting an entry, which can still be read by its id."""

    id: str
    archived: bool
    version: int


def forget(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> ForgetReport:
    """Archive an entry; forgetting it again changes nothing."""
    old = tx.find([id_]).get(id_)
    if old is None:
        raise UnknownEntry.for_id(id_)
    # An entry that was archived for a reason, such as decay, could be restored automatically.
    is_forgotten = old.archived and old.archive_reason is None
    entry = old if is_forgotten else archive(tx, old, now, "forgotten", topics)
    return ForgetReport(id_, entry.archived, entry.version)


def confirm(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """Give an untrusted entry the owner's trust, and the intended category and priority."""
    confirmed_entry = as_confirmed(tx, _untrusted(tx, id_))
    new = revise(tx, confirmed_entry, "confirmed by the owner", now=now, topics=topics)
    drop_intent(tx, id_)
    return new


def dismiss(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """Archive an untrusted entry that the owner does not want."""
    archived_entry = archive(tx, _untrusted(tx, id_), now, "dismissed by the owner", topics)
    drop_intent(tx, id_)
    return archived_entry


def _untrusted(tx: Transaction, id_: str) -> Entry:
    old = tx.find([id_]).get(id_)
    if old is None or old.trust != "untrusted" or old.archived:
        raise UnknownEntry(
            f"no entry {quoted(id_)} waits for review",
            hint="`remem review` lists the entries that do",
        )
    return old


@dataclass(frozen=True, slots=True)
class ReinforceReport:
    """A reinforced entry.

    `revived` says that it had faded and is active again. `stale_on` is the day on which it will be
    archived unless it is used before then; None if it never will be.
    """

    id: str
    strength: int
    uses: int
    revived: bool
    stale_on: str | None


def reinforce(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> ReinforceReport:
    """Strengthen an entry that still matters; this counts as use."""
    old = tx.find([id_]).get(id_)
    if old is None:
        raise UnknownEntry.for_id(id_)
    revived = revive(tx, [old], now, topics, "reinforced") == [id_]
    current = tx.find([id_])[id_]
    _require_active(tx, current)
    update(tx, replace(current, strength=current.strength + 1))
    tx.record_use([id_], now, was_used=True)
    entry = tx.find([id_])[id_]
    from remem.model.decay import archive_day  # rarely needed

    stale_on = archive_day(entry, date_of(now))
    return ReinforceReport(
        id=id_,
        strength=entry.strength,
        uses=entry.uses,
        revived=revived,
        stale_on=stale_on.isoformat() if stale_on else None,
    )


def revive(
    tx: Transaction, entries: Iterable[Entry], now: str, topics: tuple[str, ...], why: str
) -> list[str]:
    """Restore those of the entries that have faded, and return their ids.

    Entries that a person archived, or that expired, stay archived.
    """
    faded = [entry for entry in entries if entry.faded]
    for entry in faded:
        change = f"had faded, and came back: {why}"
        revise(tx, unarchived(entry), change, now=now, topics=topics)
    return [entry.id for entry in faded]


def revive_read(tx: Transaction, ids: Sequence[str], now: str, topics: tuple[str, ...]) -> int:
    """Restore faded entries that were read by their ids, and return how many there were."""
    return len(revive(tx, tx.find(ids).values(), now, topics, "read by its id"))


def _require_active(tx: Transaction, entry: Entry) -> None:
    if entry.superseded_by:
        raise InvalidInput(
            f"{entry.id} was replaced by {entry.superseded_by}",
            hint=f"reinforce {entry.superseded_by}, or store the correct statement",
        )
    if entry.archived:
        change = tx.history(entry.id)[-1].change
        raise InvalidInput(
            f"{entry.id} was archived ({change})", hint="store it again if it is still needed"
        )
    if entry.trust == "untrusted":
        raise NotAllowed(
            f"{entry.id} is untrusted and waits for review",
            hint="the owner can confirm it with `remem review`",
        )
