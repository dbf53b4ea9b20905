"""When was a group last flushed? All that main may know of the groups: one time."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.notes import files
from remem.notes.disk import explained
from remem.notes.layout import Layout

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def latest_of_groups(layout: Layout) -> str | None:
    """The latest flush of any group. Nothing but a time in its exact form counts: no word of
    a group can reach main this way."""
    return max(_times(layout.all_of("group")[1]), default=None)


def _times(groups: Path) -> Iterator[str]:
    with explained(groups, "listed"):
        try:
            with os.scandir(groups) as found:
                folders = [each.path for each in found if each.is_dir(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return
    for folder in folders:
        if time := _time(Path(folder) / "flush-state.json"):
            yield time


def _time(path: Path) -> str | None:
    """A file that cannot be understood tells no time; its own group is told why."""
    try:
        value = json.loads(files.read(path) or b"null")
    except (RememError, ValueError, RecursionError):
        return None
    time = value.get("last_flush_time") if isinstance(value, dict) else None
    return time if isinstance(time, str) and _TIME.fullmatch(time) else None
