"""How does a lesson read in a file? As a bullet that no words of its own can break.

What is to be done to a file? Plain values that wait in the database until it is done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.files.domain_file.document import show
from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.text.marked_line import lesson_mark

Deed = Literal["add", "note", "task", "refer", "route", "fact", "retract"]
"""add: a bullet in a section. note: what a day's note tells of it. task: a task's state.
refer: name another file. route: a line in the gate that leads to a file. fact: a fact of the
entity that `title` names, of the kind `tier`, in the category `section`, said at `trigger`.
retract: that fact stands no longer."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file, by its path in the workspace.

    `id` is what the change leaves in the file: where it stands already, all is done. `text`
    is the bullet, the task, or the file that is named; `history` is the file that a task's
    earlier state goes to.
    """

    id: str
    file: str
    do: Deed
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
_SHORT: Final = 8
_LONG: Final = 40
_UNFIT: Final = re.compile(r"[^\w.~-]+")


def bullet(lesson: Lesson, day: str) -> str:
    """The lesson as a bullet of its file, with its mark."""
    dated = f"{day}: " if lesson.kind in _DATED else ""
    return f"- {dated}{body(lesson.text)} {lesson_mark(lesson.id, place(lesson.origin))}"


def body(text: str) -> str:
    """The words, further lines indented; what would be read as structure is escaped."""
    first, *rest = show(text).split("\n")
    return "\n".join([first, *(_continued(line) for line in rest)])


def _continued(line: str) -> str:
    escape = "\\" if _STRUCTURE.match(line.lstrip()) else ""
    return f"  {escape}{line.lstrip() if escape else line}".rstrip()


def place(origin: Origin | None) -> str | None:
    """Where a lesson comes from, short enough to stand in a file: `3f2a9c1e#L12`. The first
    characters tell conversations apart; of a note they would not tell the day."""
    if origin is None or origin.position is None:
        return None
    name, _, kind = origin.source.rpartition("/")[2].partition(".")
    longest = _LONG if kind == "md" else _SHORT
    return f"{_UNFIT.sub('-', name)[:longest] or 'said'}#L{origin.position}"
