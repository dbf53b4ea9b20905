"""Tools of the salvage: repair a record, fill a new database, verify that nothing is lost.

- A record with one changed byte is repaired by trying every byte until its checksum matches. With
  64 bits, a match is no coincidence.
- `SalvageTransaction` restores records under their old row numbers.
- `find_losses` compares the old and the new file with plain SQL and hashes, and shares no code
  with the salvage itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import Entry
from remem.store.sqlite.checksums import checksum
from remem.store.sqlite.connection import close, open_for_reading
from remem.store.sqlite.rows import entry_of
from remem.store.sqlite.transaction import Transaction
from remem.text.similarity import fingerprint_of, folded_hash

_MAX_LENGTH: Final = 4_000
"""Longer records take too long, at half a million tries a second."""
_INTEGER_BYTES: Final = 8

Values = list[Any]


def repair_one_byte(values: Sequence[Any], expected: object) -> Values | None:
    """Undo the change of one byte in the values or in their checksum.

    Texts may come as bytes. None if more than one byte has changed.
    """
    if not isinstance(expected, int):
        return None
    decoded = _decoded(values)
    if decoded is not None and _differs_in_one_byte(checksum(decoded) ^ expected):
        return decoded
    parts = [_bytes(value) for value in values]
    if sum(map(len, parts)) > _MAX_LENGTH:
        return None
    return next(
        chain(_repaired_texts(values, parts, expected), _repaired_numbers(values, expected)), None
    )


def _differs_in_one_byte(difference: int) -> bool:
    changed = (difference & (2**64 - 1)).to_bytes(8, "big")
    return sum(map(bool, changed)) <= 1


def _repaired_texts(
    values: Sequence[Any], parts: Sequence[bytes], expected: int
) -> Iterator[Values]:
    """Try every byte of every text; the hash of what precedes it is computed once."""
    target = expected.to_bytes(8, "big", signed=True)
    for number, part in enumerate(parts):
        if not isinstance(values[number], str | bytes):
            continue
        before = b"".join(part + b"\x1f" for part in parts[:number])
        after = b"".join(b"\x1f" + part for part in parts[number + 1 :])
        for index in range(len(part)):
            head = blake2b(before + part[:index], digest_size=8)
            tail = part[index + 1 :] + after
            for byte in range(256):
                attempt = head.copy()
                attempt.update(bytes([byte]) + tail)
                if attempt.digest() == target:
                    fixed = part[:index] + bytes([byte]) + part[index + 1 :]
                    decoded = _decoded([*values[:number], fixed, *values[number + 1 :]])
                    if decoded is not None:
                        yield decoded
                    return


def _repaired_numbers(values: Sequence[Any], expected: int) -> Iterator[Values]:
    for number, value in enumerate(values):
        if not isinstance(value, int):
            continue
        for index in range(_INTEGER_BYTES):
            for bits in range(1, 256):
                other = [*values[:number], value ^ (bits << 8 * index), *values[number + 1 :]]
                decoded = _decoded(other)
                if decoded is not None and checksum(decoded) == expected:
                    yield decoded
                    return


def _decoded(values: Sequence[Any]) -> Values | None:
    try:
        return [value.decode() if isinstance(value, bytes) else value for value in values]
    except UnicodeDecodeError:
        return None


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


class SalvageTransaction(Transaction):
    """A transaction that fills a new database with the content of an old one."""

    def restore_entry(
        self, row: int, entry: Entry, change: str, home: str, part: int | None
    ) -> None:
        part = part or self._open_part(home, entry)
        self._insert(entry, fingerprint_of(entry.content), home, part, change, row=row)

    def restore_versions(self, versions: Iterable[tuple[Any, ...]]) -> None:
        """Insert rows of the history: row, version, change, record."""
        self._insert_versions(
            (row, version, change, record, folded_hash(entry_of(record).content))
            for row, version, change, record, *_ in versions
        )

    def copy_rows(
        self, table: str, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]
    ) -> None:
        names = list(columns)
        placeholders = ", ".join("?" * len(names))
        self._connection.executemany(
            f"INSERT OR IGNORE INTO {table}({', '.join(names)}) VALUES ({placeholders})", rows
        )

    def reset_vectors(self) -> None:
        """Keep existing vectors; `set_vector_models` will queue the missing ones."""
        self._connection.execute("DELETE FROM vector_queue")
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")
        self._connection.execute(
            "DELETE FROM memory_vectors WHERE row NOT IN (SELECT row FROM memory_entries)"
        )
        self._connection.execute(
            "DELETE FROM memory_bits WHERE NOT EXISTS (SELECT 1 FROM memory_vectors v "
            "WHERE v.row = memory_bits.row AND v.model = memory_bits.model)"
        )


_CONTENT: Final = "SELECT id, CAST(content AS BLOB) FROM memory_entries WHERE row = ?"
_HISTORY: Final = "SELECT CAST(record AS BLOB) FROM memory_versions WHERE row = ?"


def find_losses(
    old: Path,
    new: Path,
    *,
    damaged: Collection[str] = (),
    in_files: Collection[str] = (),
    lost: int = 0,
) -> list[str]:
    """What the new file lacks.

    `damaged` are ids whose text may differ, of which `lost` are lost; `in_files` are the ids in
    the domain files.
    """
    before, after = _inventory(old), _inventory(new)
    missing = {*before, *in_files} - set(after) - set(damaged)
    losses = [f"{id_} is missing" for id_ in sorted(missing)]
    for id_, hashes in before.items():
        if id_ not in damaged and hashes - after.get(id_, set()):
            losses.append(f"a version of {id_} is missing")
    count = _count(old)
    if count is not None and count - lost > len(after):
        losses.append(f"{count} entries became {len(after)}")
    return losses


def _inventory(path: Path) -> dict[str, set[bytes]]:
    """Each id with the hashes of all its versions."""
    inventory: dict[str, set[bytes]] = {}
    if not path.exists():
        return inventory
    try:
        connection = open_for_reading(path)
    except StoreDamaged:
        return inventory
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
    finally:
        close(connection)
    return inventory


def _rows(connection: apsw.Connection) -> Iterator[int]:
    """Row numbers from the table and, in case it is damaged, from two indexes."""
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
