"""How are changes made to files that people edit? One file after another, each at once.

Whatever a person has saved is read first, and kept; a change that a file already shows is
not made again. A task's earlier state is written into its history before it is replaced.
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
from remem.learn.file_updates.routing import history_section, routed
from remem.learn.file_updates.tasks import added, set_task
from remem.model.lesson import lesson_id
from remem.model.scope import Scope
from remem.text.markdown import lines_of
from remem.text.marked_line import lesson_mark, marks_in

_OF_FACTS: Final = ("fact", "retract")
_HALF_SAVED: Final = 0.2
"""An empty file is looked at again after so many seconds: somebody may be saving it."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Whose files are written; the caller is the only one who writes them now."""

    layout: Layout
    scope: Scope
    announce: Callable[[str], None]

    def path(self, file: str) -> Path:
        return self.layout.root / file


def write(how: Writing, changes: Sequence[Change]) -> dict[Change, str]:
    """Make every change; those that could not be made, with the reason."""
    waiting: dict[Change, str] = {}
    facts = [change for change in changes if change.do in _OF_FACTS]
    for fact in facts:
        waiting |= _recorded(how, fact)
    for file, some in _by_file([change for change in changes if change not in facts]).items():
        try:
            _write_file(how, file, some, changes)
        except RememError as error:
            waiting |= dict.fromkeys(some, str(error))
    return waiting


def _recorded(how: Writing, change: Change) -> dict[Change, str]:
    # Few flushes have any.
    from remem.learn.file_updates.facts import record_change, retract_change

    try:
        (record_change if change.do == "fact" else retract_change)(how.layout, change)
    except RememError as error:
        return {change: str(error)}
    return {}


def text_now(how: Writing, file: str) -> str:
    """What a file says at present; nothing if there is none."""
    path = how.path(file)
    atomic.refuse_links(how.layout.root, path)
    data = atomic.read(path, sole_name=how.scope.kind != "main")
    return "" if data is None else atomic.text_of(data, path)


def _by_file(changes: Sequence[Change]) -> Mapping[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.file, []).append(change)
    return found


def _write_file(how: Writing, file: str, some: Sequence[Change], all_: Sequence[Change]) -> None:
    path = how.path(file)
    if text_now(how, file) == "" and path.exists():
        sleep(_HALF_SAVED)
    replaced = _replaced_since(how, some, all_)

    def change(latest: bytes | None) -> bytes | None:
        before = text = "" if latest is None else atomic.text_of(latest, path)
        for change in some:
            if change.id not in replaced:
                text = _applied(how, text, change)
        return latest if text == before else text.encode()

    rewrite(how.layout, path, change, how.scope)
    _tidy(how, path)


def _applied(how: Writing, text: str, change: Change) -> str:
    if change.id in marks_in(text):
        return text
    match change.do:
        case "add":
            return added(text, change.text, change.section, change.title)
        case "note":
            return with_block(text, change) if change.section else with_line(text, change)
        case "refer":
            return text if change.text in text else _referring(text, change)
        case "route":
            return routed(text, change)
        case "fact" | "retract":
            raise AssertionError("a fact is recorded by itself")
        case "task":
            edit = set_task(text, change)
            if edit.old is not None:
                _keep_state(how, change, edit.old)
            return edit.text


def _referring(text: str, change: Change) -> str:
    line = f"- {change.text} {lesson_mark(change.id)}"
    return added(text, line, change.section, change.title)


def _keep_state(how: Writing, change: Change, old: str) -> None:
    """The line as it was goes into the history, with its mark, before it is replaced."""
    id_ = lesson_id("was", change.id, old)
    line = f"- {change.day}: task was {old} {lesson_mark(id_)}"
    in_day = not history_section(change)
    kept = Change(
        id=id_,
        file=change.history,
        do="note" if in_day else "add",
        text=line,
        title=change.day if in_day else "Experience",
        section=history_section(change),
    )
    _write_file(how, change.history, [kept], [kept])


def _replaced_since(how: Writing, some: Sequence[Change], all_: Sequence[Change]) -> frozenset[str]:
    """States that were written, and replaced again, before a kill let anybody note it."""
    if not any(change.do == "task" for change in some):
        return frozenset()
    histories = {change.history for change in all_ if change.do == "task"}
    return frozenset().union(*(marks_in(text_now(how, history)) for history in histories))


def _tidy(how: Writing, path: Path) -> None:
    """A killed write leaves a file beside its place: it goes if all its lines stand in the
    file by now, and is kept where a person finds it if not."""
    strays = [
        stray for stray in atomic.strays(path.parent) if stray.name.startswith(f".{path.name}.")
    ]
    if not strays:
        return
    current = set(lines_of((atomic.read(path) or b"").decode(errors="replace")))
    for stray in strays:
        data = atomic.read(stray) or b""
        if set(lines_of(data.decode(errors="replace"))) <= current:
            atomic.settle(stray, atomic.digest(data))
            continue
        copy = atomic.unused(how.layout.conflicts(how.scope), path.name)
        atomic.set_aside(stray, copy)
        name = copy.relative_to(how.layout.root).as_posix()
        how.announce(f"a write of {path.name} was cut short; the bytes are kept in {name}")
