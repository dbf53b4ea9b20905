"""Which lines of a note tell of a conversation? Those that a flush wrote: each carries its mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remem.core.lesson_mark import marks_in, without_marks
from remem.core.outline import lines_of

_LINE: Final = re.compile(
    r"[ \t]*[-*+•][ \t]+(?P<part>Happened|Learned|Why it matters|Decided|Next):[ \t]*(?P<text>.+)"
)


@dataclass(frozen=True, slots=True)
class Flushed:
    """A line of a flush; `part` says what it is: learned, decided, next and so on."""

    number: int
    part: str
    text: str


def flushed_lines(text: str) -> Iterator[Flushed]:
    """In their order. The head of a block, which only says when, has no part and is left out."""
    for number, line in enumerate(lines_of(text), 1):
        if not marks_in(line):
            continue
        match = _LINE.fullmatch(without_marks(line).rstrip())
        if match is not None:
            yield Flushed(number, match["part"], match["text"])
