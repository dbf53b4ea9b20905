"""How does a turn read as a memory? As lines that know which line of the file they come from.

What is a transcript made of? Records, of which some are turns, and much that is skipped.

How are the records of a JSONL file read, however long or broken its lines are?

One line is held at a time, and none that is longer than `LONGEST`. Lines end at LF alone, so
that their numbers are those of every other program.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from remem.files import atomic

Role = Literal["user", "assistant"]
HostName = Literal["openclaw", "claude-code", "codex"]

Why = Literal[
    "too long",  # a line that no memory should hold at once
    "not utf-8",
    "not json",
    "wrong shape",  # a record that should have words but is built otherwise
    "other record",  # of a type that holds no words, known or not
    "tool",  # calls, their output, thinking
    "sub-agent",
    "host",  # what the host says to itself: heartbeats, schedules, events
    "memory",  # what a memory tool found: to store it again would feed memory to itself
    "empty",
    "repeated",  # an event that shows words which a message holds
]
Skipped = Counter[Why]


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of the file; `line` counts from 1."""

    line: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said, as one line of text, clean and without secrets.

    `layout` is the same with its line breaks, empty if there are none.
    """

    line: int
    role: Role
    text: str
    moment: str | None
    layout: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """How one host's transcripts are read.

    `recognises` says whether a record can only be of this host. `cwd` is the folder that a
    record says the agent worked in. `turns` never fails on a record: it counts what it skips.
    """

    host: HostName
    recognises: Callable[[dict[str, Any]], bool]
    cwd: Callable[[dict[str, Any]], str | None]
    turns: Callable[[Iterable[Record], Skipped], Iterator[Turn]]


LONGEST: Final = 8 * 2**20
_PIECE: Final = 2**16
_BOM: Final = b"\xef\xbb\xbf"


def records(path: Path, skipped: Skipped) -> Generator[Record, None, None]:
    """Every JSON object of the file; what is none is counted."""
    for number, line in lines(path, skipped):
        if record := parsed(number, line, skipped):
            yield record


def lines(path: Path, skipped: Skipped) -> Generator[tuple[int, bytes], None, None]:
    """Every line with its number, from 1; empty ones and those that are too long are left out."""
    with atomic.streamed(path) as file:
        number = 0
        while line := file.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST and not line.endswith(b"\n"):
                skipped["too long"] += 1
                _pass_over(file)
            elif not line.isspace():
                yield number, line.removeprefix(_BOM) if number == 1 else line


def parsed(number: int, line: bytes, skipped: Skipped) -> Record | None:
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError:
        skipped["not utf-8"] += 1
    except (ValueError, RecursionError):  # also numbers and nesting beyond all measure
        skipped["not json"] += 1
    else:
        if isinstance(value, dict):
            return Record(number, value)
        skipped["wrong shape"] += 1
    return None


def _pass_over(file: BinaryIO) -> None:
    """Read on to the end of the line without keeping it."""
    while piece := file.readline(_PIECE):
        if piece.endswith(b"\n"):
            return


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
