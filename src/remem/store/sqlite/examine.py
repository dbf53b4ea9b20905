"""Examine an entry database for damage, with plain SQL and without changing it.

A database that is busy, locked or not accessible is not damaged: such errors are raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.ports.records import Examination
from remem.store.sqlite.bookkeeping import bookkeeping_problems
from remem.store.sqlite.checksums import CHECKED_COLUMNS, is_intact
from remem.store.sqlite.connection import close, open_for_reading, translating_errors
from remem.store.sqlite.examine_derived import text_problems, vector_problems
from remem.store.sqlite.neighbours import place_problems
from remem.store.sqlite.rows import COLUMNS, entry_from, lookup_values, state_of
from remem.store.sqlite.schema import migrate, require_current, version_of
from remem.text.similarity import fingerprint_of
from remem.text.words import fold

_MAX_LINES: Final = 20
_SCHEMA: Final = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_TEXT_TABLES: Final = ("memory_fts", "memory_fts_aside")


def examine(path: Path) -> Examination:
    """Examine an entry database; raises StoreError if it cannot be opened."""
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
    structure = (*_structure(connection), *_schema(connection))
    records, records_error = _tried(lambda: _records(connection))
    history, history_error = _tried(lambda: _history(connection))
    derived, derived_error = _tried(lambda: list(_derived(connection)))
    errors = (records_error, history_error, derived_error)
    return Examination(
        sqlite=version,
        schema=schema,
        structure=(*structure, *(error for error in errors if error)),
        damaged=tuple(records),
        damaged_history=tuple(history),
        derived=tuple(derived),
        entries=_number(connection, "SELECT count(*) FROM memory_entries"),
        newest=_text(connection, "SELECT max(updated_at) FROM memory_entries"),
        owner=_text(connection, "SELECT value FROM meta WHERE key = 'scope'"),
    )


def _structure(connection: apsw.Connection) -> Iterator[str]:
    """Problems that SQLite finds; full text is checked separately, because it can be rebuilt."""
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})"):
            if line != "ok" and not str(line).startswith("fts5:"):
                yield str(line)
    except apsw.CorruptError as error:
        yield str(error)


def _schema(connection: apsw.Connection) -> Iterator[str]:
    """Tables whose definition differs from that of a new database."""
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        wanted, actual = set(fresh.execute(_SCHEMA)), set(connection.execute(_SCHEMA))
    finally:
        fresh.close()
    for name, _ in sorted(wanted - actual):
        yield f"the definition of {name} is wrong"


def _records(connection: apsw.Connection) -> list[str]:
    """The ids of entries whose checksum is wrong."""
    rows = connection.execute(
        f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e ORDER BY e.row"
    )
    return [_name(row, values[0]) for row, *values in rows if not is_intact(values)]


def _history(connection: apsw.Connection) -> list[str]:
    """The ids of entries with an earlier version whose checksum is wrong."""
    rows = connection.execute(
        "SELECT coalesce(e.id, v.row), v.row, v.version, v.change, v.record, v.same, v.seal "
        "FROM memory_versions v LEFT JOIN memory_entries e ON e.row = v.row ORDER BY v.row"
    )
    return list(dict.fromkeys(str(id_) for id_, *values in rows if not is_intact(values)))


def _derived(connection: apsw.Connection) -> Iterator[str]:
    """Problems of data that can be rebuilt from the entries."""
    for table in _TEXT_TABLES:
        yield from _full_text(connection, table)
    yield from text_problems(connection)
    yield from _lookup_problems(connection)
    yield from place_problems(connection)
    yield from vector_problems(connection)
    yield from bookkeeping_problems(connection)
    for count, text in _counts(connection):
        if count:
            yield f"{count} {text}"


def _full_text(connection: apsw.Connection, table: str) -> Iterator[str]:
    live = int(table == "memory_fts")
    try:
        if problem := _integrity(connection, table):
            yield f"the full text {table} is damaged: {problem}"
            return
        indexed = {row for (row,) in connection.execute(f"SELECT rowid FROM {table}")}
    except apsw.Error as error:
        yield f"the full text {table} is damaged: {error}"
        return
    wanted = {
        row
        for (row,) in connection.execute("SELECT row FROM memory_entries WHERE live = ?", [live])
    }
    if missing := len(wanted - indexed):
        yield f"{missing} entries are missing from the full text {table}"
    if extra := len(indexed - wanted):
        yield f"the full text {table} has {extra} rows without an entry"


def _integrity(connection: apsw.Connection, table: str) -> str | None:
    """The problem that SQLite finds in a full-text table.

    FTS5's own check needs an insert, which a reader may not do; integrity_check runs it too.
    """
    rows = list(connection.execute(f"PRAGMA integrity_check({table})"))
    return None if rows == [("ok",)] else str(rows[0][0])


def _lookup_problems(connection: apsw.Connection) -> Iterator[str]:
    """Problems of the lookup columns of entries, and of their tags."""
    columns = ", ".join(f"e.{column}" for column in COLUMNS)
    rows = connection.execute(
        f"SELECT e.standing, e.live, e.same, e.longest, e.row, {columns} FROM memory_entries e"
    )
    tags: dict[int, set[str]] = {}
    for row, tag in connection.execute("SELECT row, tag FROM memory_tags"):
        tags.setdefault(row, set()).add(tag)
    wrong = 0
    for standing, live, same, longest, row, *values in rows:
        entry = _entry(values)
        if entry is None:
            continue
        lookups = lookup_values(fingerprint_of(entry.content))
        wrong += (
            [bool(standing), bool(live)] != list(state_of(entry))
            or [same, longest] != lookups
            or tags.get(row, set()) != {fold(tag) for tag in entry.tags}
        )
    if wrong:
        yield f"{wrong} entries have wrong lookup values"


def _entry(values: list[Any]) -> Any:
    try:
        return entry_from(values)
    except (ValueError, TypeError):  # a damaged record, reported as such
        return None


def _counts(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    for statement, text in (
        (_ORPHANED, "versions have no entry"),
        (_UNQUEUED, "entries have no vector and are not queued for one"),
    ):
        yield _number(connection, statement), text


_ORPHANED: Final = (
    "SELECT count(*) FROM memory_versions WHERE row NOT IN (SELECT row FROM memory_entries)"
)
_UNQUEUED: Final = """SELECT count(*) FROM memory_entries
    WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'model')
    AND row NOT IN (SELECT row FROM vector_queue)
    AND row NOT IN (SELECT row FROM memory_vectors)"""


def _tried(check: Callable[[], list[str]]) -> tuple[list[str], str | None]:
    """The result of a check, or the error if damage prevents it."""
    try:
        return check(), None
    except (apsw.CorruptError, apsw.SQLError, ValueError, TypeError) as error:
        return [], str(error)


def _number(connection: apsw.Connection, statement: str) -> int:
    return int(_first(connection.execute(statement), 0))


def _text(connection: apsw.Connection, statement: str) -> str | None:
    value = _first(connection.execute(statement), None)
    return value if isinstance(value, str) else None


def _first(rows: Iterable[Any], default: Any) -> Any:
    row = next(iter(rows), None)
    return default if row is None else row[0]


def _name(row: int, id_: object) -> str:
    return id_ if isinstance(id_, str) else f"row {row}"
