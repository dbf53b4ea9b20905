"""A command line that works on the test's own workspace."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.commands import run_command

Run = Callable[..., Result]


@pytest.fixture
def run(root: Path) -> Run:
    """Runs a command in this process; `input` is what is piped into it."""

    def command(*arguments: str, input: str | bytes | None = None) -> Result:  # noqa: A002
        return run_command(root, *arguments, given=input)

    return command


@pytest.fixture
def process(root: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs a command in a process of its own."""

    def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, "-m", "remem", "--workspace", str(root), *arguments]
        return subprocess.run(line, capture_output=True, check=False, **options)  # type: ignore[call-overload]

    return command


@pytest.fixture(autouse=True)
def without_model(root: Path) -> None:
    """Commands are about words here; meaning has tests of its own."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
