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


NAIVE = """
import sys
from pathlib import Path
from tests.faults import opens
from remem.stores.sqlite.turns import Turns
Turns.__enter__ = lambda self: None
Turns.__exit__ = lambda self, *_: None
opens.main()
"""


def test_without_turns_they_would_be_in_each_others_way(tmp_path: Path) -> None:
    """The lock is what makes it work: without it some round fails."""
    command = [sys.executable, "-c", NAIVE, str(tmp_path), "--processes", "16", "--rounds", "200"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.returncode != 0
