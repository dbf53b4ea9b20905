"""The state of flushes: in the scope's database, and in flush-state.json, derived from it.

The database records each lesson in the transaction that plans its changes, the changes that are
still pending, and how far each conversation has been read. flush-state.json shows the last flush
and the pending items, and is rewritten whenever it differs. Main's file has the shape that agents
expect; about the groups, it shows only the latest flush time, and each group has its own file.

The first use of a workspace checks for an interrupted flush, so this module imports as little as
possible.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.entries.receipt import StoreDependencies
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.scopes import latest_group_flush
from remem.model.scope import MAIN, Scope

if TYPE_CHECKING:
    from remem.files.transcripts.reading import ReadPosition
    from remem.learn.file_updates.changes import Change
    from remem.ports.entries import EntryReader, Store, Transaction


@dataclass(frozen=True, slots=True)
class FlushContext:
    """What a flush needs from a scope; the scope's files are written under its lock."""

    store: Store
    layout: Layout
    scope: Scope
    deps: StoreDependencies
    zone: tzinfo | None
    now: Callable[[], str]
    conversation: str = ""
    project: str | None = None

    def add_notice(self, text: str) -> None:
        self.store.write(lambda tx: tx.add_notice(self.now(), text))

    def exclusive(self) -> AbstractContextManager[None]:
        return exclusive_lock(self.layout.state_folder(self.scope) / "flush.lock")


_LESSON_KEY: Final = "lesson "
_CONVERSATION_KEY: Final = "flushed "
_PENDING_KEY: Final = "flush change "
"""Each pending change has a row, numbered in the order of planning."""
_LAST_KEY: Final = "last_flush"
_REASON_KEY: Final = "last_flush_reason"
_DIGEST_KEY: Final = "flush told"  # a stored key, so the old name is kept


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """Where a lesson was written, a file or the id of an entry, and when."""

    home: str
    at: str


def lesson_record(reader: EntryReader, id_: str) -> LessonRecord | None:
    value = reader.get_state(_LESSON_KEY + id_)
    return LessonRecord(**json.loads(value)) if value else None


def record_lesson(tx: Transaction, id_: str, record: LessonRecord) -> None:
    tx.put_state(_LESSON_KEY + id_, json.dumps(asdict(record), ensure_ascii=False))


def pending_changes(reader: EntryReader) -> list[Change]:
    """Changes that no file contains yet, in the order in which they were planned."""
    return list(_pending_by_number(reader).values())


def _pending_by_number(reader: EntryReader) -> dict[str, Change]:
    rows = reader.get_states(_PENDING_KEY)
    if not rows:
        return {}
    from remem.learn.file_updates.changes import change_from_row  # rarely needed

    return {number: change_from_row(json.loads(row)) for number, row in sorted(rows.items())}


def add_pending(tx: Transaction, changes: Sequence[Change]) -> None:
    """Add changes to the pending ones, without duplicates."""
    known = _pending_by_number(tx)
    known_ids = {(change.file, change.id) for change in known.values()}
    new = [change for change in changes if (change.file, change.id) not in known_ids]
    if not new:
        return
    from remem.learn.file_updates.changes import change_to_row

    first = int(next(reversed(known), "0")) + 1
    for number, change in enumerate(dict.fromkeys(new), first):
        row = json.dumps(change_to_row(change), ensure_ascii=False)
        tx.put_state(f"{_PENDING_KEY}{number:08}", row)


def remove_pending(tx: Transaction, changes: Collection[Change]) -> None:
    for number, change in _pending_by_number(tx).items():
        if change in changes:
            tx.put_state(_PENDING_KEY + number, None)


def read_up_to(reader: EntryReader, source: str) -> ReadPosition | None:
    """How far a source has been read; None if it has not been read yet."""
    from remem.files.transcripts.reading import ReadPosition

    value = reader.get_state(_CONVERSATION_KEY + source)
    return ReadPosition(**json.loads(value)) if value else None


def save_read_position(tx: Transaction, source: str, position: ReadPosition) -> None:
    tx.put_state(_CONVERSATION_KEY + source, json.dumps(asdict(position)))


def last_flush(reader: EntryReader) -> str | None:
    return reader.get_state(_LAST_KEY)


def save_last_flush(tx: Transaction, now: str, reason: str) -> None:
    """Save the reason and time of the last flush; the time never goes backwards, even if the clock
    does."""
    tx.put_state(_LAST_KEY, max(now, tx.get_state(_LAST_KEY) or now))
    tx.put_state(_REASON_KEY, reason)


def write_state_file(context: FlushContext) -> None:
    """Write the state file if it is out of date; the caller holds the lock."""
    path = context.layout.flush_state_of(context.scope)
    atomic.refuse_links(context.layout.root, path)
    wanted = stale_state(context)
    if wanted is not None:
        _write(context, path, wanted)


def _write(context: FlushContext, path: Path, wanted: bytes) -> None:
    from remem.files.rewrite import rewrite

    with context.store.read() as snapshot:
        saved = snapshot.get_state(_DIGEST_KEY)

    def change(latest: bytes | None) -> bytes:
        if latest not in (None, wanted) and atomic.digest(latest or b"") != saved:
            copy = atomic.unused_path(context.layout.conflicts(context.scope), path.name)
            atomic.create(copy, latest or b"")
            name = context.layout.relative(copy)
            context.add_notice(f"{path.name} was rewritten; its earlier text is kept in {name}")
        return wanted

    rewrite(context.layout, path, change, context.scope)
    context.store.write(lambda tx: tx.put_state(_DIGEST_KEY, atomic.digest(wanted)))


def stale_state(context: FlushContext) -> bytes | None:
    """The bytes to write to the state file; None if it is up to date, or not needed.

    A file whose digest was not saved, because the write was interrupted, is written again.
    """
    with context.store.read() as snapshot:
        last, changes = last_flush(snapshot), pending_changes(snapshot)
        saved = snapshot.get_state(_DIGEST_KEY)
    now = atomic.read(context.layout.flush_state_of(context.scope))
    wanted = _text(context, last, changes, now)
    if wanted is None or (wanted == now and atomic.digest(wanted) == saved):
        return None
    return wanted


def _text(
    context: FlushContext, last: str | None, changes: Sequence[Change], now: bytes | None
) -> bytes | None:
    """The file's bytes; None if there is nothing to write."""
    pending = [_pending(change) for change in changes]
    if context.scope == MAIN:
        groups = latest_group_flush(context.layout)
        if last is None and groups is None and not pending:
            return None
        old = _read_json(now)
        last, others = last or _earlier_flush_time(old), _items_of_others(old)
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


def _read_json(data: bytes | None) -> Any:
    try:
        return json.loads(data or b"null")
    except (ValueError, RecursionError):
        return None


def _earlier_flush_time(old: Any) -> str | None:
    """The flush time that the agent itself wrote into the file, before remem flushed main."""
    session = old.get("main_session") if isinstance(old, dict) else None
    time = session.get("last_flush_time") if isinstance(session, dict) else None
    return time if isinstance(time, str) else None


def _items_of_others(old: Any) -> list[Any]:
    """Items that the agent itself wrote, which must be kept."""
    items = old.get("pending_items") if isinstance(old, dict) else None
    return [item for item in items if not _is_own(item)] if isinstance(items, list) else []


def _is_own(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "text"}


def _pending(change: Change) -> dict[str, str]:
    from remem.learn.file_updates.changes import change_to_row

    row = change_to_row(change)
    return {"file": row.get("file", ""), "text": row.get("text", "")}


def is_interrupted(context: FlushContext) -> bool:
    """Whether a flush was interrupted: a change is pending, or the state file is out of date."""
    with context.store.read() as snapshot:
        if pending_changes(snapshot):
            return True
    return stale_state(context) is not None
