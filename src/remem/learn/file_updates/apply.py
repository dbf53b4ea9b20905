"""Apply changes to files that people edit, one file at a time and atomically.

A person's latest save is read first and preserved; a change that a file already contains is not
made again. A task's earlier state is written to its history before it is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from time import sleep
from typing import TYPE_CHECKING, Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.rewrite import clean_up, rewrite
from remem.learn.file_updates.changes import (
    AddBullet,
    AddDayBlock,
    AddReference,
    AddRoute,
    Change,
    RecordFact,
    RetractFact,
    SetTask,
)
from remem.learn.file_updates.day_block import with_block, with_line
from remem.learn.file_updates.routing import add_routes
from remem.learn.file_updates.tasks import append_to_section, set_task
from remem.model.lesson import lesson_id
from remem.text.markdown import lines_of
from remem.text.marked_line import lesson_ids_in, lesson_mark

if TYPE_CHECKING:
    from remem.learn.flush.result import FlushContext

_EMPTY_FILE_DELAY: Final = 0.2
"""Seconds to wait before an empty file is read again, as somebody may be saving it."""


def write_changes(context: FlushContext, changes: Sequence[Change]) -> dict[Change, str]:
    """Apply every change; return those that failed, with the reason. The caller holds the lock."""
    failed: dict[Change, str] = {}
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        if isinstance(change, RecordFact | RetractFact):
            failed |= _write_fact(context, change)
        else:
            by_file.setdefault(change.file, []).append(change)
    for file, file_changes in by_file.items():
        try:
            superseded = _replaced_since(context, file_changes)
            new = [change for change in file_changes if change.id not in superseded]
            _write_file(context, file, partial(_apply_all, context, new))
        except RememError as error:
            failed |= dict.fromkeys(file_changes, str(error))
    return failed


def current_text(context: FlushContext, file: str) -> str:
    """A file's current text; empty if there is no file."""
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


def _write_file(context: FlushContext, file: str, edit: Callable[[str], str]) -> None:
    path = context.layout.root / file
    if current_text(context, file) == "" and path.exists():
        sleep(_EMPTY_FILE_DELAY)

    def change(latest: bytes | None) -> bytes | None:
        before = "" if latest is None else atomic.decode_text(latest, path)
        after = edit(before)
        return latest if after == before else after.encode()

    rewrite(context.layout, path, change, context.scope)
    for notice in clean_up(context.layout, path, _has_all_lines, context.scope):
        context.add_notice(notice)


def _apply_all(context: FlushContext, changes: Sequence[Change], text: str) -> str:
    """The text with all changes that it does not contain yet.

    The file is parsed once for each section and once for all routes.
    """
    known = lesson_ids_in(text)
    new = [change for change in changes if change.id not in known]
    text = add_routes(text, [change for change in new if isinstance(change, AddRoute)])
    for section, group in groupby(new, _section):
        if section is not None:
            bullets = [change.text for change in group if isinstance(change, AddBullet)]
            text = append_to_section(text, "\n".join(bullets), *section)
            continue
        for change in group:
            text = _apply(context, text, change)
    return text


def _section(change: Change) -> tuple[str, str] | None:
    """The section and title for a bullet; consecutive bullets of a section are written together."""
    return (change.section, change.title) if isinstance(change, AddBullet) else None


def _apply(context: FlushContext, text: str, change: Change) -> str:
    match change:
        case AddDayBlock():
            return with_block(text, change)
        case AddReference():
            if change.target in text:
                return text
            line = f"- {change.target} {lesson_mark(change.id)}"
            return append_to_section(text, line, change.section, change.title)
        case SetTask():
            edit = set_task(text, change)
            if edit.old is not None:
                _write_history(context, change, edit.old)
            return edit.text
        case _:  # routes and bullets are written together, facts by `_write_fact`
            return text


def _write_history(context: FlushContext, change: SetTask, old: str) -> None:
    """Write a task's old line, with its mark, into the history before it is replaced.

    The history of a group is a section of experience.md; that of main is the day's note.
    """
    id_ = lesson_id("was", change.id, old)
    line = f"- {change.day}: task was {old} {lesson_mark(id_)}"

    def edit(text: str) -> str:
        if id_ in lesson_ids_in(text):
            return text
        if change.history.endswith("/experience.md"):
            return append_to_section(text, line, "Task history", "Experience")
        return with_line(text, line, change.day)

    _write_file(context, change.history, edit)


def _replaced_since(context: FlushContext, changes: Sequence[Change]) -> frozenset[str]:
    """The ids of task states that were written and replaced before an interruption."""
    histories = {change.history for change in changes if isinstance(change, SetTask)}
    return frozenset().union(*(lesson_ids_in(current_text(context, file)) for file in histories))


def _has_all_lines(stray: bytes, current: bytes) -> bool:
    lines, known = (set(lines_of(data.decode(errors="replace"))) for data in (stray, current))
    return lines <= known
