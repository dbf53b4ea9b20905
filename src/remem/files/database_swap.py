"""Put a repaired database in the place of a damaged one, which is kept.

A record of the exchange is written before the first file is moved. If the process is killed, the
database cannot be opened until the next repair has finished the exchange.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from remem.files import atomic
from remem.files.layout import EXCHANGE_RECORD

_SUFFIXES: Final = ("", "-wal", "-shm")


def exchange(database: Path, repaired: Path, old_files: Path) -> None:
    """Move a database and its log to the folder `old_files`, and a repaired one to its place.

    The caller ensures that neither of the two is open.
    """
    names = {"fresh": repaired.relative_to(database.parent).as_posix(), "kept": old_files.name}
    atomic.create(database.with_name(EXCHANGE_RECORD), json.dumps(names).encode())
    finish(database)


def finish(database: Path) -> bool:
    """Finish an interrupted exchange; return False if there is none."""
    record = database.with_name(EXCHANGE_RECORD)
    data = atomic.read(record)
    if data is None:
        return False
    names = json.loads(data)
    repaired, old_files = database.parent / names["fresh"], database.parent / names["kept"]
    if repaired.exists():
        for suffix in _SUFFIXES:
            old = database.with_name(database.name + suffix)
            if old.exists():
                atomic.set_aside(old, old_files / old.name)
        counter_file = database.with_suffix(".seq")  # the repaired database gets a new one
        if counter_file.exists():
            atomic.set_aside(counter_file, old_files / counter_file.name)
        atomic.set_aside(repaired, database)
    atomic.remove(record)
    return True
