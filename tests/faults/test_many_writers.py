"""Eight processes write one store: nothing is lost, and nobody waits for all the others."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

PROCESSES, WRITES = 8, 60
OFTEN = 1 / 4
"""With turns two of three entries have another's before them, without them one in forty."""
NO_TURNS = """
from remem.store.sqlite.process_lock import ProcessLock
ProcessLock.__enter__ = ProcessLock.__exit__ = lambda self, *_: None
"""
PROGRAM = """
from tests.faults.many import main
main()
"""


def handed_over(folder: Path, program: str) -> float:
    """How often the pen went from one process to another, per entry; never if one failed.

    This is no matter of speed: who waits for the pen waits in the kernel, and needs no
    processor's time to be the next.
    """
    options = [str(folder), "--processes", str(PROCESSES), "--writes", str(WRITES)]
    command = [sys.executable, "-c", program, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        return 0
    order = json.loads(result.stdout)
    assert len(order) == PROCESSES * WRITES
    return sum(one != next_ for one, next_ in pairwise(order)) / len(order)


def test_the_pen_goes_round_and_nothing_is_lost(tmp_path: Path) -> None:
    assert handed_over(tmp_path, PROGRAM) > OFTEN


def test_without_turns_one_would_keep_it_from_the_others(tmp_path: Path) -> None:
    tries = (handed_over(_made(tmp_path / str(n)), NO_TURNS + PROGRAM) for n in range(8))

    assert any(tried < OFTEN for tried in tries)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
