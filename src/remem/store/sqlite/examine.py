"""Is a database sound, down to its last record? Looks, with plain SQL, and changes nothing.

Busy, locked or not ours to open is not damage: such an error is raised, never judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.ports.records import Examined
from remem.store.sqlite.bookkeeping import remarks_found
from remem.store.sqlite.checksums import SEALED, is_sound
from remem.store.sqlite.connection import close, open_for_reading, translating
from remem.store.sqlite.examine_derived import vectors_found, words_found
from remem.store.sqlite.neighbours import places_found
from remem.store.sqlite.rows import COLUMNS, entry_from, lookup_values, state_of
from remem.store.sqlite.schema import migrate, require_current, version_of
from remem.text.similarity import fingerprint
from remem.text.words import fold

_LINES: Final = 20
_SCHEMA: Final = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_TABLES: Final = ("memory_fts", "memory_fts_aside")


def examine(path: Path) -> Examined:
    """What is wrong with a database of entries; StoreError where it cannot be judged."""
    version = apsw.sqlite_lib_version()
    try:
        connection = open_for_reading(path)
    except StoreDamaged as error:
        return Examined(version, None, structure=(str(error.args[0]),))
    try:
        with translating(path):
            schema = version_of(connection, path)
            require_current(connection, path)
            return _examined(connection, version, schema)
    except StoreDamaged as error:
        return Examined(version, None, structure=(str(error.args[0]),))
    finally:
        close(connection)


def _examined(connection: apsw.Connection, version: str, schema: int) -> Examined:
    structure = (*_structure(connection), *_schema(connection))
    records, unsound = _tried(lambda: _records(connection), [])
    history, cut = _tried(lambda: _history(connection), [])
    derived, barred = _tried(lambda: list(_derived(connection)), [])
    return Examined(
        sqlite=version,
        schema=schema,
        structure=(*structure, *(each for each in (unsound, cut, barred) if each)),
        damaged=tuple(records),
        damaged_history=tuple(history),
        derived=tuple(derived),
        entries=_number(connection, "SELECT count(*) FROM memory_entries"),
        newest=_text(connection, "SELECT max(updated_at) FROM memory_entries"),
        owner=_text(connection, "SELECT value FROM meta WHERE key = 'scope'"),
    )


def _structure(connection: apsw.Connection) -> Iterator[str]:
    """What SQLite itself objects to; full text is judged apart, because it can be made anew."""
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({_LINES})"):
            if line != "ok" and not str(line).startswith("fts5:"):
                yield str(line)
    except apsw.CorruptError as error:
        yield str(error)


def _schema(connection: apsw.Connection) -> Iterator[str]:
    """The tables are those that this remem makes, to the letter."""
    fresh = apsw.Connection(":memory:")
    try:
        migrate(fresh, Path(":memory:"))
        wanted, found = (set(each.execute(_SCHEMA)) for each in (fresh, connection))
    finally:
        fresh.close()
    for name, _ in sorted(wanted - found):
        yield f"{name} is not described as it should be"


def _records(connection: apsw.Connection) -> list[str]:
    """The ids of entries whose record is not what was written."""
    rows = connection.execute(f"SELECT e.row, {SEALED} FROM memory_entries e ORDER BY e.row")
    return [_name(row, values[0]) for row, *values in rows if not is_sound(values)]


def _history(connection: apsw.Connection) -> list[str]:
    """The ids of entries that have an earlier version which is not what was written."""
    rows = connection.execute(
        "SELECT coalesce(e.id, v.row), v.row, v.version, v.change, v.record, v.same, v.seal "
        "FROM memory_versions v LEFT JOIN memory_entries e ON e.row = v.row ORDER BY v.row"
    )
    return list(dict.fromkeys(str(id_) for id_, *values in rows if not is_sound(values)))


def _derived(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with all that can be made anew from the entries."""
    for table in _TABLES:
        yield from _full_text(connection, table)
    yield from words_found(connection)
    yield from _standing(connection)
    yield from places_found(connection)
    yield from vectors_found(connection)
    yield from remarks_found(connection)
    for count, text in _counted(connection):
        if count:
            yield f"{count} {text}"


def _full_text(connection: apsw.Connection, table: str) -> Iterator[str]:
    live = int(table == "memory_fts")
    try:
        if problem := _integrity(connection, table):
            yield f"the full text {table} is damaged: {problem}"
            return
        found = {row for (row,) in connection.execute(f"SELECT rowid FROM {table}")}
    except apsw.Error as error:
        yield f"the full text {table} is damaged: {error}"
        return
    wanted = {
        row
        for (row,) in connection.execute("SELECT row FROM memory_entries WHERE live = ?", [live])
    }
    if missing := len(wanted - found):
        yield f"{missing} entries are missing from the full text {table}"
    if extra := len(found - wanted):
        yield f"the full text {table} has {extra} rows that belong to no entry"


def _integrity(connection: apsw.Connection, table: str) -> str | None:
    """FTS5's own check is asked for by an insert, which a reader may not do; integrity_check
    runs it too, for one table."""
    rows = list(connection.execute(f"PRAGMA integrity_check({table})"))
    return None if rows == [("ok",)] else str(rows[0][0])


def _standing(connection: apsw.Connection) -> Iterator[str]:
    """Lookups that stand in the entry's own row, and its tags."""
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
        print_ = lookup_values(fingerprint(entry.content))
        wrong += (
            [bool(standing), bool(live)] != list(state_of(entry))
            or [same, longest] != print_
            or tags.get(row, set()) != {fold(tag) for tag in entry.tags}
        )
    if wrong:
        yield f"{wrong} entries cannot be looked up as they should"


def _entry(values: list[Any]) -> Any:
    try:
        return entry_from(values)
    except (ValueError, TypeError):  # a damaged record, told as such
        return None


def _counted(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    for statement, text in (
        (_ORPHANED, "versions belong to no entry"),
        (_UNQUEUED, "entries have no vector and wait for none"),
    ):
        yield _number(connection, statement), text


_ORPHANED: Final = (
    "SELECT count(*) FROM memory_versions WHERE row NOT IN (SELECT row FROM memory_entries)"
)
_UNQUEUED: Final = """SELECT count(*) FROM memory_entries
    WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'model')
    AND row NOT IN (SELECT row FROM vector_queue)
    AND row NOT IN (SELECT row FROM memory_vectors)"""


def _tried(look: Callable[[], list[str]], otherwise: list[str]) -> tuple[list[str], str | None]:
    """What was found; or, where the damage is in the way, that it is."""
    try:
        return look(), None
    except (apsw.CorruptError, apsw.SQLError, ValueError, TypeError) as error:
        return otherwise, str(error)


def _number(connection: apsw.Connection, statement: str) -> int:
    return int(_first(connection.execute(statement), 0))


def _text(connection: apsw.Connection, statement: str) -> str | None:
    found = _first(connection.execute(statement), None)
    return found if isinstance(found, str) else None


def _first(rows: Iterable[Any], otherwise: Any) -> Any:
    found = next(iter(rows), None)
    return otherwise if found is None else found[0]


def _name(row: int, id_: object) -> str:
    return id_ if isinstance(id_, str) else f"row {row}"
