"""What is a transcript made of? Records, of which some are turns, and much that is skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

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
