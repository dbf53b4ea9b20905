"""What has nobody looked at for a month? Entries, by their domain."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from remem.audit.result import Stale
from remem.core.moments import parsed, stamp
from remem.ports import Snapshot

UNUSED: Final = timedelta(days=30)


def stale(snapshot: Snapshot, now: str) -> list[Stale]:
    """Being listed in an answer counts as being seen; so does every change."""
    before = stamp(parsed(now) - UNUSED)
    found = [
        Stale(each.home, each.entries, each.tokens, each.last_access)
        for each in snapshot.unseen_since(before)
    ]
    return sorted(found, key=lambda each: -each.tokens)
