"""Would anything be lost if one database took the place of another? Counted again, with plain
SQL and hashes, by code that shares nothing with what made the new one.

Which single byte was changed in a record? Every one is tried until the seal fits again.

The seal has sixty-four bits: a fit is what was written, not a coincidence.

How does a record get back into a new database, under its old number and as it was?
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
from remem.store.sqlite import batched_insert
from remem.store.sqlite.checksums import seal
from remem.store.sqlite.connection import close, open_for_reading
from remem.store.sqlite.derived_tables import Added
from remem.store.sqlite.rows import entry_of
from remem.store.sqlite.transaction import Transaction
from remem.text.similarity import fingerprint, folded_number

_LONGEST: Final = 4_000
"""Longer records take too long: half a million tries a second."""
_BYTES_OF_NUMBER: Final = 8

Values = list[Any]


def mended(values: Sequence[Any], wanted: object) -> Values | None:
    """The values as they were before one byte of them, or of the seal, changed; texts may come
    as bytes. None where more has changed than that."""
    if not isinstance(wanted, int):
        return None
    plain = _plain(values)
    if plain is not None and _in_one_byte(seal(plain) ^ wanted):
        return plain
    parts = [_bytes(value) for value in values]
    if sum(map(len, parts)) > _LONGEST:
        return None
    return next(chain(_texts(values, parts, wanted), _numbers(values, wanted)), None)


def _in_one_byte(difference: int) -> bool:
    changed = (difference & (2**64 - 1)).to_bytes(8, "big")
    return sum(map(bool, changed)) <= 1


def _texts(values: Sequence[Any], parts: Sequence[bytes], wanted: int) -> Iterator[Values]:
    """One byte of one text; the hash of all before it is computed once."""
    target = wanted.to_bytes(8, "big", signed=True)
    for number, part in enumerate(parts):
        if not isinstance(values[number], str | bytes):
            continue
        before = b"".join(part + b"\x1f" for part in parts[:number])
        after = b"".join(b"\x1f" + part for part in parts[number + 1 :])
        for place in range(len(part)):
            head = blake2b(before + part[:place], digest_size=8)
            tail = part[place + 1 :] + after
            for byte in range(256):
                attempt = head.copy()
                attempt.update(bytes([byte]) + tail)
                if attempt.digest() == target:
                    fixed = part[:place] + bytes([byte]) + part[place + 1 :]
                    plain = _plain([*values[:number], fixed, *values[number + 1 :]])
                    if plain is not None:
                        yield plain
                    return


def _numbers(values: Sequence[Any], wanted: int) -> Iterator[Values]:
    for number, value in enumerate(values):
        if not isinstance(value, int):
            continue
        for place in range(_BYTES_OF_NUMBER):
            for bits in range(1, 256):
                other = [*values[:number], value ^ (bits << 8 * place), *values[number + 1 :]]
                plain = _plain(other)
                if plain is not None and seal(plain) == wanted:
                    yield plain
                    return


def _plain(values: Sequence[Any]) -> Values | None:
    try:
        return [value.decode() if isinstance(value, bytes) else value for value in values]
    except UnicodeDecodeError:
        return None


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


class Refilling(Transaction):
    """A transaction that fills a new database with what an old one held."""

    def put_back(self, row: int, entry: Entry, change: str, home: str, part: int | None) -> None:
        self._reworded()
        place = part or self._open_part(home, entry)
        added = Added(row, entry, fingerprint(entry.content), home, place, change)
        batched_insert.write(self._connection, [added])

    def keep_versions(self, versions: Iterable[tuple[Any, ...]]) -> None:
        """Rows of the history: row, version, change, record."""
        self._keep(
            (row, version, change, record, folded_number(entry_of(record).content))
            for row, version, change, record, *_ in versions
        )

    def carry(self, table: str, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
        names = list(columns)
        marks = ", ".join("?" * len(names))
        self._connection.executemany(
            f"INSERT OR IGNORE INTO {table}({', '.join(names)}) VALUES ({marks})", rows
        )

    def ask_for_vectors(self) -> None:
        """What has a vector keeps it; the next who wants vectors queues the rest."""
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
