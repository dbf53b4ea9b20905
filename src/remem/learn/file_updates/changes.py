"""How does a lesson read in a file? As a bullet that no words of its own can break."""

from __future__ import annotations

import re
from typing import Final

from remem.core.entry import Origin
from remem.core.lesson import Lesson
from remem.core.lesson_mark import lesson_mark
from remem.notes.domain_text import show

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
