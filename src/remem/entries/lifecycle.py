"""What becomes of an entry? It expires, is archived, confirmed or dismissed; never deleted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from remem.entries.receipt import confirmed, drop_intent
from remem.errors import UnknownEntry, shown
from remem.model.domain_routing import home_of
from remem.model.entry import Entry
from remem.ports.entries import Store, Transaction
from remem.ports.records import Located

_BATCH: Final = 200
_LAST: Final = "last_expiry"


def expire(store: Store, now: str, topics: tuple[str, ...]) -> int:
    """Archive what has expired; returns how many entries changed.

    A clock that went wrong must not cost a memory: when it has gone back since, what had
    expired too early stands again.
    """
    with store.read() as snapshot:
        gone_back = now < (snapshot.note(_LAST) or now)
        if not gone_back and not snapshot.due(now, 1):
            return 0
    changed = store.write(lambda tx: _revive(tx, now, topics)) if gone_back else 0
    while batch := store.write(lambda tx: _archive_due(tx, now, topics)):
        changed += batch
    return changed


def _archive_due(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    due = tx.due(now, _BATCH)
    for located in due:
        archive(tx, located, now, f"expired on {located.entry.expires_at}", topics)
    tx.keep_note(_LAST, now)
    return len(due)


def _revive(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    early = tx.expired_early(now)
    for old in early:
        new = replace(old.entry, archived=False, updated_at=now, version=old.entry.version + 1)
        tx.revise(old, new, home_of(new, topics), "had expired by a clock that was wrong")
    return len(early)


def archive(tx: Transaction, old: Located, now: str, change: str, topics: tuple[str, ...]) -> Entry:
    """Take an entry out of sight; it stays readable by its id, with its history."""
    new = replace(old.entry, archived=True, updated_at=now, version=old.entry.version + 1)
    tx.revise(old, new, home_of(new, topics), change)
    return new


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An entry that is out of sight; its words stay readable by its id, with its history."""

    id: str
    archived: bool
    version: int


def forget(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Forgotten:
    """Archive an entry; forgetting it again changes nothing."""
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
    gone = old.entry.archived and not tx.faded([old.row])  # what has faded could come back
    entry = old.entry if gone else archive(tx, old, now, "forgotten", topics)
    return Forgotten(id_, entry.archived, entry.version)


def confirm(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """The owner vouches for an untrusted entry: from now on it is theirs, and has the category
    and priority that it was meant to have."""
    old = _untrusted(tx, id_)
    new = replace(confirmed(tx, old.entry), updated_at=now, version=old.entry.version + 1)
    tx.revise(old, new, home_of(new, topics), "confirmed by the owner")
    drop_intent(tx, id_)
    return new


def dismiss(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Entry:
    """The owner does not want it: archived, and never confirmed."""
    gone = archive(tx, _untrusted(tx, id_), now, "dismissed by the owner", topics)
    drop_intent(tx, id_)
    return gone


def _untrusted(tx: Transaction, id_: str) -> Located:
    old = tx.by_ids([id_]).get(id_)
    if old is None or old.entry.trust != "untrusted" or old.entry.archived:
        raise UnknownEntry(
            f"no entry {shown(id_)} waits for review", hint="`remem review` lists what does"
        )
    return old
