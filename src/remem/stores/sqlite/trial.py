"""How is something tried out on a record that must not change? On a copy, which then is gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from remem.stores.sqlite.backup import copy_database
from remem.stores.sqlite.store import SqliteStore


@contextmanager
def copied(path: Path) -> Iterator[SqliteStore]:
    """A store with all that the database holds now, in a folder that only its owner may enter."""
    with TemporaryDirectory(prefix="remem-trial-") as folder:
        copy = Path(folder) / path.name
        copy_database(path, copy)
        store = SqliteStore(copy)
        try:
            yield store
        finally:
            store.close()
