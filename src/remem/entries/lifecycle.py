"""The lifecycle of entries: they expire, are archived, confirmed or dismissed; never deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.receipt import as_confirmed, drop_intent
from remem.errors import UnknownEntry, shown
from remem.model.domain_routing import domain_stem
from remem.model.entry import Entry
from remem.ports.entries import Store, Transaction
from remem.ports.records import Located

_BATCH_SIZE: Final = 200
_LAST_EXPIRY_KEY: Final = "last_expiry"


def expire(store: Store, now: str, topics: tuple[str, ...]) -> int:
    """Archive what has expired; returns how many entries changed.

    If the clock has gone back since the last run, it was wrong: entries that expired too early
    are brought back.
    """
    with store.read() as snapshot:
        gone_back = now < (snapshot.get_state(_LAST_EXPIRY_KEY) or now)
        if not gone_back and not snapshot.due(now, 1):
            return 0
    changed = store.write(lambda tx: _revive(tx, now, topics)) if gone_back else 0
    while batch := store.write(lambda tx: _archive_due(tx, now, topics)):
        changed += batch
    return changed


def _archive_due(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    due = tx.due(now, _BATCH_SIZE)
    for located in due:
        archive(tx, located, now, f"expired on {located.entry.expires_at}", topics)
    tx.put_state(_LAST_EXPIRY_KEY, now)
    return len(due)


def _revive(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    early = tx.expired_early(now)
    for old in early:
        new = replace(old.entry, archived=False)
        revise(tx, old, new, "had expired by a clock that was wrong", now=now, topics=topics)
    return len(early)


def revise(
    tx: Transaction, old: Located, new: Entry, change: str, *, now: str, topics: Sequence[str]
) -> Entry:
    """Save `new` as the next version of an entry."""
    revised = replace(new, updated_at=max(now, new.created_at), version=old.entry.version + 1)
    tx.revise(old, revised, domain_stem(revised, topics), change)
    return revised


def archive(tx: Transaction, old: Located, now: str, change: str, topics: tuple[str, ...]) -> Entry:
    """Archive an entry; it stays readable by its id, with its history."""
    return revise(tx, old, replace(old.entry, archived=True), change, now=now, topics=topics)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of forgetting an entry, which stays readable by its id."""

    id: str
    archived: bool
    version: int


def forget(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> ForgetReport:
    """Archive an entry; forgetting it again changes nothing."""
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
    gone = old.entry.archived and not tx.faded([old.row])  # a faded entry could come back
    entry = old.entry if gone else archive(tx, old, now, "forgotten", topics)
    return ForgetReport(id_, entry.archived, entry.version)


def confirm(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """Give an untrusted entry the owner's trust, and the category and priority that it was meant
    to have."""
    old = _untrusted(tx, id_)
    new = revise(
        tx, old, as_confirmed(tx, old.entry), "confirmed by the owner", now=now, topics=topics
    )
    drop_intent(tx, id_)
    return new


def dismiss(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """Archive an untrusted entry that the owner does not want."""
    gone = archive(tx, _untrusted(tx, id_), now, "dismissed by the owner", topics)
    drop_intent(tx, id_)
    return gone


def _untrusted(tx: Transaction, id_: str) -> Located:
    old = tx.by_ids([id_]).get(id_)
    if old is None or old.entry.trust != "untrusted" or old.entry.archived:
        raise UnknownEntry(
            f"no entry {shown(id_)} waits for review", hint="`remem review` lists those that do"
        )
    return old
