"""The disk refuses the first operation, then the second, the third … until none is left.

A sample by default, always the same; REMEM_FAULT_SEED=n takes another, and REMEM_FAULT_ALL=1
takes every operation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.killing import SEED
from tests.faults.sweep import run

ALL = os.environ.get("REMEM_FAULT_ALL") == "1"


@pytest.mark.slow
@pytest.mark.sweep
def test_no_acknowledged_entry_is_lost_when_any_operation_fails(tmp_path: Path) -> None:
    print(f"REMEM_FAULT_SEED={SEED}")
    outcome = run(tmp_path, 1 if ALL else 30, SEED)

    assert outcome.broken == []
    assert outcome.operations > 200
    assert outcome.runs >= 8 * (outcome.operations // (1 if ALL else 30))
    assert {"write", "sync", "read"} <= set(outcome.refused) or not ALL


@pytest.mark.slow  # CI plants the same with scripts/faults.py
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("mutant", "says"),
    [("M9-pragma", "the journal mode is"), ("M9-commit", "lost")],
)
def test_a_store_that_swallows_an_error_is_caught(tmp_path: Path, mutant: str, says: str) -> None:
    command = [sys.executable, "-m", "tests.faults.sweep", str(tmp_path)]
    options = ["--seed", "0", "--stride", "1", "--mutant", mutant]
    result = subprocess.run([*command, *options], capture_output=True, text=True, check=True)

    assert says in " ".join(json.loads(result.stdout)["broken"])
