"""Apply changes to files that people edit, one file at a time and atomically.

What a person saved last is read first and preserved; a change that a file already contains is not
made again. The earlier state of a task is written to its history before it is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING, Final, TypeGuard

from remem.errors import RememError
from remem.files import atomic
from remem.files.rewrite import rewrite
from remem.learn.file_updates.changes import (
    AddBullet,
    AddDayBlock,
    AddHistory,
    AddReference,
    AddRoute,
    Change,
    RecordFact,
    RetractFact,
    SetTask,
)
from remem.learn.file_updates.day_block import append_to_note
from remem.learn.file_updates.routing import add_routes
from remem.learn.file_updates.tasks import TaskPage
from remem.model.lesson import lesson_id
from remem.text.labels import label, labels
from remem.text.marked_line import lesson_ids_in, lesson_mark, shorten_lesson_marks

if TYPE_CHECKING:
    from remem.learn.flush.state import FlushContext

FileChange = Change | AddHistory
_WAS: Final = "|".join(map(re.escape, labels("was", "texts")))
_HISTORY: Final = re.compile(rf"^\W{{0,8}}(?:\d{{4}}-\d\d-\d\d: )?(?:{_WAS}) .*$", re.MULTILINE)
"""A line of a task's history. The id alone does not show it: other lines of a note have it too."""
_EMPTY_FILE_DELAY: Final = 0.2
"""Seconds to wait before an empty file is read again, because somebody may be saving it."""


def write_changes(context: FlushContext, changes: Sequence[Change]) -> dict[Change, str]:
    """Apply every change; return those that failed, with the reason. The caller holds the lock."""
    problems: dict[Change, str] = {}
    by_file: dict[str, list[FileChange]] = {}
    for change in changes:
        if isinstance(change, RecordFact | RetractFact):
            problems |= _write_fact(context, change)
        else:
            by_file.setdefault(change.file, []).append(change)
    files_with_tasks = {change.file for change in changes if isinstance(change, SetTask)}
    for file in files_with_tasks:
        try:
            by_file[file] = _without_replaced(context, by_file[file])
            for history_line in _apply(current_text(context, file), by_file[file]).history:
                by_file.setdefault(history_line.file, []).append(history_line)
        except RememError as error:
            problems |= _failures(by_file.pop(file), error)
    # Files with tasks come last, so that a task's history is written before the task is changed.
    for file in sorted(by_file, key=files_with_tasks.__contains__):
        try:
            _write_file(context, file, by_file[file])
        except RememError as error:
            problems |= _failures(by_file[file], error)
    return problems


def _failures(changes: Sequence[FileChange], error: RememError) -> dict[Change, str]:
    return {change: str(error) for change in changes if not isinstance(change, AddHistory)}


def current_text(context: FlushContext, file: str) -> str:
    """Return a file's current text; empty if there is no file."""
    path = context.layout.root / file
    atomic.refuse_links(context.layout.root, path)
    data = atomic.read(path, single_link=context.scope.kind != "main")
    return "" if data is None else atomic.decode_text(data, path)


def _write_fact(context: FlushContext, change: RecordFact | RetractFact) -> dict[Change, str]:
    # Imported here because few flushes contain facts.
    from remem.learn.file_updates.facts import record_change, retract_change

    try:
        if isinstance(change, RecordFact):
            record_change(context.layout, change)
        else:
            retract_change(context.layout, change)
    except RememError as error:
        return {change: str(error)}
    return {}


def _write_file(context: FlushContext, file: str, changes: Sequence[FileChange]) -> None:
    path = context.layout.root / file
    if current_text(context, file) == "" and path.exists():
        sleep(_EMPTY_FILE_DELAY)

    def edited(latest: bytes | None) -> bytes | None:
        before = "" if latest is None else atomic.decode_text(latest, path)
        after = _apply(before, changes)
        # The history has already been written, unless a person has just edited the task.
        for history_line in after.history:
            _write_file(context, history_line.file, [history_line])
        return latest if after.text == before else after.text.encode()

    rewrite(context.layout, path, edited, context.scope)


@dataclass(frozen=True, slots=True)
class _ChangedText:
    """A text after the changes, and the lines of tasks that were replaced."""

    text: str
    history: Sequence[AddHistory] = ()


def _apply(text: str, changes: Sequence[FileChange]) -> _ChangedText:
    """Return the text of one file with all changes that it does not contain yet.

    A gate has only routes, and a day's note only blocks and history; other files have neither.
    """
    ids = lesson_ids_in(text)
    new = [change for change in changes if change.id not in ids]
    if not new:
        return _ChangedText(text)
    if routes := [change for change in new if isinstance(change, AddRoute)]:
        return _ChangedText(add_routes(text, routes))
    if note_changes := [change for change in new if _is_for_note(change)]:
        return _ChangedText(append_to_note(text, note_changes))
    page, history = TaskPage(shorten_lesson_marks(text)), list[AddHistory]()
    for change in new:
        match change:
            case AddBullet():
                page.append(change.text, change.section, change.title)
            case AddReference() if change.target not in page.text:
                link = f"[{change.name}]({change.target})" if change.name else change.target
                line = f"- {link} {lesson_mark(change.id)}"
                page.append(line, change.section, change.title)
            case AddHistory():
                sections = dict.fromkeys(
                    (label("task_history", change.language), *labels("task_history"))
                )
                page.append(change.text, "|".join(sections), label("experience", change.language))
            case SetTask():
                if (old := page.set_task(change)) is not None:
                    history.append(_history_line(change, old))
    return _ChangedText(page.text, history)


def _is_for_note(change: FileChange) -> TypeGuard[AddDayBlock | AddHistory]:
    """Return whether a change is for a day's note, which also has the history of main's tasks."""
    if isinstance(change, AddHistory):
        return not change.file.endswith("/experience.md")
    return isinstance(change, AddDayBlock)


def _history_line(change: SetTask, old: str) -> AddHistory:
    """Return the change that keeps a task's old line in its history, with a mark."""
    id_ = lesson_id("was", change.id, old)
    was = label("was", change.language, "texts")
    line = f"- {change.day}: {was} {old} {lesson_mark(id_)}"
    return AddHistory(id_, change.history, line, change.day, change.language)


def _without_replaced(context: FlushContext, changes: Sequence[FileChange]) -> list[FileChange]:
    """Return the changes, without task states that were already replaced by later ones.

    Such a change is still pending if a flush was interrupted.
    """
    histories = {change.history for change in changes if isinstance(change, SetTask)}
    lines = [line for file in histories for line in _HISTORY.findall(current_text(context, file))]
    replaced = lesson_ids_in("\n".join(lines))
    return [change for change in changes if change.id not in replaced]
