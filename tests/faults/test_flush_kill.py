"""A flush is killed at random moments, two at a time; what it had acknowledged stands in its one
home, once.

REMEM_KILLS=n kills so often; REMEM_FAULT_SEED repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

KILLS = int(os.environ.get("REMEM_KILLS") or 8)
SEED = int(os.environ.get("REMEM_FAULT_SEED") or random.randrange(10**6))


def kills(folder: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.flush_kills", str(folder), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(result.stdout))


@pytest.mark.kill
def test_no_lesson_is_lost_or_doubled_by_a_kill(tmp_path: Path) -> None:
    print(f"REMEM_FAULT_SEED={SEED}")
    outcome = kills(tmp_path, "--kills", str(KILLS), "--seed", str(SEED))

    assert outcome["broken"] == []
    assert outcome["kills"] == KILLS


@pytest.mark.kill
@pytest.mark.parametrize("mutant", ["flush-no-marks", "flush-no-intent"])
def test_a_flush_without_marks_or_without_intents_is_caught(tmp_path: Path, mutant: str) -> None:
    outcome = kills(tmp_path, "--kills", "600", "--seed", "1", "--mutant", mutant)

    assert outcome["broken"]
