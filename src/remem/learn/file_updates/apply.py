"""Apply changes to files that people edit, one file at a time and each atomically.

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
"""Seconds after which an empty file is read again: somebody may be saving it."""


def write_changes(job: FlushContext, changes: Sequence[Change]) -> dict[Change, str]:
    """Apply every change; return those that failed, with the reason. The caller holds the lock."""
    failed: dict[Change, str] = {}
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        if isinstance(change, RecordFact | RetractFact):
            failed |= _write_fact(job, change)
        else:
            by_file.setdefault(change.file, []).append(change)
    for file, own in by_file.items():
        try:
            made = _replaced_since(job, own)
            new = [change for change in own if change.id not in made]
            _write_file(job, file, partial(_apply_all, job, new))
        except RememError as error:
            failed |= dict.fromkeys(own, str(error))
    return failed


def current_text(job: FlushContext, file: str) -> str:
    """A file's current text; empty if there is no file."""
    path = job.layout.root / file
    atomic.refuse_links(job.layout.root, path)
    data = atomic.read(path, single_link=job.scope.kind != "main")
    return "" if data is None else atomic.decode_text(data, path)


def _write_fact(job: FlushContext, change: RecordFact | RetractFact) -> dict[Change, str]:
    # Imported here because few flushes contain facts.
    from remem.learn.file_updates.facts import record_change, retract_change

    try:
        if isinstance(change, RecordFact):
            record_change(job.layout, change)
        else:
            retract_change(job.layout, change)
    except RememError as error:
        return {change: str(error)}
    return {}


def _write_file(job: FlushContext, file: str, edit: Callable[[str], str]) -> None:
    path = job.layout.root / file
    if current_text(job, file) == "" and path.exists():
        sleep(_EMPTY_FILE_DELAY)

    def change(latest: bytes | None) -> bytes | None:
        before = "" if latest is None else atomic.decode_text(latest, path)
        after = edit(before)
        return latest if after == before else after.encode()

    rewrite(job.layout, path, change, job.scope)
    for notice in clean_up(job.layout, path, _has_all_lines, job.scope):
        job.add_notice(notice)


def _apply_all(job: FlushContext, changes: Sequence[Change], text: str) -> str:
    """The text with all changes that it does not contain yet; the file is parsed once for each
    section and once for all routes."""
    known = lesson_ids_in(text)
    new = [change for change in changes if change.id not in known]
    text = add_routes(text, [change for change in new if isinstance(change, AddRoute)])
    for section, group in groupby(new, _section):
        if section is not None:
            bullets = [change.text for change in group if isinstance(change, AddBullet)]
            text = append_to_section(text, "\n".join(bullets), *section)
            continue
        for change in group:
            text = _apply(job, text, change)
    return text


def _section(change: Change) -> tuple[str, str] | None:
    """Where a bullet goes: neighbouring ones of one section are written together."""
    return (change.section, change.title) if isinstance(change, AddBullet) else None


def _apply(job: FlushContext, text: str, change: Change) -> str:
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
                _write_history(job, change, edit.old)
            return edit.text
        case _:  # routes and bullets are written together, facts by `_write_fact`
            return text


def _write_history(job: FlushContext, change: SetTask, old: str) -> None:
    """Write a task's old line, with its mark, into the history before it is replaced.

    Groups have a section for it, a day's note has none.
    """
    id_ = lesson_id("was", change.id, old)
    line = f"- {change.day}: task was {old} {lesson_mark(id_)}"

    def edit(text: str) -> str:
        if id_ in lesson_ids_in(text):
            return text
        if change.history.endswith("/experience.md"):
            return append_to_section(text, line, "Task history", "Experience")
        return with_line(text, line, change.day)

    _write_file(job, change.history, edit)


def _replaced_since(job: FlushContext, changes: Sequence[Change]) -> frozenset[str]:
    """Changes whose state was written and already replaced before an interruption."""
    histories = {change.history for change in changes if isinstance(change, SetTask)}
    return frozenset().union(*(lesson_ids_in(current_text(job, file)) for file in histories))


def _has_all_lines(stray: bytes, current: bytes) -> bool:
    lines, known = (set(lines_of(data.decode(errors="replace"))) for data in (stray, current))
    return lines <= known
