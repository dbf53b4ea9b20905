"""Eight processes write one store: nothing is lost, and nobody waits for all the others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROCESSES, WRITES = 8, 60
NO_TURNS = """
from remem.stores.sqlite.turns import Turns
Turns.__enter__ = Turns.__exit__ = lambda self, *_: None
"""
PROGRAM = """
from tests.faults.many import main
main()
"""


def progress(folder: Path, program: str) -> list[int]:
    """How far each process was when the first one had finished; nowhere if one failed."""
    options = [str(folder), "--processes", str(PROCESSES), "--writes", str(WRITES)]
    command = [sys.executable, "-c", program, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return list(json.loads(result.stdout)) if result.returncode == 0 else [0]


def test_every_process_makes_progress_and_nothing_is_lost(tmp_path: Path) -> None:
    """The machine may stop a process for a while; it does not stop the same one each time."""
    fair = False
    for attempt in range(4):
        when_the_first_had_finished = progress(_made(tmp_path / str(attempt)), PROGRAM)
        assert max(when_the_first_had_finished) == WRITES
        fair = min(when_the_first_had_finished) >= WRITES // 3
        if fair:
            break

    assert fair


def test_without_turns_one_would_starve_the_others(tmp_path: Path) -> None:
    program = NO_TURNS + PROGRAM
    tries = (progress(_made(tmp_path / str(attempt)), program) for attempt in range(8))

    assert any(min(each) < WRITES // 3 for each in tries)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
