"""The state of flushes: in the scope's database, and derived from it in flush-state.json.

The database records each lesson in the transaction that plans its changes, the changes that are
still pending, and how far each conversation has been read. flush-state.json shows the last flush
and the pending items, and is rewritten whenever it differs. Main's file has the shape that agents
know and only the latest flush time of all groups; a group has its own file.

Every opening checks for an interrupted flush, so this module imports as little as possible.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.scopes import latest_group_flush
from remem.learn.flush.result import FlushContext
from remem.model.scope import MAIN, Scope

if TYPE_CHECKING:
    from remem.files.transcripts.reading import ReadPosition
    from remem.learn.file_updates.changes import Change
    from remem.ports.entries import EntryReader, Store, Transaction


_LESSON_KEY: Final = "lesson "
_CONVERSATION_KEY: Final = "flushed "
_PENDING_KEY: Final = "flush waiting"
_LAST_KEY: Final = "last_flush"
_REASON_KEY: Final = "last_flush_reason"
_DIGEST_KEY: Final = "flush told"


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """Where a lesson went: a file, or the id of an entry."""

    home: str
    at: str


def lesson_record(reader: EntryReader, id_: str) -> LessonRecord | None:
    value = reader.get_state(_LESSON_KEY + id_)
    return LessonRecord(**json.loads(value)) if value else None


def record_lesson(tx: Transaction, id_: str, record: LessonRecord) -> None:
    tx.put_state(_LESSON_KEY + id_, json.dumps(asdict(record), ensure_ascii=False))


def pending_changes(reader: EntryReader) -> list[Change]:
    """Changes that no file contains yet, in the order in which they were planned."""
    value = reader.get_state(_PENDING_KEY)
    if not value:
        return []
    from remem.learn.file_updates.changes import Change  # rarely needed

    return [Change(**load) for load in json.loads(value)]


def add_pending(tx: Transaction, changes: Sequence[Change]) -> None:
    """Add changes to the pending ones, each once."""
    known = pending_changes(tx)
    places = {(change.file, change.id) for change in known}
    new = [change for change in changes if (change.file, change.id) not in places]
    if new:
        _save_pending(tx, [*known, *dict.fromkeys(new)])


def remove_pending(tx: Transaction, changes: Collection[Change]) -> None:
    known = pending_changes(tx)
    remaining = [change for change in known if change not in changes]
    if remaining != known:
        _save_pending(tx, remaining)


def read_up_to(reader: EntryReader, source: str) -> ReadPosition | None:
    from remem.files.transcripts.reading import ReadPosition

    value = reader.get_state(_CONVERSATION_KEY + source)
    return ReadPosition(**json.loads(value)) if value else None


def save_read_position(tx: Transaction, source: str, mark: ReadPosition) -> None:
    tx.put_state(_CONVERSATION_KEY + source, json.dumps(asdict(mark)))


def last_flush(reader: EntryReader) -> str | None:
    return reader.get_state(_LAST_KEY)


def save_last_flush(tx: Transaction, now: str, reason: str) -> None:
    """Save the time and reason of the last flush; the latest time counts if the clock went back."""
    tx.put_state(_LAST_KEY, max(now, tx.get_state(_LAST_KEY) or now))
    tx.put_state(_REASON_KEY, reason)


def saved_state_digest(reader: EntryReader) -> str | None:
    """The digest of the state file as it was last written."""
    return reader.get_state(_DIGEST_KEY)


def save_state_digest(tx: Transaction, digest: str) -> None:
    tx.put_state(_DIGEST_KEY, digest)


def _save_pending(tx: Transaction, changes: Sequence[Change]) -> None:
    rows = [{name: value for name, value in asdict(change).items() if value} for change in changes]
    tx.put_state(_PENDING_KEY, json.dumps(rows, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class StateFile:
    """The state file of a scope; the caller holds its lock."""

    store: Store
    layout: Layout
    scope: Scope
    add_notice: Callable[[str], None]


def write_state_file(job: StateFile) -> None:
    """Write the state file if it is out of date, and remove leftovers of interrupted writes."""
    path = job.layout.flush_state_of(job.scope)
    atomic.refuse_links(job.layout.root, path)
    wanted = stale_state(job)
    if wanted is not None:
        _write(job, path, wanted)
    for stray in atomic.strays(path.parent):
        if stray.name.startswith(f".{path.name}."):
            atomic.remove(stray)


def _write(job: StateFile, path: Path, wanted: bytes) -> None:
    from remem.files.rewrite import rewrite

    with job.store.read() as snapshot:
        saved = saved_state_digest(snapshot)

    def change(latest: bytes | None) -> bytes:
        if latest not in (None, wanted) and atomic.digest(latest or b"") != saved:
            copy = atomic.unused_path(job.layout.conflicts(job.scope), path.name)
            atomic.create(copy, latest or b"")
            name = copy.relative_to(job.layout.root).as_posix()
            job.add_notice(f"{path.name} was rewritten; its earlier text is kept in {name}")
        return wanted

    rewrite(job.layout, path, change, job.scope)
    job.store.write(lambda tx: save_state_digest(tx, atomic.digest(wanted)))


def stale_state(job: StateFile) -> bytes | None:
    """The bytes that the state file should have; None if it has them, or needs none.

    They are also due if a write was interrupted before its digest was saved.
    """
    with job.store.read() as snapshot:
        last, changes = last_flush(snapshot), pending_changes(snapshot)
        saved = saved_state_digest(snapshot)
    now = atomic.read(job.layout.flush_state_of(job.scope))
    wanted = _text(job, last, changes, now)
    if wanted is None or (wanted == now and atomic.digest(wanted) == saved):
        return None
    return wanted


def _text(
    job: StateFile, last: str | None, changes: Sequence[Change], now: bytes | None
) -> bytes | None:
    """The file's bytes; None if there is nothing to write."""
    pending = [_pending(change) for change in changes]
    if job.scope == MAIN:
        groups = latest_group_flush(job.layout)
        if last is None and groups is None and not pending:
            return None
        last, others = last or _earlier_flush_time(now), _items_of_others(now)
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


def _earlier_flush_time(now: bytes | None) -> str | None:
    """The flush time in the file, from before remem flushed main itself."""
    try:
        time = json.loads(now or b"null")["main_session"]["last_flush_time"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return time if isinstance(time, str) else None


def _items_of_others(now: bytes | None) -> list[Any]:
    """Items that an agent wrote itself, which must stay."""
    try:
        items = json.loads(now or b"null")["pending_items"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []
    return [item for item in items if not _is_own(item)] if isinstance(items, list) else []


def _is_own(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "text"}


def _pending(change: Change) -> dict[str, str]:
    return {"file": change.file, "text": change.text}


def is_interrupted(job: FlushContext) -> bool:
    """Whether a flush was interrupted: a change is pending, or the state file is out of date."""
    with job.store.read() as snapshot:
        if pending_changes(snapshot):
            return True
    return stale_state(state_file(job)) is not None


def state_file(job: FlushContext) -> StateFile:
    return StateFile(job.store, job.layout, job.scope, job.add_notice)
