"""Edit files that people write: append to a section, and update a task's line in place.

A task is found by its text, whatever its checkbox, status or mark, even if a few words of it have
changed. New lines go to the end of their section or of the file. Nothing else is moved or
reformatted, and the file's line endings are kept.
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from remem.files.domain_file.document import show
from remem.learn.file_updates.changes import SetTask
from remem.text.labels import keys_by_label, label, labels, punctuation
from remem.text.look_alike import same_statement
from remem.text.markdown import BULLET, CHECKBOX, Block, outline, raw_lines
from remem.text.marked_line import lesson_ids_in, lesson_mark, remove_lesson_marks
from remem.text.words import fold, words

_INDENTED: Final = re.compile(r"[ \t]{2,}\S")

_TASK_LINE: Final = re.compile(rf"(?P<bullet>{BULLET.pattern})(?:{CHECKBOX.pattern})?(?P<rest>.*)")
_STATE_NAMES: Final = "|".join(map(re.escape, labels("state", "texts")))
_STATUS: Final = re.compile(rf"[ \t]+— (?:{_STATE_NAMES})[ \u00a0]?[:：][ \t]*(?P<status>.+)$")
_LIKE_STATUS: Final = re.compile(rf"—(?= (?:{_STATE_NAMES})[ \u00a0]?[:：])")
_DECORATION: Final = re.compile(r"\*\*|__|~~")
_CLOSED: Final = frozenset(
    """done finished completed complete closed resolved dropped cancelled canceled
    完成 已完成 取消 已取消 关闭 完了 済み 中止 erledigt fertig abgebrochen
    готово сделано выполнено отменено hecho terminado cancelado fait terminé annulé
    feito concluído 완료 취소""".split()
)
_OPEN: Final = frozenset(
    "open todo reopened pending 待办 未完成 进行中 未着手 offen открыто pendiente ouvert".split()
)
_SHOWN_BY_CHECKBOX: Final = frozenset({"", *labels("done", "texts")})
_STATES: Final = keys_by_label("blocked", "waiting", "in_progress", "cancelled", table="texts")
"""The states that are shown in the language of the file, by their name in any language."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """The state of a task; `status` is empty if the checkbox shows the whole state.

    A state that has a label in several languages is stored as the key of the label.
    """

    closed: bool
    status: str

    @classmethod
    def named(cls, status: str) -> TaskState:
        """Return the state that a word such as `done` names, in any of several languages."""
        word = fold(status)
        if word in _STATES:
            return cls(_STATES[word] == "cancelled", _STATES[word])
        if not word or word in _OPEN:
            return cls(closed=False, status="")
        return cls(word in _CLOSED, "" if word in _SHOWN_BY_CHECKBOX else " ".join(status.split()))

    def status_in(self, language: str) -> str:
        """Return the status as it is written in a language."""
        is_known = self.status in _STATES.values()
        return label(self.status, language, "texts") if is_known else self.status


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A line with a task.

    `bullet` is its beginning, `content` all that follows it, and `text` that part of the content
    which says what the task is.
    """

    line: int
    bullet: str
    text: str
    state: TaskState
    content: str


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    level: int
    name: str


@lru_cache(maxsize=8)
def _blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text; cached, because planning and writing read the same text."""
    return tuple(outline(text))


class TaskPage:
    """A text that is parsed once and then edited; line numbers count from 0."""

    def __init__(self, text: str) -> None:
        self._lines = raw_lines(text)
        self._headings: list[_Heading] = []
        self.tasks: list[TaskLine] = []
        for block in _blocks(text):
            if block.kind == "heading":
                self._headings.append(_Heading(block.start - 1, block.level, fold(block.text)))
            elif block.kind == "bullet":
                self._add_task(block.start - 1)

    @property
    def text(self) -> str:
        return "".join(self._lines)

    def append(self, block: str, section: str, title: str) -> None:
        """Add a block at the end of a section; if the section does not exist, it is created.

        `section` may list several names, separated by |; a new section gets the first one. `title`
        becomes the title of an empty file.
        """
        if not self.text.strip("\ufeff \t\r\n"):
            self._lines = [f"{self.text.strip()}# {title}\n"]
        names = section.split("|") if section else []
        end = self._end_of([fold(name) for name in names])
        if end is not None:
            self._insert(end, block.split("\n"))
            return
        heading = [f"## {names[0]}", ""] if names else []
        at = self._insert(len(self._lines), [*heading, *block.split("\n")])
        if names:
            self._headings.append(_Heading(at, 2, fold(names[0])))

    def set_task(self, change: SetTask) -> str | None:
        """Put a task into its new state; return the content of a line that was replaced."""
        state, mark = TaskState.named(change.status), lesson_mark(change.id)
        task = task_of(self.tasks, change)
        if task is None:
            line = f"- {_text_with_state(change.text, state, change.language)} {mark}"
            self.append(line, change.section, change.title)
            return None
        if has_state(self.tasks, change):
            return None
        old = self._lines[task.line]
        ending = old[len(old.rstrip("\r\n")) :]
        text = _text_with_state(_new_text(task, change), state, change.language)
        self._lines[task.line] = f"{task.bullet}{text} {mark}{ending}"
        self.tasks.remove(task)
        self._add_task(task.line)
        return task.content

    def _end_of(self, names: Sequence[str]) -> int | None:
        """Return the line after the section with one of these names; None if there is none."""
        for index, heading in enumerate(self._headings):
            if heading.name in names:
                following = self._headings[index + 1 :]
                ends = (other.line for other in following if other.level <= heading.level)
                return next(ends, len(self._lines))
        return None

    def _insert(self, at: int, block: Sequence[str]) -> int:
        """Insert lines after the last line before `at` that is not blank; return their position."""
        lines = self._lines
        while at and not lines[at - 1].strip():
            at -= 1
        ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        last = lines[at - 1] if at else ""
        if last and not last.endswith("\n"):
            lines[at - 1] += ending
        ends_list = BULLET.match(last) or _INDENTED.match(last)
        continues_list = ends_list and BULLET.match(block[0])
        blank_lines = 0 if not last or continues_list else 1
        new = [ending] * blank_lines + [f"{line}{ending}" for line in block]
        if any(line.strip() for line in lines[at:]) and lines[at] not in ("\n", "\r\n"):
            new.append(ending)
        lines[at:at] = new
        self._headings = [
            replace(heading, line=heading.line + len(new)) if heading.line >= at else heading
            for heading in self._headings
        ]
        self.tasks = [
            replace(task, line=task.line + len(new)) if task.line >= at else task
            for task in self.tasks
        ]
        first = at + blank_lines
        for number in range(first, first + len(block)):
            self._add_task(number)
        return first

    def _add_task(self, number: int) -> None:
        """Add the task that a line contains, if any, in the order of the lines."""
        match = _TASK_LINE.match(self._lines[number].rstrip("\r\n"))
        if match is None:
            return
        rest = remove_lesson_marks(match["rest"]).rstrip()
        status = _STATUS.search(rest)
        task = TaskLine(
            line=number,
            bullet=match["bullet"],
            text=rest[: status.start()] if status else rest,
            state=TaskState(match["state"] not in (None, " "), _key_or_text(status)),
            content=match[0][len(match["bullet"]) :],
        )
        insort(self.tasks, task, key=lambda task: task.line)


def _key_or_text(status: re.Match[str] | None) -> str:
    text = status["status"] if status else ""
    return _STATES.get(fold(text), text)


def task_of(tasks: Sequence[TaskLine], change: SetTask) -> TaskLine | None:
    """Return the task that a change is about, which may still have its earlier text."""
    return find_task(tasks, change.replaces) or find_task(tasks, change.text)


def has_state(tasks: Sequence[TaskLine], change: SetTask) -> bool:
    """Return whether the task already has the state and text that the change gives it."""
    task = task_of(tasks, change)
    if task is None or task.state != TaskState.named(change.status):
        return False
    return _new_text(task, change) == task.text


def state_id(tasks: Sequence[TaskLine], change: SetTask) -> str:
    """Return a string that differs for each state of the task's line; empty if there is no task."""
    task = task_of(tasks, change)
    if task is None:
        return ""
    return "|".join([remove_lesson_marks(task.content), *sorted(lesson_ids_in(task.content))])


def _new_text(task: TaskLine, change: SetTask) -> str:
    """Return the new text of the task; a person's spelling is kept."""
    return task.text if fold(task.text) == fold(change.text) else change.text


def task_text(text: str) -> str:
    """Return the text of a task on one line, escaped so that it cannot be read as a status."""
    return _LIKE_STATUS.sub("-", " ".join(show(text).split()))


def find_task(tasks: Sequence[TaskLine], text: str) -> TaskLine | None:
    """Return the task with the same text, or else the first with nearly the same text."""
    if not text.strip():
        return None
    same = (task for task in tasks if fold(task.text) == fold(text))
    alike = (task for task in tasks if _is_same_task(task.text, text))
    return next(same, None) or next(alike, None)


def _text_with_state(text: str, state: TaskState, language: str) -> str:
    name = f"{label('state', language, 'texts')}{punctuation(language).colon}"
    status = f" — {name}{state.status_in(language)}" if state.status else ""
    return f"[{'x' if state.closed else ' '}] {text}{status}"


def _is_same_task(first: str, other: str) -> bool:
    """Return whether two texts with nearly the same words are the same task.

    A different name or a negation makes a different task.
    """
    left, right = (set(words(_DECORATION.sub("", text))) for text in (first, other))
    return same_statement(left, right)
