"""What does a year do to a memory? A real workspace whose clock is an argument, week by week.

What is drawn is what ranking itself says of each memory: its signal, asked for with `why`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.entries.draft import Memory
from remem.files import atomic
from remem.search.rank.context import weights_for

WEEKS: Final = 52
_FIRST: Final = date(2026, 1, 1)
_SIGNAL: Final = "retention"
Events = dict[int, Callable[[Workspace, str], object]]


def _read(memory: Workspace, id_: str) -> object:
    return memory.recall(id_)


def _reinforce(memory: Workspace, id_: str) -> object:
    return memory.reinforce(id_)


@dataclass(frozen=True, slots=True)
class _Life:
    """One memory, and what happens to it in which week."""

    name: str
    memory: Memory
    events: Events


_LIVES: Final = (
    _Life(
        "instruction, never used",
        {"category": "instruction", "content": "At the harbour, always wear a vest."},
        {},
    ),
    _Life(
        "critical, never used",
        {"category": "fact", "content": "The harbour siren means leave.", "priority": "critical"},
        {},
    ),
    _Life(
        "medium, read every eight weeks",
        {"category": "fact", "content": "The harbour office opens at nine."},
        dict.fromkeys(range(8, WEEKS, 8), _read),
    ),
    _Life(
        "medium, reinforced once",
        {"category": "fact", "content": "The harbour crane lifts four tonnes."},
        {20: _reinforce},
    ),
    _Life(
        "medium, never used",
        {"category": "fact", "content": "The harbour wall was built of granite."},
        {},
    ),
    _Life(
        "low, read once",
        {"category": "fact", "content": "The harbour cat is called Otto.", "priority": "low"},
        {12: _read},
    ),
    _Life(
        "low, never used, asked for at last",
        {"category": "fact", "content": "The harbour kiosk sells maps.", "priority": "low"},
        {42: _read},
    ),
    _Life(
        "low, never used",
        {"category": "fact", "content": "The harbour bench was painted green.", "priority": "low"},
        {},
    ),
)


@dataclass(frozen=True, slots=True)
class Course:
    """What was left of a memory at the end of each week; None while it is archived."""

    name: str
    left: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Year:
    weeks: int
    courses: tuple[Course, ...]
    notices: tuple[str, ...]


def a_year() -> Year:
    """The same year, whenever it is lived."""
    with tempfile.TemporaryDirectory(prefix="remem-year-") as folder:
        atomic.create(Path(folder) / ".remem/config.toml", b'embedder = "none"\n')
        today = [_FIRST]
        with open_workspace(
            folder,
            background=False,
            clock=lambda: f"{today[0]}T12:00:00Z",
            random_bytes=Random(5).randbytes,
            environment={},
        ) as memory:
            return _lived(memory, today)


def _lived(memory: Workspace, today: list[date]) -> Year:
    ids = [memory.store(**life.memory).id for life in _LIVES]
    left: list[list[float | None]] = [[] for _ in ids]
    for week in range(WEEKS + 1):
        today[0] = _FIRST + timedelta(weeks=week)
        for life, id_ in zip(_LIVES, ids, strict=True):
            if event := life.events.get(week):
                event(memory, id_)
        memory.decay()
        signals = _signals(memory)
        for id_, course in zip(ids, left, strict=True):
            course.append(signals.get(id_))
    courses = (Course(life.name, tuple(course)) for life, course in zip(_LIVES, left, strict=True))
    return Year(WEEKS, tuple(courses), memory.status().health.notices)


def _signals(memory: Workspace) -> dict[str, float]:
    told = memory.recall("harbour", why=True).entries
    return {
        recalled.id: round(recalled.why[_SIGNAL] / weights_for(model=True)["note"][_SIGNAL], 2)
        for recalled in told
        if recalled.why and not recalled.archived
    }
