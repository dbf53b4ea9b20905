"""Hooks are called as hosts call them: an event, bytes on stdin, bytes on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from remem.cli.main import remem

Call = Callable[..., subprocess.CompletedProcess[bytes]]


ENDS = ("pre-compact", "session-end")


@pytest.fixture
def call(process: Call, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """`remem hook` in this process, called from another folder.

    The end of a conversation has a process of its own: it starts another one that outlives it.
    """
    monkeypatch.chdir(tmp_path)

    def hook(event: str, said: object = None, *options: str) -> subprocess.CompletedProcess[bytes]:
        if event in ENDS:
            return process(event, said, *options)
        line = _line(root, event, *options)
        done = CliRunner().invoke(remem, line, input=_event(said), catch_exceptions=False)
        return subprocess.CompletedProcess(
            line, done.exit_code, done.stdout_bytes, done.stderr_bytes
        )

    return hook


@pytest.fixture
def process(root: Path, tmp_path: Path) -> Call:
    """`remem hook` in a process of its own, as hosts call it."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')

    def hook(event: str, said: object = None, *options: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "remem", *_line(root, event, *options)],
            input=_event(said),
            capture_output=True,
            check=False,
            cwd=tmp_path,
        )

    return hook


def _line(root: Path, event: str, *options: str) -> list[str]:
    """With time enough for a busy machine."""
    return ["--workspace", str(root), "hook", event, "--within", "300", *options]


def _event(said: object) -> bytes:
    return said if isinstance(said, bytes) else json.dumps(said or {}).encode()


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
