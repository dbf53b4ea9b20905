"""What went wrong while a host was waiting? It was not told then; here it can be read.

One JSON line for each failure, the newest last. No words of a conversation are in it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.core.scope import MAIN
from remem.notes.disk import explained, make_folder
from remem.notes.layout import Layout

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
