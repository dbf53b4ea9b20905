"""Salvage a damaged database into a new one.

Readable records are copied. A damaged one is restored from its domain file or its history, or kept
as an archived entry for review, or reported as lost. Whether the new file is good enough is decided
by separate code (`find_losses`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreError
from remem.model.domain_routing import domain_file_key
from remem.model.entry import CATEGORIES, Category, Entry, Trust, is_entry_id
from remem.ports.records import Home
from remem.ports.state import FILE_STATE
from remem.store.rows import COLUMNS, entry_from, entry_of
from remem.store.sqlite import schema
from remem.store.sqlite.checksums import is_intact
from remem.store.sqlite.connection import close, open_for_reading, open_for_writing
from remem.store.sqlite.former_state import former_notices, former_records
from remem.store.sqlite.process_lock import create_private
from remem.store.sqlite.transaction import SqliteTransaction
from remem.text.similarity import folded_hash

_WIDTH: Final = len(COLUMNS)
_ENTRY_COLUMNS: Final = ("row", *COLUMNS, "change", "home", "part", "archive_reason", "seal")
_VERSION_COLUMNS: Final = ("row", "version", "change", "record", "same", "seal")
_COPIED_TABLES: Final = {
    "erased": ("id", "same", "at"),
    "outbox": ("seq", "file"),
    "records": ("namespace", "key", "value"),
}
_WITHOUT_ROWID: Final = {
    "memory_versions": "row",
    "erased": "id",
    "records": "namespace",
    "meta": "key",
}
"""Tables without rowids, and the first column of their keys."""
_RECOMPUTED: Final = FILE_STATE | {"scope"}
"""The kinds of records that are determined again instead of being copied."""
_RESTORED: Final = "restored from its domain file"
_UNREADABLE: Final = (apsw.Error, UnicodeDecodeError)

Row = tuple[Any, ...]
StemOf = Callable[[Entry], str]
"""Returns the stem of an entry's domain file."""


@dataclass(slots=True)
class Salvaged:
    """The result of a salvage: the ids of damaged entries, by how they were restored.

    `unverified` entries could be read but not checked; they are archived for a person to review.
    `damaged` are the ids whose current or earlier text may differ from the old file.
    """

    entries: int = 0
    read: bool = False
    from_files: list[str] = field(default_factory=list)
    from_history: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    lost_versions: list[str] = field(default_factory=list)
    erased: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)


def salvage(old: Path, new: Path, domain_entries: Mapping[str, Entry], stem_of: StemOf) -> Salvaged:
    """Fill a new database from an old one and from the entries of the domain files."""
    create_private(new)
    target = open_for_writing(new)
    try:
        schema.migrate(target, new)
        with target:
            run = _Salvage(SqliteTransaction(target), target, domain_entries, stem_of)
            _read(old, run)
            run.insert_missing()
    finally:
        close(target)
    return run.done


def _read(old: Path, salvage_run: _Salvage) -> None:
    if not old.exists():
        return
    try:
        source = open_for_reading(old)
    except StoreError:
        return  # nothing can be read
    try:
        for table, columns in _COPIED_TABLES.items():
            salvage_run.copy(table, columns, _rows(source, table, columns))
        salvage_run.copy("records", _COPIED_TABLES["records"], _former_records(source))
        salvage_run.copy_entries(source)
    finally:
        close(source)


@dataclass(slots=True)
class _Salvage:
    """The state of one salvage: the target, the entries of the domain files, and the result."""

    tx: SqliteTransaction
    target: apsw.Connection
    domain_entries: Mapping[str, Entry]
    stem_of: StemOf
    done: Salvaged = field(default_factory=Salvaged)
    _known: set[str] = field(default_factory=set)
    _present: set[str] = field(default_factory=set)
    """All ids in the old file."""
    _last_parts: dict[str, int] = field(default_factory=dict)

    def copy(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Copy a table that holds no entries or versions."""
        kept_rows = [row for row in rows if table != "records" or row[0] not in _RECOMPUTED]
        if table == "erased":
            self.done.erased.update(row[0] for row in kept_rows)
        self.target.executemany(
            f"INSERT OR IGNORE INTO {table}({', '.join(columns)}) "
            f"VALUES ({', '.join('?' * len(columns))})",
            kept_rows,
        )

    def copy_entries(self, source: apsw.Connection) -> None:
        """Copy entries and their history, and restore the damaged ones.

        The index on `id` lists the entries even if the pages of the table cannot be read.
        """
        names: dict[int, str] = dict(
            _until_damage(source, "SELECT row, id FROM memory_entries ORDER BY id")
        )
        self._present = {str(name) for name in names.values()}
        versions = self._intact_versions(source, names)
        records = {row[0]: row[1:] for row in _rows(source, "memory_entries", _ENTRY_COLUMNS)}
        for row in sorted({*names, *records}):
            record, history = records.get(row), versions.get(row, [])
            if record is not None and (record[-1] is None or is_intact(record)):
                change, stem, part, reason = record[_WIDTH:-1]
                self._insert(row, entry_from(record[:_WIDTH], reason), change, Home(stem, part))
            else:
                name = str(names.get(row) or (record or [""])[0])
                self._restore(source, row, name, history)
            self._insert_history(row, history)
        self.done.read = bool(names or records)

    def insert_missing(self) -> None:
        """Insert the entries that only the domain files have."""
        for id_, entry in self.domain_entries.items():
            if id_ not in self._known | self.done.erased:
                home = self._home(entry)
                self.tx.insert(entry, _RESTORED, home)
                self.tx.add_to_outbox(domain_file_key(*home))
                self.done.from_files.append(id_)
                self.done.damaged.add(id_)
                self._known.add(id_)
        self.done.entries = len(self._known)

    def _restore(self, source: apsw.Connection, row: int, name: str, history: list[Row]) -> None:
        """Restore a damaged entry; a version taken from its history is removed from there.

        An entry that is not in a domain file was not current, so it is restored as archived.
        """
        texts = _texts(source, row)
        domain_entry = self.domain_entries.get(name) or self._with_content(texts.get("content"))
        if domain_entry is not None:
            version = max((int(version[1]) for version in history), default=0) + 1
            self._insert(row, replace(domain_entry, version=version), _RESTORED)
            self._record(self.done.from_files, name, domain_entry.id)
        elif history:
            last = history.pop()
            entry = replace(entry_of(last[3]), archived=True)
            self._insert(row, entry, f"{last[2]}; a later version was damaged")
            self._record(self.done.from_history, name, entry.id)
        elif (unverified := _unverified_entry(name, texts)) is not None:
            self._insert(row, unverified, "read from a damaged record")
            self._record(self.done.unverified, name, name)
        else:
            self._record(self.done.lost, name, name if is_entry_id(name) else f"row {row}")

    def _with_content(self, content: str | None) -> Entry | None:
        """Return the domain-file entry that has this content.

        Used when a record's id is damaged.
        """
        entries = (entry for id_, entry in self.domain_entries.items() if id_ not in self._present)
        return next((entry for entry in entries if entry.content == content), None)

    def _record(self, ids: list[str], damaged_text: str, restored_text: str) -> None:
        ids.append(restored_text)
        self.done.damaged.update((damaged_text, restored_text))

    def _insert(self, row: int, entry: Entry, change: str, home: Home | None = None) -> None:
        self._known.add(entry.id)
        home = home or self._home(entry)
        self._last_parts[home.stem] = max(home.part, self._last_parts.get(home.stem, 1))
        self.tx.insert_record(entry, change, home, row=row)

    def _home(self, entry: Entry) -> Home:
        stem = self.stem_of(entry)
        return Home(stem, self._last_parts.get(stem, 1))

    def _insert_history(self, row: int, history: Iterable[Row]) -> None:
        self.tx.insert_versions(
            (row, version, change, record, folded_hash(entry_of(record).content))
            for _, version, change, record, *_ in history
        )

    def _intact_versions(
        self, source: apsw.Connection, names: Mapping[int, str]
    ) -> dict[int, list[Row]]:
        """Return the intact earlier versions by row; the others are lost."""
        expected = _until_damage(source, "SELECT row, version FROM memory_versions ORDER BY same")
        lost = dict.fromkeys(map(tuple, expected))
        intact: dict[int, list[Row]] = {}
        for version in sorted(_rows(source, "memory_versions", _VERSION_COLUMNS)):
            lost[version[:2]] = None
            if version[-1] is None or is_intact(version):
                intact.setdefault(version[0], []).append(version)
                del lost[version[:2]]
        for row, number in sorted(lost):
            name = names.get(row, f"row {row}")
            self._record(self.done.lost_versions, name, f"version {number} of {name}")
        return intact


def _former_records(source: apsw.Connection) -> Iterator[Row]:
    """Yield the records of a database with schema 10 or earlier."""
    yield from former_notices(_rows(source, "notices", ("seq", "at", "text")))
    for key, value in _rows(source, "meta", ("key", "value")):
        yield from former_records(str(key), str(value)) or ()


def _unverified_entry(name: str, texts: Mapping[str, str]) -> Entry | None:
    """Return an archived entry with the text of a damaged record, for a person to review."""
    content = texts.get("content")
    if not is_entry_id(name) or not content:
        return None
    when = texts.get("created_at", "1970-01-01T00:00:00Z")
    kind = texts.get("category")
    category: Category = kind if kind in CATEGORIES else "fact"
    trust: Trust = "owner" if texts.get("trust") == "owner" else "untrusted"
    return Entry(name, category, content, when, when, trust=trust, archived=True)


def _texts(source: apsw.Connection, row: int) -> dict[str, str]:
    """Return the texts of a damaged record, as far as they can be read."""
    texts: dict[str, str] = {}
    for column in ("content", "category", "trust", "created_at"):
        with suppress(apsw.Error):
            query = f"SELECT CAST({column} AS BLOB) FROM memory_entries WHERE row = ?"
            for (data,) in source.execute(query, [row]):
                texts[column] = bytes(data or b"").decode(errors="replace")
    return texts


def _rows(source: apsw.Connection, table: str, columns: Sequence[str]) -> list[Row]:
    """Return all rows that can still be read, without duplicates.

    Rows are read in order; if that fails, one by one, or from both ends if they have no rowid.
    A column that the table of an earlier schema does not have is None.
    """
    known = {row[1] for row in _until_damage(source, f"PRAGMA table_info({table})")}
    values = ", ".join(column if column in known else "NULL" for column in columns)
    select, key = f"SELECT {values} FROM {table}", _WITHOUT_ROWID.get(table, "rowid")
    try:
        return list(source.execute(f"{select} ORDER BY {key}"))
    except _UNREADABLE:
        pass
    if key == "rowid":
        return list(_one_by_one(source, table, select))
    both = [*_until_damage(source, f"{select} ORDER BY {key}")]
    both += _until_damage(source, f"{select} ORDER BY {key} DESC")
    return list(dict.fromkeys(both))


def _one_by_one(source: apsw.Connection, table: str, select: str) -> Iterator[Row]:
    numbers = [0]
    for query in (
        f"SELECT max(rowid) FROM {table}",
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
    ):
        numbers += [int(number or 0) for (number,) in _until_damage(source, query)]
    for number in range(1, max(numbers) + 1):
        with suppress(*_UNREADABLE):
            yield from list(source.execute(f"{select} WHERE rowid = ?", [number]))


def _until_damage(source: apsw.Connection, statement: str) -> list[Row]:
    """Return the rows before the first one that cannot be read."""
    rows: list[Row] = []
    with suppress(*_UNREADABLE):
        for row in source.execute(statement):
            rows.append(row)
    return rows
