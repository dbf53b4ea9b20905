"""Defects in the writing of notes and facts, each planted in this process by one function."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from remem.learn import daily_note
from remem.learn.facts import writer


def append_without_a_lock() -> None:
    """Read, add, write it all back: a write in between is lost. A process that has read waits
    for another who has, so that two write over each other for sure."""

    def blindly(_layout: Any, path: Path, change: Any, *_: Any) -> Any:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = change(path.read_bytes() if path.exists() else None)
        path.with_name(f"read-{os.getpid()}").touch()
        while len(list(path.parent.glob("read-*"))) < 2:
            time.sleep(0.001)
        fresh = path.with_name(f"{path.name}.{time.monotonic_ns()}")
        fresh.write_bytes(new)
        fresh.rename(path)
        return new

    for module in (daily_note, writer):
        module.exclusive_lock = lambda _: nullcontext()  # type: ignore[attr-defined]
        module.rewrite = blindly  # type: ignore[attr-defined]


def write_in_place() -> None:
    """The file is emptied, then filled: a kill in between leaves half of it."""

    def in_place(_layout: Any, path: Path, change: Any, *_: Any) -> Any:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = change(path.read_bytes() if path.exists() else None)
        with open(path, "wb", buffering=0) as file:
            half = len(new) // 2
            file.write(new[:half])
            file.write(new[half:])
        return new

    daily_note.rewrite = in_place  # type: ignore[attr-defined]
    writer.rewrite = in_place  # type: ignore[attr-defined]
