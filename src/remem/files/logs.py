"""Logs of finished maintenance tasks and of failed hook calls, one JSON line each, newest last.

A kill costs at most the last line; that task is then done once more. The hook log keeps failures
that the waiting host was not shown; it never contains text of a conversation.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.files.disk import file_errors, make_folder
from remem.files.layout import Layout
from remem.model.scope import MAIN

_MAX_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Failure:
    """A hook call that failed."""

    at: str
    host: str
    event: str
    reason: str


def log_failure(layout: Layout, failure: Failure) -> None:
    """Log a failure; older ones are dropped when the log gets large."""
    path = _path(layout)
    make_folder(path.parent)
    line = json.dumps(asdict(failure), ensure_ascii=False) + "\n"
    with file_errors(path, "written"):
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            path.replace(path.with_suffix(".old"))
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(log, line.encode(errors="backslashreplace"))
        finally:
            os.close(log)


def last_failures(layout: Layout, limit: int = 20) -> list[Failure]:
    """The newest failures, oldest first; incomplete lines are skipped."""
    path = _path(layout)
    if not path.is_file():
        return []
    with file_errors(path, "read"):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    failures = []
    for line in lines[-limit:]:
        with suppress(ValueError, TypeError):
            failures.append(Failure(**json.loads(line)))
    return failures


def _path(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "hooks.log"


@dataclass(frozen=True, slots=True)
class WorkLog:
    """The log of finished maintenance tasks of a workspace; writers hold the maintenance lock."""

    layout: Layout

    @property
    def lock(self) -> Path:
        folder = self.layout.state_folder(MAIN)
        make_folder(folder)
        return folder / "maintain.lock"

    @property
    def _path(self) -> Path:
        return self.layout.state_folder(MAIN) / "maintain.log"

    def last(self) -> dict[tuple[str, str], str]:
        """When each task of each scope was last finished; incomplete lines are skipped."""
        if not self._path.is_file():
            return {}
        with file_errors(self._path, "read"):
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        finished = {}
        for line in lines:
            with suppress(ValueError, TypeError, KeyError):
                record = json.loads(line)
                finished[str(record["scope"]), str(record["work"])] = str(record["at"])
        return finished

    def finished(self, scope: str, work: str, at: str) -> None:
        with file_errors(self._path, "written"):
            known = self.last() if self._size() > _MAX_BYTES else None
            if known is not None:
                self._write({**known, (scope, work): at}, os.O_TRUNC)
            else:
                self._write({(scope, work): at}, os.O_APPEND)

    def _size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def _write(self, finished: dict[tuple[str, str], str], mode: int) -> None:
        text = "".join(
            json.dumps({"scope": scope, "work": work, "at": at}, ensure_ascii=False) + "\n"
            for (scope, work), at in finished.items()
        )
        log = os.open(self._path, os.O_WRONLY | mode | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if mode == os.O_APPEND and self._ends_mid_line():
                text = f"\n{text}"
            os.write(log, text.encode(errors="backslashreplace"))
        finally:
            os.close(log)

    def _ends_mid_line(self) -> bool:
        """Whether a kill has left an incomplete line, which must not swallow the next one."""
        data = self._path.read_bytes()
        return bool(data) and not data.endswith(b"\n")
