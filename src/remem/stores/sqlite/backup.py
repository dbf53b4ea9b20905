"""How is a database copied while others write it? Through SQLite, never through the file."""

from __future__ import annotations

from pathlib import Path

import apsw

from remem.stores.sqlite.connection import close, open_for_reading
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.turns import create_private


def copy_database(source: Path, target: Path) -> None:
    """The database as it is at one moment, in one new file without a log, safe on the disk."""
    create_private(target)
    old = open_for_reading(source)
    try:
        with translating(target):
            new = apsw.Connection(str(target))
            try:
                with new.backup("main", old, "main") as copying:
                    copying.step()
                list(new.execute("PRAGMA journal_mode=delete"))
            finally:
                close(new)
    finally:
        close(old)
