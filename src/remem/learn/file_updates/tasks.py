"""Edit files that people write: append to a section, and update a task's line in place.

A task is found by its text, regardless of its checkbox, status or mark, even if a few words have
changed without making it a different task. New lines go to the end of their section or of the file.
Nothing else is moved or reformatted, and the file's line ends are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.files.domain_file.document import show
from remem.learn.file_updates.changes import SetTask
from remem.text.look_alike import same_statement
from remem.text.markdown import BULLET, CHECKBOX, Block, outline, raw_lines
from remem.text.marked_line import lesson_ids_in, lesson_mark, remove_lesson_marks
from remem.text.words import fold, words

_INDENTED: Final = re.compile(r"[ \t]{2,}\S")


def append_to_section(text: str, block: str, section: str, title: str) -> str:
    """The text with a block at the end of a section, which is created if there is none.

    `section` may list several names, separated by |; a new section gets the first.
    """
    names = section.split("|") if section else []
    if not text.strip("\ufeff \t\r\n"):
        heading = f"## {names[0]}\n\n" if names else ""
        return f"{text.strip()}# {title}\n\n{heading}{block}\n"
    lines = raw_lines(text)
    end = _end_of(outline(text), [fold(name) for name in names], len(lines)) if names else None
    if end is not None:
        return _insert(lines, end, block)
    if names:
        block = f"## {names[0]}\n\n{block}"
    return _insert(lines, len(lines), block)


def _end_of(blocks: Sequence[Block], names: Sequence[str], total: int) -> int | None:
    """The number of lines up to the end of the section with one of these names."""
    for index, block in enumerate(blocks):
        if block.kind == "heading" and fold(block.text) in names:
            ends = (
                other.start - 1
                for other in blocks[index + 1 :]
                if other.kind == "heading" and other.level <= block.level
            )
            return next(ends, total)
    return None


def _insert(lines: list[str], at: int, block: str) -> str:
    """The text with the block after the last line before `at` that is not blank."""
    while at and not lines[at - 1].strip():
        at -= 1
    ending = "\r\n" if any(line.endswith("\r\n") for line in lines[:1]) else "\n"
    before = "".join(lines[:at])
    if before and not before.endswith("\n"):
        before += ending
    last = lines[at - 1] if at else ""
    joins = BULLET.match(last) or _INDENTED.match(last)
    gap = "" if not last or (joins and BULLET.match(block)) else ending
    after = "".join(lines[at:])
    if after.strip() and not after.startswith(("\n", "\r\n")):
        after = ending + after
    return f"{before}{gap}{block.replace(chr(10), ending)}{ending}{after}"


_TASK_LINE: Final = re.compile(rf"(?P<lead>{BULLET.pattern})(?:{CHECKBOX.pattern})?(?P<rest>.*)")
_STATUS: Final = re.compile(r"[ \t]+— status: (?P<status>.+)$")
_DECORATION: Final = re.compile(r"\*\*|__|~~")
_CLOSED: Final = frozenset(
    """done finished completed complete closed resolved dropped cancelled canceled
    完成 已完成 取消 已取消 关闭 完了 済み 中止 erledigt fertig abgebrochen
    готово сделано выполнено отменено hecho terminado cancelado fait terminé annulé""".split()
)
_OPEN: Final = frozenset(
    "open todo reopened pending 待办 未完成 进行中 未着手 offen открыто pendiente ouvert".split()
)
_SHOWN_BY_CHECKBOX: Final = frozenset({"done", ""})


@dataclass(frozen=True, slots=True)
class State:
    """The state of a task; `status` is empty if the checkbox shows the whole state."""

    closed: bool
    status: str

    @classmethod
    def named(cls, status: str) -> State:
        word = fold(status)
        if not word or word in _OPEN:
            return cls(False, "")
        return cls(word in _CLOSED, "" if word in _SHOWN_BY_CHECKBOX else " ".join(status.split()))


@dataclass(frozen=True, slots=True)
class Task:
    """A line with a task; `old` is the line without its bullet."""

    line: int
    lead: str
    words: str
    state: State
    old: str


@dataclass(frozen=True, slots=True)
class Edit:
    """The new text, and the line that was replaced, if any."""

    text: str
    old: str | None = None


def set_task(text: str, change: SetTask) -> Edit:
    """The text with the task in its new state."""
    state, mark = State.named(change.status), lesson_mark(change.id)
    tasks = tasks_in(text)
    task = task_of(tasks, change)
    if task is None:
        line = f"- {_task_text(change.text, state)} {mark}"
        return Edit(append_to_section(text, line, change.section, change.title))
    if has_state(tasks, change):
        return Edit(text)
    lines = raw_lines(text)
    ending = lines[task.line][len(lines[task.line].rstrip("\r\n")) :]
    lines[task.line] = f"{task.lead}{_task_text(_new_words(task, change), state)} {mark}{ending}"
    return Edit("".join(lines), task.old)


def task_of(tasks: Sequence[Task], change: SetTask) -> Task | None:
    """The task that a change is about, by its earlier or its present text."""
    return find_task(tasks, change.replaces) or find_task(tasks, change.text)


def has_state(tasks: Sequence[Task], change: SetTask) -> bool:
    """Whether the task already has that state."""
    task = task_of(tasks, change)
    if task is None or task.state != State.named(change.status):
        return False
    return _new_words(task, change) == task.words


def state_id(tasks: Sequence[Task], change: SetTask) -> str:
    """The current state of the task's line, as part of the id of a change to it."""
    task = task_of(tasks, change)
    return "" if task is None else "|".join([task.old, *sorted(lesson_ids_in(task.old))])


def _new_words(task: Task, change: SetTask) -> str:
    """The new text of the task; a person's spelling is kept."""
    return task.words if fold(task.words) == fold(change.text) else change.text


def task_words(text: str) -> str:
    """The text of a task on one line, escaped so that it cannot be read as a status."""
    return " ".join(show(text).split()).replace("— status:", "- status:")


def find_task(tasks: Sequence[Task], wanted: str) -> Task | None:
    """The task with the same text, else the first with nearly the same."""
    if not wanted.strip():
        return None
    same = (task for task in tasks if fold(task.words) == fold(wanted))
    alike = (task for task in tasks if _is_same_task(task.words, wanted))
    return next(same, None) or next(alike, None)


def tasks_in(text: str) -> list[Task]:
    lines, tasks = raw_lines(text), []
    for block in outline(text):
        if block.kind != "bullet":
            continue
        match = _TASK_LINE.match(lines[block.start - 1].rstrip("\r\n"))
        if match is None:
            continue
        rest = remove_lesson_marks(match["rest"]).rstrip()
        status = _STATUS.search(rest)
        task = Task(
            line=block.start - 1,
            lead=match["lead"],
            words=rest[: status.start()] if status else rest,
            state=State((match["state"] or " ") not in " ", status["status"] if status else ""),
            old=match[0][len(match["lead"]) :],
        )
        tasks.append(task)
    return tasks


def _task_text(text: str, state: State) -> str:
    status = f" — status: {state.status}" if state.status else ""
    return f"[{'x' if state.closed else ' '}] {text}{status}"


def _is_same_task(one: str, other: str) -> bool:
    """Whether two texts are the same task; a different name or a negation makes it a new one."""
    left, right = (set(words(_DECORATION.sub("", text))) for text in (one, other))
    return same_statement(left, right)
