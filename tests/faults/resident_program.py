"""A process that keeps a workspace open and does what it is asked to, until it is killed.

    python -m tests.faults.resident_program FOLDER [--session KEY] [--no-checkpoint]

Each line of its input is a JSON list: the name of a method of the workspace, and its keyword
arguments. It answers each with one JSON line: the id of what was stored, or the error.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from remem.app.opening import open_workspace
from remem.errors import RememError
from remem.store.sqlite import writer
from tests.deterministic import Deterministic


class Resident:
    """The process as a test sees it; it ends with the `with` block, also when the test fails."""

    def __init__(self, root: Path, session: str = "main", *, checkpoint: bool = False) -> None:
        options = [] if checkpoint else ["--no-checkpoint"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(root), "--session", session, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._hear() == "open"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.kill()

    def ask(self, method: str, **arguments: Any) -> Any:
        """What the method gave; an error comes as a dictionary."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([method, arguments]).encode() + b"\n")
        self._process.stdin.flush()
        return self._hear()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def leave(self) -> None:
        self._process.communicate()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def files_locked(root: Path) -> Iterator[None]:
    """No domain file of main is written inside."""
    with (root / ".remem/main/files.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--session", default="main")
    parser.add_argument("--no-checkpoint", action="store_true")
    options = parser.parse_args()
    if options.no_checkpoint:
        writer._CHECKPOINT_IDLE_SECONDS = writer._CHECKPOINT_MAX_SECONDS = 3600.0  # type: ignore[misc]
    with open_workspace(
        options.folder, options.session, embedder=Deterministic(), background=True
    ) as memory:
        _say("open")
        for line in sys.stdin:
            method, arguments = json.loads(line)
            try:
                given = getattr(memory, method)(**arguments)
            except RememError as error:
                _say({"error": str(error)})
            else:
                _say(getattr(given, "id", None))


def _say(answer: object) -> None:
    os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
