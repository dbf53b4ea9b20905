"""remem runs offline: nothing that it brings along reports home."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from remem import open_workspace
with open_workspace(sys.argv[1], background=False) as memory:
    memory.store(category="fact", content="The gateway runs on atlas.")
    assert memory.recall("where is the gateway").entries
    assert memory.trouble == [], memory.trouble
"""


@pytest.mark.model
def test_the_models_runtime_leaves_no_trace_of_telemetry(root: Path, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert not list(home.rglob("*onnxruntime*"))
    assert not list(home.rglob("Microsoft"))
