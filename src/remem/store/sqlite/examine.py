"""Examine an entry database for damage, with plain SQL and without changing it.

A database that is busy, locked or not accessible is not damaged: such errors are raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged, counted
from remem.ports.records import Examination
from remem.store.sqlite.bookkeeping import bookkeeping_problems
from remem.store.sqlite.checksums import CHECKED_COLUMNS, is_intact
from remem.store.sqlite.connection import close, open_for_reading, translating_errors
from remem.store.sqlite.examine_derived import (
    SCHEMA,
    TEXT_TABLES,
    entry_problems,
    vector_problems,
)
from remem.store.sqlite.schema import migrate, require_current, version_of

_MAX_LINES: Final = 20
_COUNT_CHECKS: Final = (
    (
        "SELECT count(*) FROM memory_versions WHERE row NOT IN (SELECT row FROM memory_entries)",
        "version has",
        "versions have",
        "no entry",
    ),
    (
        """SELECT count(*) FROM memory_entries
            WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'model')
            AND row NOT IN (SELECT row FROM vector_queue)
            AND row NOT IN (SELECT row FROM memory_vectors)""",
        "entry has",
        "entries have",
        "no vector and no place in the queue for one",
    ),
)
"""Queries that count wrong rows, and the words of the sentence that reports them."""


def examine(path: Path) -> Examination:
    """Examine an entry database; raise StoreError if it cannot be opened."""
    version = apsw.sqlite_lib_version()
    try:
        connection = open_for_reading(path)
    except StoreDamaged as error:
        return Examination(version, None, structure=(str(error.args[0]),))
    try:
        with translating_errors(path):
            schema = version_of(connection, path)
            require_current(connection, path)
            return _examination(connection, version, schema)
    except StoreDamaged as error:
        return Examination(version, None, structure=(str(error.args[0]),))
    finally:
        close(connection)


def _examination(connection: apsw.Connection, version: str, schema: int) -> Examination:
    structure = (*_file_problems(connection), *_schema_problems(connection))
    damaged, damaged_error = _run_check(lambda: _damaged_entries(connection))
    damaged_history, history_error = _run_check(lambda: _entries_with_damaged_history(connection))
    derived, derived_error = _run_check(lambda: list(_derived_problems(connection)))
    errors = (damaged_error, history_error, derived_error)
    return Examination(
        sqlite_version=version,
        schema=schema,
        structure=(*structure, *(error for error in errors if error)),
        damaged=tuple(damaged),
        damaged_history=tuple(damaged_history),
        derived=tuple(derived),
        entries=int(_first_value(connection, "SELECT count(*) FROM memory_entries")),
        newest_entry_at=_first_text(connection, "SELECT max(updated_at) FROM memory_entries"),
        scope=_first_text(
            connection, "SELECT value ->> '$' FROM records WHERE namespace = 'scope'"
        ),
    )


def _file_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the problems that SQLite finds in the file, except those in full text.

    Full text can be rebuilt, and is checked by `_full_text_problems`.
    """
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})"):
            if line != "ok" and not str(line).startswith("fts5:"):
                yield str(line)
    except apsw.CorruptError as error:
        yield str(error)


def _schema_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the tables that are defined differently in a new database."""
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        expected, actual = set(fresh.execute(SCHEMA)), set(connection.execute(SCHEMA))
    finally:
        fresh.close()
    for name, _ in sorted(expected - actual):
        yield f"the definition of {name} is wrong"


def _damaged_entries(connection: apsw.Connection) -> list[str]:
    """Return the ids of entries whose checksum is wrong."""
    rows = connection.execute(
        f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e ORDER BY e.row"
    )
    return [_id_or_row(values[0], row) for row, *values in rows if not is_intact(values)]


def _entries_with_damaged_history(connection: apsw.Connection) -> list[str]:
    """Return the ids of entries with an earlier version whose checksum is wrong."""
    rows = connection.execute(
        "SELECT coalesce(e.id, v.row), v.row, v.version, v.change, v.record, v.same, v.seal "
        "FROM memory_versions v LEFT JOIN memory_entries e ON e.row = v.row ORDER BY v.row"
    )
    return list(dict.fromkeys(str(id_) for id_, *values in rows if not is_intact(values)))


def _derived_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the problems in data that can be rebuilt from the entries."""
    for table in TEXT_TABLES:
        yield from _full_text_problems(connection, table)
    yield from entry_problems(connection)
    yield from vector_problems(connection)
    yield from bookkeeping_problems(connection)
    for query, noun, plural, problem in _COUNT_CHECKS:
        if count := _first_value(connection, query):
            yield f"{counted(count, noun, plural)} {problem}"


def _full_text_problems(connection: apsw.Connection, table: str) -> Iterator[str]:
    live = int(table == "memory_fts")
    try:
        if problem := _full_text_damage(connection, table):
            yield f"the full-text index {table} is damaged: {problem}"
            return
        indexed = {row for (row,) in connection.execute(f"SELECT rowid FROM {table}")}
    except apsw.Error as error:
        yield f"the full-text index {table} is damaged: {error}"
        return
    expected = {
        row
        for (row,) in connection.execute("SELECT row FROM memory_entries WHERE live = ?", [live])
    }
    if missing := len(expected - indexed):
        entries = counted(missing, "entry is", "entries are")
        yield f"{entries} missing from the full-text index {table}"
    if extra := len(indexed - expected):
        yield f"the full-text index {table} has {counted(extra, 'row')} without an entry"


def _full_text_damage(connection: apsw.Connection, table: str) -> str | None:
    """Return the problem that SQLite finds in a full-text table; None if there is none.

    FTS5's own command for this is an INSERT, which a reader may not run; `integrity_check` does the
    same.
    """
    rows = list(connection.execute(f"PRAGMA integrity_check({table})"))
    return None if rows == [("ok",)] else str(rows[0][0])


def _run_check(check: Callable[[], list[str]]) -> tuple[list[str], str | None]:
    """Return the result of a check, and the error if damage prevents it."""
    try:
        return check(), None
    except (apsw.CorruptError, apsw.SQLError, ValueError, TypeError) as error:
        return [], str(error)


def _first_text(connection: apsw.Connection, statement: str) -> str | None:
    value = _first_value(connection, statement)
    return value if isinstance(value, str) else None


def _first_value(connection: apsw.Connection, statement: str) -> Any:
    row = next(iter(connection.execute(statement)), None)
    return row[0] if row else None


def _id_or_row(id_: object, row: int) -> str:
    return id_ if isinstance(id_, str) else f"row {row}"
