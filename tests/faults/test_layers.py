"""Many processes at one note or one entity lose nothing, and a kill leaves whole files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.quick import borrowed_folder
from tests.tiers import EVERYTHING, first_quick

KINDS = ["note", "fact"]


def told(what: str, kind: str, folder: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.layers_program", what, kind, str(folder)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("kind", first_quick(KINDS))
def test_many_who_write_at_once_lose_nothing(kind: str) -> None:
    with borrowed_folder() as folder:
        done = told("crowd", kind, folder, "--writers", "50" if EVERYTHING else "20")
        assert done == {"missing": [], "doubled": [], "ids": True}


@pytest.mark.parametrize("kind", first_quick(KINDS))
def test_m4_appending_without_a_lock_is_caught(kind: str) -> None:
    with borrowed_folder() as folder:
        assert told("crowd", kind, folder, "--mutant", "M4", "--writers", "20")["missing"]


@pytest.mark.kill
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_anywhere_leaves_the_old_file_or_the_new_one(kind: str) -> None:
    with borrowed_folder() as folder:
        done = told("kills", kind, folder)

        assert done["broken"] == []
        assert done["kills"] > 20


@pytest.mark.kill
@pytest.mark.parametrize("kind", first_quick(KINDS))
def test_a_write_in_place_is_caught(kind: str) -> None:
    with borrowed_folder() as folder:
        assert told("kills", kind, folder, "--mutant", "in-place")["broken"]
