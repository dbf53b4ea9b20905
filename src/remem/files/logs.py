"""Which maintenance was done when? A line for each piece of work as soon as it is finished.

A kill costs at most the last line; the work it would have told of is then done once more.

What went wrong while a host was waiting? It was not told then; here it can be read.

One JSON line for each failure, the newest last. No words of a conversation are in it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.files.disk import explained, make_folder
from remem.files.layout import Layout
from remem.model.scope import MAIN

_LARGEST: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Failure:
    """One call of a hook that did not do what it should."""

    at: str
    host: str
    event: str
    reason: str


def log_failure(layout: Layout, failure: Failure) -> None:
    """Remember a failure; of many, the newest are kept."""
    path = _path(layout)
    make_folder(path.parent)
    line = json.dumps(asdict(failure), ensure_ascii=False) + "\n"
    with explained(path, "written"):
        if path.exists() and path.stat().st_size > _LARGEST:
            path.replace(path.with_suffix(".old"))
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(log, line.encode(errors="backslashreplace"))
        finally:
            os.close(log)


def last_failures(layout: Layout, most: int = 20) -> list[Failure]:
    """The newest failures, the last one last; lines that are torn say nothing."""
    path = _path(layout)
    if not path.is_file():
        return []
    with explained(path, "read"):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for line in lines[-most:]:
        try:
            found.append(Failure(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def _path(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "hooks.log"


_WORK_LOG_LARGEST: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class WorkLog:
    """The owner's record of one workspace; whoever writes holds the lock of maintenance."""

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
        """When each work of each scope was last finished; torn lines say nothing."""
        if not self._path.is_file():
            return {}
        with explained(self._path, "read"):
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        found = {}
        for line in lines:
            with suppress(ValueError, TypeError, KeyError):
                each = json.loads(line)
                found[str(each["scope"]), str(each["work"])] = str(each["at"])
        return found

    def finished(self, scope: str, work: str, at: str) -> None:
        with explained(self._path, "written"):
            known = self.last() if self._size() > _WORK_LOG_LARGEST else None
            if known is not None:
                self._write({**known, (scope, work): at}, os.O_TRUNC)
            else:
                self._write({(scope, work): at}, os.O_APPEND)

    def _size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def _write(self, done: dict[tuple[str, str], str], how: int) -> None:
        text = "".join(
            json.dumps({"scope": scope, "work": work, "at": at}, ensure_ascii=False) + "\n"
            for (scope, work), at in done.items()
        )
        log = os.open(self._path, os.O_WRONLY | how | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if how == os.O_APPEND and self._torn():
                text = f"\n{text}"
            os.write(log, text.encode(errors="backslashreplace"))
        finally:
            os.close(log)

    def _torn(self) -> bool:
        """Whether a kill has left half a line, which must not swallow the next one."""
        data = self._path.read_bytes()
        return bool(data) and not data.endswith(b"\n")
