"""Logs with one JSON object per line: of finished maintenance tasks, and of failed hook calls.

If a process is killed, at most the last line is lost; a task whose line is lost is done once more.
The log of hook calls never contains text of a conversation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from remem.files import atomic
from remem.files.disk import file_errors, make_folder, sync
from remem.files.layout import Layout
from remem.model.scope import MAIN

_MAX_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class JsonLog:
    """A file with one JSON object per line."""

    path: Path

    def read(self) -> list[Any]:
        """Return the values of all complete lines."""
        if not self.path.is_file():
            return []
        with file_errors(self.path, "read"):
            text = self.path.read_text(encoding="utf-8", errors="replace")
        values = []
        for line in text.split("\n"):
            with suppress(ValueError):
                values.append(json.loads(line))
        return values

    def append(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Append lines, synced to disk; a line that was written in part before is ended first."""
        make_folder(self.path.parent)
        with file_errors(self.path, "written"):
            is_cut_off = self.path.exists() and not self.path.read_bytes().endswith(b"\n")
            data = (b"\n" if is_cut_off else b"") + _encoded(values)
            log = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                while data:
                    data = data[os.write(log, data) :]
                sync(log)
            finally:
                os.close(log)

    def replace(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Replace all lines."""
        atomic.replace_file(self.path, _encoded(values))

    @property
    def is_large(self) -> bool:
        """Whether old lines should be dropped."""
        return self.path.exists() and self.path.stat().st_size > _MAX_BYTES


def _encoded(values: Iterable[Mapping[str, Any]]) -> bytes:
    lines = [json.dumps(value, ensure_ascii=False) + "\n" for value in values]
    return "".join(lines).encode(errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class HookFailure:
    """A hook call that failed."""

    at: str
    host: str
    event: str
    reason: str


def log_failure(layout: Layout, failure: HookFailure) -> None:
    """Log a failed hook call; a large log is renamed first, and a new one begins."""
    log = _hook_log(layout)
    if log.is_large:
        with file_errors(log.path, "moved"):
            log.path.replace(log.path.with_suffix(".old"))
    log.append([asdict(failure)])


def last_failures(layout: Layout, limit: int = 20) -> list[HookFailure]:
    """Return the latest failures, in the order in which they happened."""
    failures = []
    for value in _hook_log(layout).read()[-limit:]:
        with suppress(TypeError):
            failures.append(HookFailure(**value))
    return failures


def _hook_log(layout: Layout) -> JsonLog:
    return JsonLog(layout.state_folder(MAIN) / "hooks.log")


@dataclass(frozen=True, slots=True)
class TaskLog:
    """The log of finished maintenance tasks of a workspace; writers hold the maintenance lock."""

    layout: Layout

    @property
    def lock(self) -> Path:
        """The lock file of maintenance runs."""
        folder = self.layout.state_folder(MAIN)
        make_folder(folder)
        return folder / "maintain.lock"

    @property
    def _log(self) -> JsonLog:
        return JsonLog(self.layout.state_folder(MAIN) / "maintain.log")

    def last(self) -> dict[tuple[str, str], str]:
        """Return the time when each task was last finished, by scope and task."""
        times = {}
        for line in self._log.read():
            with suppress(TypeError, KeyError):
                times[str(line["scope"]), str(line["work"])] = str(line["at"])
        return times

    def add(self, scope: str, task: str, at: str) -> None:
        """Log a finished task; a large log is cut down to the last line of every task."""
        if self._log.is_large:
            self._log.replace(_task_line(*key, time) for key, time in self.last().items())
        self._log.append([_task_line(scope, task, at)])


def _task_line(scope: str, task: str, at: str) -> dict[str, str]:
    return {"scope": scope, "work": task, "at": at}
