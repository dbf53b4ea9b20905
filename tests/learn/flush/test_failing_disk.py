"""No lesson is lost or written twice, whichever step of writing a file fails."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.errors import RememError
from remem.files import atomic
from tests.quick import borrowed_folder

GROUP = "agent:main:telegram:group:-100"
STEPS = ("write_temporary", "move_exclusive", "exchange", "sync_folder")
ITEMS = [
    {"kind": "decision", "text": "Beans go into bed 3."},
    {"kind": "task", "text": "Order seeds", "status": "done"},
    {"kind": "rule", "text": "Water before eight.", "topic": "watering"},
    {"kind": "person", "text": "Mara keeps the tools."},
]


class Killed(BaseException):
    """Passes through everything that handles errors, as a kill would."""


@contextmanager
def failing(at: int, error: Callable[[], BaseException]) -> Iterator[list[int]]:
    """The step with this number fails, and every later one: the disk is full, or all is over."""
    done = [0]
    whole = {name: getattr(atomic, name) for name in STEPS}

    def spoilt(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            done[0] += 1
            if done[0] >= at:
                raise error()
            return step(*given, **named)

        return run

    for name, step in whole.items():
        setattr(atomic, name, spoilt(step))
    try:
        yield done
    finally:
        for name, step in whole.items():
            setattr(atomic, name, step)


def opened(folder: Path, session: str) -> Workspace:
    return open_workspace(folder, session, background=False, counter=EstimatedCounter())


def lived(folder: Path, session: str, at: int, error: Callable[[], BaseException]) -> bool:
    """A flush on a failing disk, and one on a sound disk; whether anything failed."""
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/group_names.json").write_text('{"-100": "garden"}')
    memory = opened(folder, session)
    memory.flush([{"kind": "task", "text": "Order seeds"}])
    with failing(at, error) as done:
        with suppress(RememError, Killed):
            memory.flush(ITEMS)
        failed = done[0] >= at
    with suppress(RememError):
        memory.close()
    with opened(folder, session) as again:
        again.flush(ITEMS)
    return failed


def texts(folder: Path, session: str) -> str:
    place = folder / "memory" if session == "main" else folder / "memory/groups"
    derived = {"domains", "INDEX.md"}
    found = [path for path in place.rglob("*.md") if not derived & set(path.parts)]
    return "\n".join(file.read_text() for file in sorted(found))


ERRORS: dict[str, Callable[[], BaseException]] = {
    "full": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "broken": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "killed": Killed,
}


@pytest.mark.parametrize(
    ("session", "error"),
    [
        ("main", "full"),
        (GROUP, "killed"),
        pytest.param("main", "killed", marks=pytest.mark.slow),
        pytest.param("main", "broken", marks=pytest.mark.slow),
        pytest.param(GROUP, "full", marks=pytest.mark.slow),
        pytest.param(GROUP, "broken", marks=pytest.mark.slow),
    ],
)
def test_a_failing_step_loses_and_doubles_no_lesson(session: str, error: str) -> None:
    for at in count(1):
        with borrowed_folder() as folder:
            failed = lived(folder / "ws", session, at, ERRORS[error])

            found = texts(folder / "ws", session)
            where = f"step {at}"
            assert found.count("Beans go into bed 3.") == 1, where
            assert found.count("Mara keeps the tools.") == 1, where
            assert found.count("Water before eight.") == 1, where
            tasks = [line for line in found.splitlines() if "Order seeds" in line]
            told = [line for line in tasks if re.match(r"  - (?:Happened|Next): ", line)]
            assert len(told) == (2 if session == "main" else 0), where
            tasks = [line for line in tasks if line not in told]
            (task,) = [line for line in tasks if "task was" not in line]
            assert task.startswith("- [x]"), where
            assert len(tasks) == 2, where
            state = folder / "ws/memory"
            state = state if session == "main" else state / "groups/garden"
            assert json.loads((state / "flush-state.json").read_text())["pending_items"] == []
            strays = [path.name for path in (folder / "ws").rglob("*.remem-new")]
            assert [stray for stray in strays if not stray.startswith(".index")] == [], where
        if not failed:
            assert at > 10
            break
