"""Hooks are called as hosts call them: a process, bytes on stdin, bytes on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Call:
    """`remem hook`, with time enough for a busy machine, called from another folder."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')

    def hook(event: str, said: object = None, *options: str) -> subprocess.CompletedProcess[bytes]:
        data = said if isinstance(said, bytes) else json.dumps(said or {}).encode()
        patience = () if "--within" in options else ("--within", "60")
        line = [sys.executable, "-P", "-m", "remem", "--workspace", str(root), "hook", event]
        return subprocess.run(
            [*line, *patience, *options], input=data, capture_output=True, check=False, cwd=tmp_path
        )

    return hook


def payload(done: subprocess.CompletedProcess[bytes]) -> Any:
    assert done.returncode == 0
    assert done.stderr == b""
    return json.loads(done.stdout) if done.stdout else None


def told(done: subprocess.CompletedProcess[bytes], event: str) -> str:
    """The text that a host puts into the conversation; the shape is the contract's."""
    found = payload(done)
    assert set(found) == {"hookSpecificOutput"}
    assert found["hookSpecificOutput"]["hookEventName"] == event
    return str(found["hookSpecificOutput"]["additionalContext"])
