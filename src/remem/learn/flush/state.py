"""What do flush-state.json files say? The last flush and what still waits: derived, and made
anew whenever it differs.

Main's has the shape that agents know. Of the groups it tells the latest time and no more; a
group's own state lies beside its own files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remem.core.scope import MAIN, Scope
from remem.maintenance.flush import ledger
from remem.notes import files
from remem.notes.flush_state import latest_of_groups
from remem.notes.layout import Layout

if TYPE_CHECKING:
    from remem.maintenance.write_back.change import Change
    from remem.ports import Store


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
    files.refuse_links(job.layout.root, path)
    wanted = due_state(job)
    if wanted is not None:
        _tell(job, path, wanted)
    for stray in files.strays(path.parent):
        if stray.name.startswith(f".{path.name}."):
            files.remove(stray)


def _tell(job: Telling, path: Path, wanted: bytes) -> None:
    from remem.maintenance.rewriting import rewrite

    with job.store.read() as snapshot:
        told = ledger.told(snapshot)

    def change(latest: bytes | None) -> bytes:
        if latest not in (None, wanted) and files.digest(latest or b"") != told:
            copy = files.unused(job.layout.conflicts(job.scope), path.name)
            files.create(copy, latest or b"")
            name = copy.relative_to(job.layout.root).as_posix()
            job.announce(f"{path.name} is made anew; what it said is kept in {name}")
        return wanted

    rewrite(job.layout, path, change, job.scope)
    job.store.write(lambda tx: ledger.keep_told(tx, files.digest(wanted)))


def due_state(job: Telling) -> bytes | None:
    """The bytes that the state file should have; None if it has them, or needs none.

    A kill may have come between writing them and noting that: then they are due once more.
    """
    with job.store.read() as snapshot:
        last, waiting = ledger.last_flush(snapshot), ledger.waiting(snapshot)
        told = ledger.told(snapshot)
    now = files.read(job.layout.flush_state_of(job.scope))
    wanted = _text(job, last, waiting, now)
    if wanted is None or (wanted == now and files.digest(wanted) == told):
        return None
    return wanted


def _text(
    job: Telling, last: str | None, waiting: Sequence[Change], now: bytes | None
) -> bytes | None:
    """The file's bytes; None where there is nothing to tell."""
    pending = [_pending(each) for each in waiting]
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
    return [each for each in items if not _is_ours(each)] if isinstance(items, list) else []


def _is_ours(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "text"}


def _pending(change: Change) -> dict[str, str]:
    return {"file": change.file, "text": change.text}
