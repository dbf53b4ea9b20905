"""Was a flush interrupted? Asked at every opening, so it loads nothing that writes.

What was flushed, and what still has to reach its file? Kept in the scope's own database.

A lesson is noted in the transaction that plans its changes, and stays noted. A change waits
there until its file shows it. A conversation's mark says how far it has been read.

What do flush-state.json files say? The last flush and what still waits: derived, and made
anew whenever it differs.

Main's has the shape that agents know. Of the groups it tells the latest time and no more; a
group's own state lies beside its own files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.scopes import latest_of_groups
from remem.learn.flush.result import Flushing
from remem.model.scope import MAIN, Scope

if TYPE_CHECKING:
    from remem.files.transcripts.reading import ReadUpTo
    from remem.learn.file_updates.changes import Change
    from remem.ports.entries import Reading, Store, Transaction


_LESSON: Final = "lesson "
_CONVERSATION: Final = "flushed "
_WAITING: Final = "flush waiting"
_LAST: Final = "last_flush"
_REASON: Final = "last_flush_reason"
_TOLD: Final = "flush told"


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a lesson went: a file, or the id of an entry."""

    home: str
    at: str


def noted(reading: Reading, id_: str) -> Noted | None:
    note = reading.note(_LESSON + id_)
    return Noted(**json.loads(note)) if note else None


def take_note(tx: Transaction, id_: str, where: Noted) -> None:
    tx.keep_note(_LESSON + id_, json.dumps(asdict(where), ensure_ascii=False))


def pending_changes(reading: Reading) -> list[Change]:
    """Changes that no file shows yet, in the order in which they were told."""
    note = reading.note(_WAITING)
    if not note:
        return []
    from remem.learn.file_updates.changes import Change  # asked at every opening, seldom so

    return [Change(**load) for load in json.loads(note)]


def wait_for(tx: Transaction, changes: Sequence[Change]) -> None:
    """Each change waits once, however often it is asked for."""
    known = pending_changes(tx)
    places = {(change.file, change.id) for change in known}
    new = [change for change in changes if (change.file, change.id) not in places]
    if new:
        _keep(tx, [*known, *dict.fromkeys(new)])


def done(tx: Transaction, changes: Collection[Change]) -> None:
    known = pending_changes(tx)
    left = [change for change in known if change not in changes]
    if left != known:
        _keep(tx, left)


def read_up_to(reading: Reading, source: str) -> ReadUpTo | None:
    from remem.files.transcripts.reading import ReadUpTo

    note = reading.note(_CONVERSATION + source)
    return ReadUpTo(**json.loads(note)) if note else None


def keep_read(tx: Transaction, source: str, mark: ReadUpTo) -> None:
    tx.keep_note(_CONVERSATION + source, json.dumps(asdict(mark)))


def last_flush(reading: Reading) -> str | None:
    return reading.note(_LAST)


def keep_last(tx: Transaction, now: str, reason: str) -> None:
    """The clock may have been set back: the last flush is the latest there was. Status tells it,
    and what brought it about."""
    tx.keep_note(_LAST, max(now, tx.note(_LAST) or now))
    tx.keep_note(_REASON, reason)


def last_written_state(reading: Reading) -> str | None:
    """The digest of the state file as it was last written."""
    return reading.note(_TOLD)


def keep_told(tx: Transaction, digest: str) -> None:
    tx.keep_note(_TOLD, digest)


def _keep(tx: Transaction, changes: Sequence[Change]) -> None:
    rows = [{name: value for name, value in asdict(change).items() if value} for change in changes]
    tx.keep_note(_WAITING, json.dumps(rows, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Telling:
    """Whose state is told; the caller is the only one who tells it now."""

    store: Store
    layout: Layout
    scope: Scope
    announce: Callable[[str], None]


def tell_state(job: Telling) -> None:
    """Write the state file if it does not say what is so. What a kill has left beside it goes in
    any case: what was to be told then may be so no more."""
    path = job.layout.flush_state_of(job.scope)
    atomic.refuse_links(job.layout.root, path)
    wanted = due_state(job)
    if wanted is not None:
        _tell(job, path, wanted)
    for stray in atomic.strays(path.parent):
        if stray.name.startswith(f".{path.name}."):
            atomic.remove(stray)


def _tell(job: Telling, path: Path, wanted: bytes) -> None:
    from remem.files.rewrite import rewrite

    with job.store.read() as snapshot:
        told = last_written_state(snapshot)

    def change(latest: bytes | None) -> bytes:
        if latest not in (None, wanted) and atomic.digest(latest or b"") != told:
            copy = atomic.unused(job.layout.conflicts(job.scope), path.name)
            atomic.create(copy, latest or b"")
            name = copy.relative_to(job.layout.root).as_posix()
            job.announce(f"{path.name} is made anew; what it said is kept in {name}")
        return wanted

    rewrite(job.layout, path, change, job.scope)
    job.store.write(lambda tx: keep_told(tx, atomic.digest(wanted)))


def due_state(job: Telling) -> bytes | None:
    """The bytes that the state file should have; None if it has them, or needs none.

    A kill may have come between writing them and noting that: then they are due once more.
    """
    with job.store.read() as snapshot:
        last, waiting = last_flush(snapshot), pending_changes(snapshot)
        told = last_written_state(snapshot)
    now = atomic.read(job.layout.flush_state_of(job.scope))
    wanted = _text(job, last, waiting, now)
    if wanted is None or (wanted == now and atomic.digest(wanted) == told):
        return None
    return wanted


def _text(
    job: Telling, last: str | None, waiting: Sequence[Change], now: bytes | None
) -> bytes | None:
    """The file's bytes; None where there is nothing to tell."""
    pending = [_pending(change) for change in waiting]
    if job.scope == MAIN:
        groups = latest_of_groups(job.layout)
        if last is None and groups is None and not pending:
            return None
        last, others = last or _told_by_others(now), _left_by_others(now)
        state: dict[str, Any] = {
            "groups": {"last_flush_time": groups},
            "main_session": {"last_flush_time": last},
            "pending_items": [*others, *pending],
        }
    elif last is None and not pending:
        return None
    else:
        state = {"last_flush_time": last, "pending_items": pending}
    return (json.dumps(state, ensure_ascii=False, indent=2) + "\n").encode()


def _told_by_others(now: bytes | None) -> str | None:
    """Whoever flushed main before remem did has left the time."""
    try:
        time = json.loads(now or b"null")["main_session"]["last_flush_time"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return time if isinstance(time, str) else None


def _left_by_others(now: bytes | None) -> list[Any]:
    """Items that an agent has put down itself; they are not ours to remove."""
    try:
        items = json.loads(now or b"null")["pending_items"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []
    return [item for item in items if not _is_ours(item)] if isinstance(items, list) else []


def _is_ours(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "text"}


def _pending(change: Change) -> dict[str, str]:
    return {"file": change.file, "text": change.text}


def is_due(job: Flushing) -> bool:
    """Whether somebody was interrupted: a change waits, or the state was not told."""
    with job.store.read() as snapshot:
        if pending_changes(snapshot):
            return True
    return due_state(telling(job)) is not None


def telling(job: Flushing) -> Telling:
    return Telling(job.store, job.layout, job.scope, job.announce)
