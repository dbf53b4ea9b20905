"""Salvage a damaged database into a new one.

Readable records are copied. A damaged one is repaired by its checksum, or restored from its
domain file or its history, or reported as lost. Whether the new file is good enough is decided
elsewhere (`find_losses`), with separate code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import CATEGORIES, Category, Entry, Trust, is_entry_id
from remem.store.sqlite.bookkeeping import FILE_STATE_KEYS
from remem.store.sqlite.byte_repair import SalvageTransaction, repair_one_byte
from remem.store.sqlite.checksums import is_intact, vector_checksum
from remem.store.sqlite.connection import close, open_for_reading
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.read_corrupt import InvalidText, readable_rows
from remem.store.sqlite.rows import COLUMNS, entry_from, entry_of
from remem.store.sqlite.transaction import Transaction
from remem.text.similarity import fingerprint_of

_WIDTH: Final = len(COLUMNS)
_ENTRY_COLUMNS: Final = (*COLUMNS, "change", "home", "part", "seal")
_VERSION_COLUMNS: Final = ("row", "version", "change", "record", "same", "seal")
_COPIED_TABLES: Final = {
    "erased": ("id", "same", "at"),
    "notices": ("seq", "at", "text"),
    "outbox": ("seq", "file"),
    "projected": ("file", "digest", "items"),
    "meta": ("key", "value"),
    "models": ("model", "name", "dimension", "quantisation"),
    "memory_bits": ("stamp", "row", "model", "facets", "bits"),
    "memory_vectors": ("row", "model", "pooled", "tokens", "seal"),
}
Row = tuple[Any, ...]
Home = Callable[[Entry], str]
"""Finds the domain file of an entry."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The result of a salvage: the ids of damaged entries, by how they were restored.

    `unverified` ones could be read but not checked; they are archived for a person to review.
    """

    entries: int
    read: bool
    repaired_ids: tuple[str, ...] = ()
    from_files: tuple[str, ...] = ()
    from_history: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    lost_versions: tuple[str, ...] = ()
    erased: frozenset[str] = frozenset()
    repaired_history: frozenset[str] = frozenset()
    damaged_ids: frozenset[str] = frozenset()

    @property
    def touched(self) -> set[str]:
        """The ids whose current or earlier text may differ from the old file."""
        restored = {*self.repaired_ids, *self.from_files, *self.from_history, *self.unverified}
        return {*restored, *self.lost, *self.repaired_history, *self.damaged_ids}


@dataclass(slots=True)
class _OldContent:
    """Everything that could be read from the old file."""

    entries: dict[int, tuple[Entry, Row]]
    versions: dict[int, list[Row]]
    other_tables: dict[str, list[Row]]
    repaired_ids: list[str]
    from_files: list[str]
    from_history: list[str]
    unverified: list[str]
    lost: list[str]
    lost_versions: list[str]
    repaired_history: set[int]
    damaged_ids: set[str]


def salvage(old: Path, new: Path, domain_entries: Mapping[str, Entry], home_of: Home) -> Salvaged:
    """Fill a new database from an old one and from the entries of the domain files."""
    content = _read(old, domain_entries)
    store = SqliteStore(new)
    try:
        store.write(lambda tx: _fill(_salvage_transaction(tx), content, domain_entries, home_of))
    finally:
        store.close()
    known = {entry.id for entry, _ in content.entries.values()}
    erased = {row[0] for row in content.other_tables.get("erased", ())}
    return Salvaged(
        entries=len(known | set(domain_entries) - erased),
        read=bool(content.entries),
        repaired_ids=tuple(content.repaired_ids),
        from_files=(*content.from_files, *sorted(set(domain_entries) - known - erased)),
        from_history=tuple(content.from_history),
        unverified=tuple(content.unverified),
        lost=tuple(content.lost),
        lost_versions=tuple(content.lost_versions),
        erased=frozenset(erased),
        damaged_ids=frozenset(content.damaged_ids),
        repaired_history=frozenset(
            entry.id
            for row, (entry, _) in content.entries.items()
            if row in content.repaired_history
        ),
    )


def _read(old: Path, domain_entries: Mapping[str, Entry]) -> _OldContent:
    content = _OldContent({}, {}, {}, [], [], [], [], [], [], set(), set())
    if not old.exists():
        return content
    try:
        connection = open_for_reading(old)
    except StoreDamaged:
        return content  # nothing can be read
    try:
        content.other_tables = {
            table: [
                tuple(row) for row in readable_rows(connection, table, columns) if _is_text(row)
            ]
            for table, columns in _COPIED_TABLES.items()
        }
        for version in _intact_versions(connection, content):
            content.versions.setdefault(version[0], []).append(version)
        for row, *values in readable_rows(connection, "memory_entries", ("row", *_ENTRY_COLUMNS)):
            _take(row, values, domain_entries, content)
    finally:
        close(connection)
    return content


def _take(
    row: int, values: list[Any], domain_entries: Mapping[str, Entry], content: _OldContent
) -> None:
    """Take one entry as it is, or restore it."""
    name = _decoded(values[0])
    if _is_text(values) and (values[-1] is None or is_intact(values)):
        content.entries[row] = entry_from(values[:_WIDTH]), tuple(values[_WIDTH:-1])
        return
    content.damaged_ids.add(name)
    repaired = repair_one_byte(values[:-1], values[-1])
    if repaired is not None:
        content.entries[row] = entry_from(repaired[:_WIDTH]), tuple(repaired[_WIDTH:])
        content.repaired_ids.append(repaired[0])
        return
    history = content.versions.get(row, [])
    if name in domain_entries:
        entry = replace(domain_entries[name], version=_next_version(history))
        content.entries[row] = entry, ("restored from its domain file", None, None)
        content.from_files.append(name)
    elif history:
        last = history.pop()
        entry = entry_of(last[3])
        content.entries[row] = entry, (f"{last[2]}; a later version was damaged", None, None)
        content.from_history.append(entry.id)
    elif (unverified := _unverified_entry(values)) is not None:
        content.entries[row] = unverified, ("read from a damaged record", None, None)
        content.unverified.append(unverified.id)
    else:
        content.lost.append(name if is_entry_id(name) else f"row {row}")


def _unverified_entry(values: Sequence[Any]) -> Entry | None:
    """An archived entry with the id and the text of a damaged record, for a person to review."""
    known = dict(zip(COLUMNS, values, strict=False))
    id_, content, created = known["id"], known["content"], known["created_at"]
    if not isinstance(id_, str) or not is_entry_id(id_) or not isinstance(content, str):
        return None
    kind, when = known["category"], created if isinstance(created, str) else "1970-01-01T00:00:00Z"
    category: Category = kind if kind in CATEGORIES else "fact"
    trust: Trust = "owner" if known["trust"] == "owner" else "untrusted"
    return Entry(id_, category, content, when, when, trust=trust, archived=True)


def _intact_versions(connection: apsw.Connection, content: _OldContent) -> Iterator[Row]:
    for values in readable_rows(connection, "memory_versions", _VERSION_COLUMNS):
        if _is_text(values) and (values[-1] is None or is_intact(values)):
            yield tuple(values)
            continue
        content.repaired_history.add(values[0])
        if repaired := repair_one_byte(values[:-1], values[-1]):
            yield (*repaired, values[-1])
        else:
            content.lost_versions.append(f"version {values[1]} of row {values[0]}")


def _fill(
    tx: SalvageTransaction, content: _OldContent, domain_entries: Mapping[str, Entry], home_of: Home
) -> None:
    for table, rows in content.other_tables.items():
        tx.copy_rows(table, _COPIED_TABLES[table], [row for row in rows if _is_kept(table, row)])
    erased = {row[0] for row in content.other_tables.get("erased", ())}
    known = {entry.id for entry, _ in content.entries.values()}
    for row, (entry, (change, home, part)) in sorted(content.entries.items()):
        tx.restore_entry(row, entry, change, home or home_of(entry), part)
        tx.restore_versions(content.versions.get(row, ()))
    for id_, entry in domain_entries.items():
        if id_ not in known | erased:
            tx.insert(
                entry,
                fingerprint_of(entry.content),
                home_of(entry),
                "restored from its domain file",
            )
    tx.reset_vectors()


def _is_kept(table: str, row: Row) -> bool:
    """Whether to copy a row: no damaged vector, and no state that is rebuilt from files."""
    if table == "memory_vectors":
        return all(isinstance(value, bytes | None) for value in row[2:4]) and (
            vector_checksum(row[2] or b"", row[3]) == row[4]
        )
    return table != "meta" or not (row[0] == "scope" or str(row[0]).startswith(FILE_STATE_KEYS))


def _salvage_transaction(tx: object) -> SalvageTransaction:
    assert isinstance(tx, Transaction)
    return SalvageTransaction(tx._connection)


def _next_version(history: Sequence[Row]) -> int:
    return max((int(version[1]) for version in history), default=0) + 1


def _is_text(values: Sequence[Any]) -> bool:
    """Whether every text could be decoded."""
    return not any(isinstance(value, InvalidText) for value in values)


def _decoded(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
