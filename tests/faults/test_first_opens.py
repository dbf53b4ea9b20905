"""Sixteen processes find no store, and all of them have one a moment later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_many_processes_open_a_new_store_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.faults.opens", str(tmp_path)]
    options = ["--processes", "16", "--rounds", "4"]
    result = subprocess.run([*command, *options], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    assert result.stdout == "4 rounds of 16\n"


WATCHED = """
import os, time
from remem.store.sqlite import database
from tests.faults import opens
build = database.open_for_writing

def watched(path, *given):
    # The process that builds the store leaves a mark for as long as that takes.
    mark = path.with_name(f"building-{os.getpid()}")
    mark.touch()
    while len(list(path.parent.glob("building-*"))) < least:
        time.sleep(0.001)
    assert len(list(path.parent.glob("building-*"))) == 1, "two build it at once"
    opened = build(path, *given)
    mark.unlink()
    return opened

database.open_for_writing = watched
"""
KEPT = """
least = 1
opens.main()
"""
NAIVE = """
from remem.store.sqlite.process_lock import ProcessLock
ProcessLock.__enter__ = lambda self: None
ProcessLock.__exit__ = lambda self, *_: None
least = 2  # it waits for another, who cannot come where turns are taken
opens.main()
"""


def watched(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WATCHED + program, str(folder), "--processes", "16"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_one_at_a_time_builds_it(tmp_path: Path) -> None:
    result = watched(tmp_path, KEPT)

    assert result.returncode == 0, result.stderr


def test_without_turns_they_would_be_in_each_others_way(tmp_path: Path) -> None:
    result = watched(tmp_path, NAIVE)

    assert result.returncode != 0
    assert "two build it at once" in result.stderr
