"""How does a new database take the place of an old one, which is kept? A note says what is
under way before the first file moves, and nobody opens the database while it lies there:
whoever repairs next finishes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from remem.errors import StoreError
from remem.files import atomic

_NOTE: Final = "exchange.json"
_BESIDE: Final = ("", "-wal", "-shm")


def exchange(database: Path, fresh: Path, kept: Path) -> None:
    """Move the old file with its log to the folder `kept`, and the new one into its place.

    The caller has made sure that nobody has either of them open.
    """
    names = {"fresh": fresh.relative_to(database.parent).as_posix(), "kept": kept.name}
    atomic.create(database.with_name(_NOTE), json.dumps(names).encode())
    finish(database)


def finish(database: Path) -> bool:
    """Do what is left of an exchange; False if none is under way. Safe to repeat."""
    note = database.with_name(_NOTE)
    data = atomic.read(note)
    if data is None:
        return False
    names = json.loads(data)
    fresh, kept = database.parent / names["fresh"], database.parent / names["kept"]
    if fresh.exists():
        for suffix in _BESIDE:
            old = database.with_name(database.name + suffix)
            if old.exists():
                atomic.set_aside(old, kept / old.name)
        counted = database.with_suffix(".seq")  # of the old one; the new one begins again
        if counted.exists():
            atomic.set_aside(counted, kept / counted.name)
        atomic.set_aside(fresh, database)
    atomic.remove(note)
    return True


def refuse_unfinished(database: Path) -> None:
    """A database that is half exchanged must not be opened: a new file beside an old log."""
    if database.with_name(_NOTE).exists():
        raise StoreError(
            f"a repair of {database} was cut short", hint="`remem doctor --repair` finishes it"
        )
