"""Apply changes to files that people edit, one file at a time and each atomically.

A person's latest save is read first and preserved; a change that a file already contains is not
made again. A task's earlier state is written to its history before it is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rewrite import rewrite
from remem.learn.file_updates.changes import Change
from remem.learn.file_updates.day_block import with_block, with_line
from remem.learn.file_updates.routing import add_route, history_section
from remem.learn.file_updates.tasks import append_to_section, set_task
from remem.model.lesson import lesson_id
from remem.model.scope import Scope
from remem.text.markdown import lines_of
from remem.text.marked_line import lesson_ids_in, lesson_mark

_FACT_CHANGES: Final = ("fact", "retract")
_EMPTY_FILE_DELAY: Final = 0.2
"""Seconds after which an empty file is read again: somebody may be saving it."""


@dataclass(frozen=True, slots=True)
class FileWriter:
    """The scope whose files are written; the caller holds its lock."""

    layout: Layout
    scope: Scope
    add_notice: Callable[[str], None]

    def path(self, file: str) -> Path:
        return self.layout.root / file


def write_changes(writer: FileWriter, changes: Sequence[Change]) -> dict[Change, str]:
    """Apply every change; return those that failed, with the reason."""
    failed: dict[Change, str] = {}
    facts = [change for change in changes if change.do in _FACT_CHANGES]
    for fact in facts:
        failed |= _write_fact(writer, fact)
    for file, own in _by_file([change for change in changes if change not in facts]).items():
        try:
            _write_file(writer, file, own, changes)
        except RememError as error:
            failed |= dict.fromkeys(own, str(error))
    return failed


def _write_fact(writer: FileWriter, change: Change) -> dict[Change, str]:
    # Imported here because few flushes contain facts.
    from remem.learn.file_updates.facts import record_change, retract_change

    try:
        (record_change if change.do == "fact" else retract_change)(writer.layout, change)
    except RememError as error:
        return {change: str(error)}
    return {}


def current_text(writer: FileWriter, file: str) -> str:
    """A file's current text; empty if there is no file."""
    path = writer.path(file)
    atomic.refuse_links(writer.layout.root, path)
    data = atomic.read(path, single_link=writer.scope.kind != "main")
    return "" if data is None else atomic.decode_text(data, path)


def _by_file(changes: Sequence[Change]) -> Mapping[str, list[Change]]:
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    return by_file


def _write_file(
    writer: FileWriter, file: str, own: Sequence[Change], all_: Sequence[Change]
) -> None:
    path = writer.path(file)
    if current_text(writer, file) == "" and path.exists():
        sleep(_EMPTY_FILE_DELAY)
    replaced = _replaced_since(writer, own, all_)

    def change(latest: bytes | None) -> bytes | None:
        before = text = "" if latest is None else atomic.decode_text(latest, path)
        for change in own:
            if change.id not in replaced:
                text = _apply(writer, text, change)
        return latest if text == before else text.encode()

    rewrite(writer.layout, path, change, writer.scope)
    _tidy(writer, path)


def _apply(writer: FileWriter, text: str, change: Change) -> str:
    if change.id in lesson_ids_in(text):
        return text
    match change.do:
        case "add":
            return append_to_section(text, change.text, change.section, change.title)
        case "note":
            return with_block(text, change) if change.section else with_line(text, change)
        case "refer":
            return text if change.text in text else _add_reference(text, change)
        case "route":
            return add_route(text, change)
        case "fact" | "retract":
            raise AssertionError("facts are written by _write_fact")
        case "task":
            edit = set_task(text, change)
            if edit.old is not None:
                _write_history(writer, change, edit.old)
            return edit.text


def _add_reference(text: str, change: Change) -> str:
    line = f"- {change.text} {lesson_mark(change.id)}"
    return append_to_section(text, line, change.section, change.title)


def _write_history(writer: FileWriter, change: Change, old: str) -> None:
    """Write a task's old line, with its mark, into the history before it is replaced."""
    id_ = lesson_id("was", change.id, old)
    line = f"- {change.day}: task was {old} {lesson_mark(id_)}"
    in_day = not history_section(change)
    entry = Change(
        id=id_,
        file=change.history,
        do="note" if in_day else "add",
        text=line,
        title=change.day if in_day else "Experience",
        section=history_section(change),
    )
    _write_file(writer, change.history, [entry], [entry])


def _replaced_since(
    writer: FileWriter, own: Sequence[Change], all_: Sequence[Change]
) -> frozenset[str]:
    """Changes whose state was written and already replaced before an interruption."""
    if not any(change.do == "task" for change in own):
        return frozenset()
    histories = {change.history for change in all_ if change.do == "task"}
    return frozenset().union(
        *(lesson_ids_in(current_text(writer, history)) for history in histories)
    )


def _tidy(writer: FileWriter, path: Path) -> None:
    """Clean up temporary files of interrupted writes.

    A temporary file whose lines are all in the file is removed; otherwise it is kept among the
    conflicts.
    """
    strays = [
        stray for stray in atomic.strays(path.parent) if stray.name.startswith(f".{path.name}.")
    ]
    if not strays:
        return
    current = set(lines_of((atomic.read(path) or b"").decode(errors="replace")))
    for stray in strays:
        data = atomic.read(stray) or b""
        if set(lines_of(data.decode(errors="replace"))) <= current:
            atomic.remove_if_unchanged(stray, atomic.digest(data))
            continue
        copy = atomic.unused_path(writer.layout.conflicts(writer.scope), path.name)
        atomic.set_aside(stray, copy)
        name = copy.relative_to(writer.layout.root).as_posix()
        writer.add_notice(f"a write of {path.name} was cut short; the bytes are kept in {name}")
