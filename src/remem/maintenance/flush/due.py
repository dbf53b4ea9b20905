"""Was a flush interrupted? Asked at every opening, so it loads nothing that writes."""

from __future__ import annotations

from remem.maintenance.flush import ledger
from remem.maintenance.flush.job import Flushing
from remem.maintenance.flush.state import Telling, due_state


def is_due(job: Flushing) -> bool:
    """Whether somebody was interrupted: a change waits, or the state was not told."""
    with job.store.read() as snapshot:
        if ledger.waiting(snapshot):
            return True
    return due_state(telling(job)) is not None


def telling(job: Flushing) -> Telling:
    return Telling(job.store, job.layout, job.scope, job.announce)
