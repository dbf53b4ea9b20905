"""Simulate a year of decay: a real workspace whose clock advances week by week.

What is shown is the retention that ranking itself uses, asked for with `why`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.entries.draft import Memory
from remem.files import atomic
from remem.search.rank.weights import weights_for

WEEKS: Final = 52
_FIRST: Final = date(2026, 1, 1)
_SIGNAL: Final = "retention"
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
Events = dict[int, Callable[[Workspace, str], object]]


def _read(memory: Workspace, id_: str) -> object:
    return memory.recall(id_)


def _reinforce(memory: Workspace, id_: str) -> object:
    return memory.reinforce(id_)


@dataclass(frozen=True, slots=True)
class _Story:
    """One memory, and what happens to it in which week."""

    name: str
    memory: Memory
    events: Events


_STORIES: Final = (
    _Story(
        "instruction, never used",
        {"category": "instruction", "content": "At the harbour, always wear a vest."},
        {},
    ),
    _Story(
        "critical, never used",
        {"category": "fact", "content": "The harbour siren means leave.", "priority": "critical"},
        {},
    ),
    _Story(
        "medium, read every eight weeks",
        {"category": "fact", "content": "The harbour office opens at nine."},
        dict.fromkeys(range(8, WEEKS, 8), _read),
    ),
    _Story(
        "medium, reinforced once",
        {"category": "fact", "content": "The harbour crane lifts four tonnes."},
        {20: _reinforce},
    ),
    _Story(
        "medium, never used",
        {"category": "fact", "content": "The harbour wall was built of granite."},
        {},
    ),
    _Story(
        "low, read once",
        {"category": "fact", "content": "The harbour cat is called Otto.", "priority": "low"},
        {12: _read},
    ),
    _Story(
        "low, never used, asked for at last",
        {"category": "fact", "content": "The harbour kiosk sells maps.", "priority": "low"},
        {42: _read},
    ),
    _Story(
        "low, never used",
        {"category": "fact", "content": "The harbour bench was painted green.", "priority": "low"},
        {},
    ),
)


@dataclass(frozen=True, slots=True)
class Course:
    """The retention of a memory at the end of each week; None while it is archived."""

    name: str
    left: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Year:
    weeks: int
    courses: tuple[Course, ...]
    notices: tuple[str, ...]


def simulate_year() -> Year:
    """Simulate the year; the result is always the same."""
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
            return _simulate(memory, today)


def _simulate(memory: Workspace, today: list[date]) -> Year:
    ids = [memory.store(**story.memory).id for story in _STORIES]
    left: list[list[float | None]] = [[] for _ in ids]
    for week in range(WEEKS + 1):
        today[0] = _FIRST + timedelta(weeks=week)
        for story, id_ in zip(_STORIES, ids, strict=True):
            if event := story.events.get(week):
                event(memory, id_)
        memory.maintenance.decay()
        signals = _signals(memory)
        for id_, course in zip(ids, left, strict=True):
            course.append(signals.get(id_))
    courses = (
        Course(story.name, tuple(course)) for story, course in zip(_STORIES, left, strict=True)
    )
    return Year(WEEKS, tuple(courses), memory.status().health.notices)


def _signals(memory: Workspace) -> dict[str, float]:
    entries = memory.recall("harbour", why=True).entries
    return {
        recalled.id: round(recalled.why[_SIGNAL] / weights_for(model=True)["note"][_SIGNAL], 2)
        for recalled in entries
        if recalled.why and not recalled.archived
    }


def lines(year: Year) -> Iterator[str]:
    """Yield a line of blocks for each memory; a dot is a week in which it was archived."""
    width = max(len(course.name) for course in year.courses)
    for course in year.courses:
        blocks = "".join("·" if left is None else _block(left) for left in course.left)
        last = course.left[-1]
        yield f"{course.name:<{width}}  {blocks}  {'archived' if last is None else f'{last:.2f}'}"


def _block(left: float) -> str:
    return _BLOCKS[min(len(_BLOCKS) - 1, max(0, round(left * len(_BLOCKS)) - 1))]
