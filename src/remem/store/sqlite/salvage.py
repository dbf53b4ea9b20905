"""Salvage a damaged entry database into a new one.

Intact entries are copied. A damaged entry is restored from its domain file or from its history, or
stored as an archived entry for review, or reported as lost. `salvage_check` decides, without this
code, whether the new database is complete.
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
from remem.store.rows import COLUMNS, entry_from_json, entry_from_values
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
class SalvageResult:
    """The number of entries in the new database, and the ids of damaged ones.

    `from_files` and `from_history` were restored. `unverified` entries could be read but not
    checked; they are archived for a person to review. `damaged` are all ids whose current or
    earlier text may differ from the old database. `was_readable` is false if nothing could be read
    from that.
    """

    entries: int = 0
    was_readable: bool = False
    from_files: list[str] = field(default_factory=list)
    from_history: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    lost_versions: list[str] = field(default_factory=list)
    erased: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)


def salvage(
    old: Path, new: Path, domain_entries: Mapping[str, Entry], stem_of: StemOf
) -> SalvageResult:
    """Fill a new database from an old one and from the entries of the domain files."""
    create_private(new)
    target = open_for_writing(new)
    try:
        schema.migrate(target, new)
        with target:
            run = _SalvageRun(SqliteTransaction(target), target, domain_entries, stem_of)
            _copy_from(old, run)
            run.insert_missing()
    finally:
        close(target)
    return run.result


def _copy_from(old: Path, run: _SalvageRun) -> None:
    """Copy everything that can be read from the old database."""
    if not old.exists():
        return
    try:
        source = open_for_reading(old)
    except StoreError:
        return  # nothing can be read
    try:
        for table, columns in _COPIED_TABLES.items():
            run.copy(table, columns, _rows(source, table, columns))
        run.copy("records", _COPIED_TABLES["records"], _former_records(source))
        run.copy_entries(source)
    finally:
        close(source)


@dataclass(slots=True)
class _SalvageRun:
    """A salvage in progress: the new database, the entries of the domain files, and the result."""

    tx: SqliteTransaction
    target: apsw.Connection
    domain_entries: Mapping[str, Entry]
    stem_of: StemOf
    result: SalvageResult = field(default_factory=SalvageResult)
    _inserted: set[str] = field(default_factory=set)
    """The ids in the new database."""
    _old_ids: set[str] = field(default_factory=set)
    """The ids in the old database."""
    _last_parts: dict[str, int] = field(default_factory=dict)
    """The highest part of the domain files with each stem."""

    def copy(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Copy the rows of a table that contains neither entries nor versions."""
        copied = [row for row in rows if table != "records" or row[0] not in _RECOMPUTED]
        if table == "erased":
            self.result.erased.update(row[0] for row in copied)
        self.target.executemany(
            f"INSERT OR IGNORE INTO {table}({', '.join(columns)}) "
            f"VALUES ({', '.join('?' * len(columns))})",
            copied,
        )

    def copy_entries(self, source: apsw.Connection) -> None:
        """Copy entries and their history, and restore the damaged ones.

        The index on `id` lists the entries even if the pages of the table cannot be read.
        """
        ids: dict[int, str] = dict(
            _until_damage(source, "SELECT row, id FROM memory_entries ORDER BY id")
        )
        self._old_ids = {str(id_) for id_ in ids.values()}
        versions = self._intact_versions(source, ids)
        entries = {row[0]: row[1:] for row in _rows(source, "memory_entries", _ENTRY_COLUMNS)}
        for row in sorted({*ids, *entries}):
            values, history = entries.get(row), versions.get(row, [])
            if values is not None and (values[-1] is None or is_intact(values)):
                change, stem, part, archive_reason = values[_WIDTH:-1]
                entry = entry_from_values(values[:_WIDTH], archive_reason)
                self._insert(row, entry, change, Home(stem, part))
            else:
                id_ = str(ids.get(row) or (values or [""])[0])
                self._restore(source, row, id_, history)
            self._insert_history(row, history)
        self.result.was_readable = bool(ids or entries)

    def insert_missing(self) -> None:
        """Insert the entries that only the domain files have."""
        for id_, entry in self.domain_entries.items():
            if id_ not in self._inserted | self.result.erased:
                home = self._home(entry)
                self.tx.insert(entry, _RESTORED, home)
                self.tx.add_to_outbox(domain_file_key(*home))
                self.result.from_files.append(id_)
                self.result.damaged.add(id_)
                self._inserted.add(id_)
        self.result.entries = len(self._inserted)

    def _restore(self, source: apsw.Connection, row: int, id_: str, history: list[Row]) -> None:
        """Restore a damaged entry; a version taken from its history is removed from there.

        An entry that is not in a domain file was not current, so it is restored as archived. The
        damage may be in the id itself.
        """
        texts = _texts(source, row)
        domain_entry = self.domain_entries.get(id_) or self._with_content(texts.get("content"))
        if domain_entry is not None:
            version = max((int(version[1]) for version in history), default=0) + 1
            self._insert(row, replace(domain_entry, version=version), _RESTORED)
            self._add(self.result.from_files, id_, domain_entry.id)
        elif history:
            last = history.pop()
            entry = replace(entry_from_json(last[3]), archived=True)
            self._insert(row, entry, f"{last[2]}; a later version was damaged")
            self._add(self.result.from_history, id_, entry.id)
        elif (unverified := _unverified_entry(id_, texts)) is not None:
            self._insert(row, unverified, "read from a damaged record")
            self._add(self.result.unverified, id_, id_)
        else:
            self._add(self.result.lost, id_, id_ if is_entry_id(id_) else f"row {row}")

    def _with_content(self, content: str | None) -> Entry | None:
        """Return the entry of a domain file that has this content.

        It must not be in the old database under its id.
        """
        entries = (entry for id_, entry in self.domain_entries.items() if id_ not in self._old_ids)
        return next((entry for entry in entries if entry.content == content), None)

    def _add(self, names: list[str], damaged_id: str, name: str) -> None:
        """Add the name of a damaged entry or version to one of the lists of the result."""
        names.append(name)
        self.result.damaged.update((damaged_id, name))

    def _insert(self, row: int, entry: Entry, change: str, home: Home | None = None) -> None:
        self._inserted.add(entry.id)
        home = home or self._home(entry)
        self._last_parts[home.stem] = max(home.part, self._last_parts.get(home.stem, 1))
        self.tx.insert_record(entry, change, home, row=row)

    def _home(self, entry: Entry) -> Home:
        stem = self.stem_of(entry)
        return Home(stem, self._last_parts.get(stem, 1))

    def _insert_history(self, row: int, history: Iterable[Row]) -> None:
        self.tx.insert_versions(
            (row, version, change, record, folded_hash(entry_from_json(record).content))
            for _, version, change, record, *_ in history
        )

    def _intact_versions(
        self, source: apsw.Connection, ids: Mapping[int, str]
    ) -> dict[int, list[Row]]:
        """Return the intact earlier versions by row, and report the others as lost."""
        expected = _until_damage(source, "SELECT row, version FROM memory_versions ORDER BY same")
        lost = dict.fromkeys(map(tuple, expected))
        intact: dict[int, list[Row]] = {}
        for version in sorted(_rows(source, "memory_versions", _VERSION_COLUMNS)):
            lost[version[:2]] = None
            if version[-1] is None or is_intact(version):
                intact.setdefault(version[0], []).append(version)
                del lost[version[:2]]
        for row, number in sorted(lost):
            id_ = ids.get(row, f"row {row}")
            self._add(self.result.lost_versions, id_, f"version {number} of {id_}")
        return intact


def _former_records(source: apsw.Connection) -> Iterator[Row]:
    """Yield the records of a database with schema 10 or earlier."""
    yield from former_notices(_rows(source, "notices", ("seq", "at", "text")))
    for key, value in _rows(source, "meta", ("key", "value")):
        yield from former_records(str(key), str(value)) or ()


def _unverified_entry(id_: str, texts: Mapping[str, str]) -> Entry | None:
    """Return an archived entry with the text of a damaged one, for a person to review."""
    content = texts.get("content")
    if not is_entry_id(id_) or not content:
        return None
    created_at = texts.get("created_at", "1970-01-01T00:00:00Z")
    stored_category = texts.get("category")
    category: Category = stored_category if stored_category in CATEGORIES else "fact"
    trust: Trust = "owner" if texts.get("trust") == "owner" else "untrusted"
    return Entry(id_, category, content, created_at, created_at, trust=trust, archived=True)


def _texts(source: apsw.Connection, row: int) -> dict[str, str]:
    """Return the texts of a damaged entry by column, as far as they can be read."""
    texts: dict[str, str] = {}
    for column in ("content", "category", "trust", "created_at"):
        with suppress(apsw.Error):
            query = f"SELECT CAST({column} AS BLOB) FROM memory_entries WHERE row = ?"
            for (data,) in source.execute(query, [row]):
                texts[column] = bytes(data or b"").decode(errors="replace")
    return texts


def _rows(source: apsw.Connection, table: str, columns: Sequence[str]) -> list[Row]:
    """Return all rows of a table that can still be read, without duplicates.

    Rows are read in order. If that fails, they are read one by one, or, in a table without rowids,
    from both ends. A column that the table of an earlier schema does not have is None.
    """
    existing = {row[1] for row in _until_damage(source, f"PRAGMA table_info({table})")}
    values = ", ".join(column if column in existing else "NULL" for column in columns)
    select, key = f"SELECT {values} FROM {table}", _WITHOUT_ROWID.get(table, "rowid")
    try:
        return list(source.execute(f"{select} ORDER BY {key}"))
    except _UNREADABLE:
        pass
    if key == "rowid":
        return list(_one_by_one(source, table, select))
    from_start = _until_damage(source, f"{select} ORDER BY {key}")
    from_end = _until_damage(source, f"{select} ORDER BY {key} DESC")
    return list(dict.fromkeys([*from_start, *from_end]))


def _one_by_one(source: apsw.Connection, table: str, select: str) -> Iterator[Row]:
    """Yield the rows that can be read one by one."""
    last_numbers = [0]
    for query in (
        f"SELECT max(rowid) FROM {table}",
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
    ):
        last_numbers += [int(number or 0) for (number,) in _until_damage(source, query)]
    for number in range(1, max(last_numbers) + 1):
        with suppress(*_UNREADABLE):
            yield from list(source.execute(f"{select} WHERE rowid = ?", [number]))


def _until_damage(source: apsw.Connection, statement: str) -> list[Row]:
    """Return the rows before the first one that cannot be read."""
    rows: list[Row] = []
    with suppress(*_UNREADABLE):
        for row in source.execute(statement):
            rows.append(row)
    return rows
