"""A writer is killed at random moments; what it had acknowledged is there, once and whole.

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

KILLS = int(os.environ.get("REMEM_KILLS") or 15)
SEED = int(os.environ.get("REMEM_FAULT_SEED") or random.randrange(10**6))


def kills(folder: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.kills", str(folder), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(result.stdout))


@pytest.mark.kill
def test_nothing_acknowledged_is_lost_to_a_kill(tmp_path: Path) -> None:
    print(f"REMEM_FAULT_SEED={SEED}")
    outcome = kills(tmp_path, "--kills", str(KILLS), "--seed", str(SEED))

    assert outcome["broken"] == []
    assert outcome["kills"] == KILLS
    assert outcome["acks"] > 0


@pytest.mark.kill
@pytest.mark.parametrize(
    ("mutant", "says"), [("M7", "lost"), ("M8", "stands in 0 bullets")], ids=["M7", "M8"]
)
def test_a_store_that_speaks_too_soon_or_forgets_its_outbox_is_caught(
    tmp_path: Path, mutant: str, says: str
) -> None:
    outcome = kills(tmp_path, "--kills", "60", "--seed", "1", "--mutant", mutant)

    assert says in " ".join(outcome["broken"])
