"""Changes to files, as plain values that stay pending in the database until they are made.

A lesson is written as a bullet, escaped so that its text cannot break the file's structure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.files.domain_file.document import show
from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.text.marked_line import lesson_mark

ChangeKind = Literal["add", "note", "task", "refer", "route", "fact", "retract"]
"""add: a bullet in a section. note: lines of a day's note. task: a task's state. refer: a
reference to another file. route: a line in the gate that leads to a file. fact: a fact about the
entity `title`, of the kind `tier`, in the category `section`, said at `trigger`. retract: end
that fact."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one file, given by its path in the workspace.

    `id` marks the change in the file: if it is there, the change has been made. `text` is the
    bullet, the task, or the file that is referred to; `history` is the file for a task's earlier
    state.
    """

    id: str
    file: str
    do: ChangeKind
    text: str
    title: str = ""
    section: str = ""
    status: str = ""
    replaces: str = ""
    history: str = ""
    day: str = ""
    trigger: str = ""
    tier: str = ""
    lesson: str = ""


_STRUCTURE: Final = re.compile(r"(#{1,6}(?:\s|$)|`{3,}|~{3,}|\|)")
_DATED: Final = frozenset({"decision", "insight", "context"})
_MAX_ID_LENGTH: Final = 8
_MAX_NOTE_NAME_LENGTH: Final = 40
_UNSAFE: Final = re.compile(r"[^\w.~-]+")


def bullet(lesson: Lesson, day: str) -> str:
    """The lesson as a bullet of its file, with its mark."""
    dated = f"{day}: " if lesson.kind in _DATED else ""
    return (
        f"- {dated}{bullet_body(lesson.text)} {lesson_mark(lesson.id, short_origin(lesson.origin))}"
    )


def bullet_body(text: str) -> str:
    """The text with further lines indented, and escaped where it would be read as structure."""
    first, *rest = show(text).split("\n")
    return "\n".join([first, *(_continued(line) for line in rest)])


def _continued(line: str) -> str:
    escape = "\\" if _STRUCTURE.match(line.lstrip()) else ""
    return f"  {escape}{line.lstrip() if escape else line}".rstrip()


def short_origin(origin: Origin | None) -> str | None:
    """A lesson's origin, short enough for a file: `3f2a9c1e#L12`.

    The first characters are enough to identify a conversation, but not the day of a note.
    """
    if origin is None or origin.position is None:
        return None
    name, _, kind = origin.source.rpartition("/")[2].partition(".")
    length = _MAX_NOTE_NAME_LENGTH if kind == "md" else _MAX_ID_LENGTH
    return f"{_UNSAFE.sub('-', name)[:length] or 'said'}#L{origin.position}"
