"""Of which kinds are lessons? The words that a tool offers."""

from __future__ import annotations

from typing import Final, Literal, get_args

LessonKind = Literal[
    "decision", "task", "person", "fact", "rule", "context", "preference", "insight"
]
LESSON_KINDS: Final[tuple[LessonKind, ...]] = get_args(LessonKind)
