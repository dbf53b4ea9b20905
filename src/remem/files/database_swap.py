"""Replace a database with a repaired one and keep the old one.

A record of the exchange is written before the first file is moved. While the record exists, the
database cannot be opened, and the next repair finishes the exchange.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from remem.files import atomic
from remem.files.layout import EXCHANGE_RECORD

_SUFFIXES: Final = ("", "-wal", "-shm")


def exchange(database: Path, fresh: Path, old_files: Path) -> None:
    """Move the old database and its log to the folder `old_files`, and the new database to its
    place.

    The caller must ensure that neither database is open.
    """
    names = {"fresh": fresh.relative_to(database.parent).as_posix(), "kept": old_files.name}
    atomic.create(database.with_name(EXCHANGE_RECORD), json.dumps(names).encode())
    finish(database)


def finish(database: Path) -> bool:
    """Finish an interrupted exchange; return False if there is none."""
    record = database.with_name(EXCHANGE_RECORD)
    data = atomic.read(record)
    if data is None:
        return False
    names = json.loads(data)
    fresh, kept = database.parent / names["fresh"], database.parent / names["kept"]
    if fresh.exists():
        for suffix in _SUFFIXES:
            old = database.with_name(database.name + suffix)
            if old.exists():
                atomic.set_aside(old, kept / old.name)
        counter = database.with_suffix(".seq")  # the new database starts a new counter
        if counter.exists():
            atomic.set_aside(counter, kept / counter.name)
        atomic.set_aside(fresh, database)
    atomic.remove(record)
    return True
