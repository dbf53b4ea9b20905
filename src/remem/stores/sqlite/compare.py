"""Would anything be lost if one database took the place of another? Counted again, with plain
SQL and hashes, by code that shares nothing with what made the new one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreDamaged
from remem.stores.sqlite.connection import close, open_for_reading

_CONTENT: Final = "SELECT id, CAST(content AS BLOB) FROM memory_entries WHERE row = ?"
_HISTORY: Final = "SELECT CAST(record AS BLOB) FROM memory_versions WHERE row = ?"


def losses(
    old: Path, new: Path, *, told: Collection[str] = (), held: Collection[str] = (), lost: int = 0
) -> list[str]:
    """What the new file lacks. `told` are ids that are known to be spoiled, whose words may
    differ, and of which so many are `lost`; `held` are ids that the domain files hold."""
    before, after = _inventory(old), _inventory(new)
    found = [f"{id_} is missing" for id_ in sorted({*before, *held} - set(after) - set(told))]
    for id_, hashes in before.items():
        if id_ not in told and hashes - after.get(id_, set()):
            found.append(f"a wording of {id_} is missing")
    count = _count(old)
    if count is not None and count - lost > len(after):
        found.append(f"{count} entries became {len(after)}")
    return found


def _inventory(path: Path) -> dict[str, set[bytes]]:
    """Each id with the hashes of all that was ever said under it."""
    found: dict[str, set[bytes]] = {}
    if not path.exists():
        return found
    try:
        connection = open_for_reading(path)
    except StoreDamaged:
        return found
    try:
        for row in _rows(connection):
            with suppress(apsw.Error, UnicodeDecodeError):
                for id_, content in list(connection.execute(_CONTENT, [row])):
                    said = found.setdefault(str(id_), set())
                    said.add(sha256(content or b"").digest())
                    said.update(
                        sha256(record).digest()
                        for (record,) in list(connection.execute(_HISTORY, [row]))
                    )
    finally:
        close(connection)
    return found


def _rows(connection: apsw.Connection) -> Iterator[int]:
    """Row numbers from the table and, where it breaks off, from an index that covers it."""
    numbers: set[int] = set()
    for order in ("row", "same", "longest"):
        with suppress(apsw.Error):
            for (row,) in connection.execute(f"SELECT row FROM memory_entries ORDER BY {order}"):
                numbers.add(row)
    yield from sorted(numbers)


def _count(path: Path) -> int | None:
    if not path.exists():
        return None
    try:
        connection = open_for_reading(path)
    except StoreDamaged:
        return None
    try:
        return int(next(iter(connection.execute("SELECT count(*) FROM memory_entries")))[0])
    except apsw.Error:
        return None
    finally:
        close(connection)
