"""How does a turn read as a memory? As lines that know which line of the file they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remem.notes.transcripts.turns import Role, Turn

WIDTH: Final = 800
_LABELS: Final[dict[Role, str]] = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True)
class Line:
    """A rendered line; `line` is that of the file, so that a citation leads there."""

    text: str
    line: int
    role: Role
    moment: str | None


def rendered(turn: Turn) -> Iterator[Line]:
    """Each line says who speaks, also where a long turn goes on."""
    for piece in wrapped(turn.text):
        yield Line(f"{_LABELS[turn.role]}: {piece}", turn.line, turn.role, turn.moment)


def wrapped(text: str, width: int = WIDTH) -> Iterator[str]:
    """Pieces of at most `width` characters, cut at a space where there is one."""
    at = 0
    while len(text) - at > width:
        cut = text.rfind(" ", at + 1, at + width + 1)
        end = cut if cut > 0 else at + width
        yield text[at:end]
        at = end + 1 if cut > 0 else end
    if at < len(text):
        yield text[at:]
