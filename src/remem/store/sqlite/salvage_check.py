"""Check that a salvaged database is complete, with plain SQL and without the code of `salvage`."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreError
from remem.store.sqlite.connection import close, open_for_reading

_CONTENT: Final = "SELECT id, CAST(content AS BLOB) FROM memory_entries WHERE row = ?"
_HISTORY: Final = "SELECT CAST(record AS BLOB) FROM memory_versions WHERE row = ?"


def find_losses(
    old: Path,
    new: Path,
    *,
    damaged_ids: Collection[str] = (),
    in_files: Collection[str] = (),
    lost_count: int = 0,
) -> list[str]:
    """Describe what is missing from the new database.

    `damaged_ids` are the ids whose text may differ in both databases, `lost_count` is the number of
    entries that could not be restored, and `in_files` are the ids in the domain files.
    """
    before, old_count = _inventory(old)
    after, _ = _inventory(new)
    missing = {*before, *in_files} - set(after) - set(damaged_ids)
    losses = [f"{id_} is missing" for id_ in sorted(missing)]
    for id_, hashes in before.items():
        if id_ not in damaged_ids and hashes - after.get(id_, set()):
            losses.append(f"a version of {id_} is missing")
    if old_count - lost_count > len(after):
        losses.append(f"{old_count} entries became {len(after)}")
    return losses


def _inventory(path: Path) -> tuple[dict[str, set[bytes]], int]:
    """Return the hashes of all readable versions of each entry, and the number of entries.

    Both are empty if the database cannot be opened.
    """
    inventory: dict[str, set[bytes]] = {}
    count = 0
    if not path.exists():
        return inventory, count
    try:
        connection = open_for_reading(path)
    except StoreError:
        return inventory, count
    try:
        for row in _rows(connection):
            with suppress(apsw.Error, UnicodeDecodeError):
                for id_, content in list(connection.execute(_CONTENT, [row])):
                    hashes = inventory.setdefault(str(id_), set())
                    hashes.add(sha256(content or b"").digest())
                    hashes.update(
                        sha256(record).digest()
                        for (record,) in list(connection.execute(_HISTORY, [row]))
                    )
        with suppress(apsw.Error):
            ((count,),) = connection.execute("SELECT count(*) FROM memory_entries")
    finally:
        close(connection)
    return inventory, count


def _rows(connection: apsw.Connection) -> list[int]:
    """Return the row numbers of the entries.

    They are read from the table and from two indexes, because any of them may be damaged.
    """
    numbers: set[int] = set()
    for order in ("row", "same", "longest"):
        with suppress(apsw.Error):
            for (row,) in connection.execute(f"SELECT row FROM memory_entries ORDER BY {order}"):
                numbers.add(row)
    return sorted(numbers)
