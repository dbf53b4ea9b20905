"""Read and write the state of flushes, in the scope's database and in flush-state.json.

The database records each lesson in the transaction that plans its changes, the changes that are
still pending, and how far each conversation has been read. flush-state.json shows the last flush
and the pending items, and is written whenever they change. Main's file has the form that agents
expect; of the groups, it shows only the time of the latest flush. Each group has its own file.

Opening a workspace checks for an interrupted flush, so this module imports as little as possible.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.entries.notices import add_notice
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.scopes import latest_group_flush
from remem.model.scope import MAIN, Scope
from remem.ports import StoreDependencies
from remem.ports.state import ACTIVITY, Namespace

if TYPE_CHECKING:
    from remem.learn.file_updates.changes import Change
    from remem.ports.entries import EntryReader, Store, Transaction

_DIGEST: Final[Namespace[str]] = Namespace("flush file", str)
"""The digest of the state file as it was last written."""


@dataclass(frozen=True, slots=True)
class FlushContext:
    """The scope that is flushed, and its dependencies.

    `conversation` identifies the conversation, `project` names the project that it is about.
    """

    store: Store
    layout: Layout
    scope: Scope
    deps: StoreDependencies
    zone: tzinfo | None
    now: Callable[[], str]
    conversation: str = ""
    project: str | None = None

    def add_notice(self, text: str) -> None:
        self.store.write(lambda tx: add_notice(tx, self.now(), text))

    def exclusive(self) -> AbstractContextManager[None]:
        """Lock the files that a flush writes in this scope."""
        return exclusive_lock(self.layout.state_folder(self.scope) / "flush.lock")


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """The place where a lesson was written (a file, or the id of an entry), and the time."""

    home: str
    at: str


_LESSONS: Final[Namespace[LessonRecord]] = Namespace("lesson", LessonRecord)


def lesson_record(reader: EntryReader, id_: str) -> LessonRecord | None:
    """Return the record of a lesson that was written; None if it was not."""
    return reader.record(_LESSONS, id_)


def record_lesson(tx: Transaction, id_: str, record: LessonRecord) -> None:
    """Record that a lesson was written."""
    tx.put_record(_LESSONS, id_, record)


def pending_changes(reader: EntryReader) -> list[Change]:
    """Return the changes that no file contains yet, in the order in which they were planned."""
    return list(_pending_by_number(reader).values())


def _pending_by_number(reader: EntryReader) -> dict[str, Change]:
    if not reader.records(Namespace("flush change", dict)):
        return {}
    from remem.learn.file_updates.changes import PENDING  # rarely needed

    return reader.records(PENDING)


def add_pending(tx: Transaction, changes: Sequence[Change]) -> None:
    """Add changes to the pending ones, without duplicates."""
    from remem.learn.file_updates.changes import PENDING

    pending = tx.records(PENDING)
    pending_ids = {(change.file, change.id) for change in pending.values()}
    new = [change for change in changes if (change.file, change.id) not in pending_ids]
    first = int(next(reversed(pending), "0")) + 1
    for number, change in enumerate(dict.fromkeys(new), first):
        tx.put_record(PENDING, f"{number:08}", change)


def remove_pending(tx: Transaction, changes: Collection[Change]) -> None:
    """Remove changes from the pending ones."""
    from remem.learn.file_updates.changes import PENDING

    for number, change in tx.records(PENDING).items():
        if change in changes:
            tx.put_record(PENDING, number, None)


def move_files(tx: Transaction, new_path: Callable[[str], str]) -> None:
    """Give the files of pending changes and recorded lessons their new paths."""
    from remem.learn.file_updates.changes import PENDING, SetTask

    for number, change in tx.records(PENDING).items():
        moved = replace(change, file=new_path(change.file))
        if isinstance(moved, SetTask):
            moved = replace(moved, history=new_path(moved.history))
        tx.put_record(PENDING, number, moved)
    for id_, lesson in tx.records(_LESSONS).items():
        if (home := new_path(lesson.home)) != lesson.home:
            tx.put_record(_LESSONS, id_, replace(lesson, home=home))


def last_flush(reader: EntryReader) -> str | None:
    """Return the time of the scope's last flush, if there was one."""
    return reader.record(ACTIVITY, "flush")


def save_last_flush(tx: Transaction, now: str, reason: str) -> None:
    """Save the reason and time of the last flush.

    The time never goes backwards, even if the clock does.
    """
    tx.put_record(ACTIVITY, "flush", max(now, last_flush(tx) or now))
    tx.put_record(ACTIVITY, "flush reason", reason)


def write_state_file(context: FlushContext) -> None:
    """Write the state file if it is out of date; the caller holds the lock."""
    path = context.layout.flush_state_of(context.scope)
    atomic.refuse_links(context.layout.root, path)
    content = state_to_write(context)
    if content is not None:
        _write(context, path, content)


def _write(context: FlushContext, path: Path, content: bytes) -> None:
    """Write the file; what somebody else wrote to it is kept as a copy, with a notice."""
    from remem.files.rewrite import rewrite

    with context.store.read() as snapshot:
        saved_digest = snapshot.record(_DIGEST)

    def rewritten(latest: bytes | None) -> bytes:
        if latest not in (None, content) and atomic.digest(latest or b"") != saved_digest:
            copy = atomic.unused_path(context.layout.conflicts(context.scope), path.name)
            atomic.create(copy, latest or b"")
            name = context.layout.relative(copy)
            context.add_notice(f"{path.name} was rewritten; its earlier text is kept in {name}")
        return content

    rewrite(context.layout, path, rewritten, context.scope)
    context.store.write(lambda tx: tx.put_record(_DIGEST, "", atomic.digest(content)))


def state_to_write(context: FlushContext) -> bytes | None:
    """Return the bytes to write to the state file; None if it is up to date, or not needed.

    A file whose digest was not saved, because the write was interrupted, is written again.
    """
    with context.store.read() as snapshot:
        last, changes = last_flush(snapshot), pending_changes(snapshot)
        saved_digest = snapshot.record(_DIGEST)
    current = atomic.read(context.layout.flush_state_of(context.scope))
    content = _content(context, last, changes, current)
    if content is None or (content == current and atomic.digest(content) == saved_digest):
        return None
    return content


def _content(
    context: FlushContext, last: str | None, changes: Sequence[Change], current: bytes | None
) -> bytes | None:
    """Return the content that the file should have; None if there is nothing to show."""
    pending = [_pending_item(change) for change in changes]
    if context.scope == MAIN:
        groups = latest_group_flush(context.layout)
        if last is None and groups is None and not pending:
            return None
        old = _read_json(current)
        last, others = last or _earlier_flush_time(old), _items_of_agent(old)
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
    """Return the flush time that the agent wrote into the file before remem flushed main."""
    session = old.get("main_session") if isinstance(old, dict) else None
    time = session.get("last_flush_time") if isinstance(session, dict) else None
    return time if isinstance(time, str) else None


def _items_of_agent(old: Any) -> list[Any]:
    """Return the pending items that the agent wrote into the file, which are kept."""
    items = old.get("pending_items") if isinstance(old, dict) else None
    return [item for item in items if not _is_from_remem(item)] if isinstance(items, list) else []


def _is_from_remem(item: Any) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "text"}


def _pending_item(change: Change) -> dict[str, str]:
    from remem.learn.file_updates.changes import AddReference, AddRoute

    text = change.target if isinstance(change, AddReference | AddRoute) else change.text
    return {"file": change.file, "text": text}


def is_interrupted(context: FlushContext) -> bool:
    """Return whether changes of a flush or the state file still have to be written."""
    with context.store.read() as snapshot:
        if pending_changes(snapshot):
            return True
    return state_to_write(context) is not None
