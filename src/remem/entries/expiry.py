"""Archive entries whose last day has passed; none is deleted."""

from __future__ import annotations

from typing import Final

from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Where
from remem.ports.state import ACTIVITY

_BATCH_SIZE: Final = 200


def is_expiry_due(snapshot: Snapshot, now: str) -> bool:
    """Return whether `expire` would change anything."""
    return _clock_went_back(snapshot, now) or bool(snapshot.select(_due(now), limit=1))


def expire(store: Store, now: str, topics: tuple[str, ...]) -> int:
    """Archive expired entries; return how many entries changed.

    If the clock has gone back since the last run, it was wrong then, and entries that expired too
    early are restored.
    """
    with store.read() as snapshot:
        if not is_expiry_due(snapshot, now):
            return 0
        gone_back = _clock_went_back(snapshot, now)
    count = store.write(lambda tx: _revive_early(tx, now, topics)) if gone_back else 0
    while batch := store.write(lambda tx: _archive_due(tx, now, topics)):
        count += batch
    return count


def _clock_went_back(snapshot: Snapshot, now: str) -> bool:
    return now < (snapshot.record(ACTIVITY, "expiry") or now)


def _due(now: str) -> Where:
    return Where(state="current", expires_until=now)


def _archive_due(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    from remem.entries.lifecycle import archive  # entries rarely expire

    due = tx.select(_due(now), limit=_BATCH_SIZE)
    for entry in due:
        archive(tx, entry, now, f"expired on {entry.expires_at}", topics, reason="expired")
    tx.put_record(ACTIVITY, "expiry", now)
    return len(due)


def _revive_early(tx: Transaction, now: str, topics: tuple[str, ...]) -> int:
    """Restore entries that were archived as expired, although they expire later than now."""
    from remem.entries.lifecycle import revise, unarchived  # the clock rarely goes back

    early = tx.select(Where(archived_as="expired", expires_after=now))
    for old in early:
        change = "restored: it had expired too early because the clock was wrong"
        revise(tx, unarchived(old), change, now=now, topics=topics)
    return len(early)
