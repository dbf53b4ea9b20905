"""Run a programme of kills in a process of its own, which reports as JSON.

REMEM_KILLS=n kills so often; REMEM_FAULT_SEED=n draws other moments than the usual ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SEED = int(os.environ.get("REMEM_FAULT_SEED") or 7)


def wanted(usual: int) -> int:
    """How many kills a run has."""
    return int(os.environ.get("REMEM_KILLS") or usual)


def killed(program: str, folder: Path, kills: int, seed: int, *options: str) -> dict[str, Any]:
    """What a programme of `tests.faults` found: `kills`, and what was `broken` by them."""
    print(f"REMEM_FAULT_SEED={seed}")
    numbers = ("--kills", str(kills), "--seed", str(seed))
    command = [sys.executable, "-m", f"tests.faults.{program}", str(folder), *numbers, *options]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(result.stdout))
