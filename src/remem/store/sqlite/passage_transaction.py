"""Changes to the passages of files; unchanged passages keep their rows and vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import apsw

from remem.model.passage import FileMark, Passage
from remem.store.rows import FACET_QUICK, compact
from remem.store.sqlite import vectors
from remem.store.sqlite.passage_tables import (
    COLUMNS,
    PassageSnapshot,
    content_hash,
    facets_of,
    values_of,
    words_of,
)
from remem.store.sqlite.shared_tables import SharedWriter
from remem.store.sqlite.vector_bits import SqliteBitCache

if TYPE_CHECKING:
    from remem.store.sqlite.graph_tables import GraphChanges

_MARK_COLUMNS: Final = "path size mtime_ns inode digest tokens trouble changed_ns".split()
_MARK_FIELDS: Final = [column.replace("trouble", "problem") for column in _MARK_COLUMNS]
_FILES: Final = f"files({', '.join(_MARK_COLUMNS)})"
_ASSIGNMENTS: Final = ", ".join(f"{column} = excluded.{column}" for column in _MARK_COLUMNS)
_UPDATE_MARK: Final = f"ON CONFLICT (path) DO UPDATE SET {_ASSIGNMENTS} RETURNING path, number"
_PASSAGES: Final = f"passages(row, file, {', '.join(COLUMNS)}, same)"
_WORDS: Final = "memory_fts(rowid, text, context, path)"
_MOVE: Final = (
    f"UPDATE passages SET {', '.join(f'{column} = ?' for column in COLUMNS)} WHERE row = ?"
)
_OLD: Final = (
    f"SELECT file, row, same, {', '.join(COLUMNS)} FROM passages "
    "WHERE file IN (SELECT value FROM json_each(?))"
)
_ROW_TABLES: Final = ("passages WHERE row", "memory_fts WHERE rowid", "vector_queue WHERE row")

_MAX_VALUES: Final = 32_766
"""The number of values that SQLite accepts in one statement."""

_Fresh = tuple[int, int, list[Any], Passage]
"""A passage that has no row yet: its file's number, its content hash, its values, itself."""
_Known = defaultdict[tuple[int, int], list[tuple[int, list[Any]]]]
"""Rows with the same content and their values, by file and content hash."""


class SqlitePassageTransaction(PassageSnapshot, SharedWriter[int]):
    """A transaction on the passages of one scope; the writer commits it."""

    _TABLE = "passages"

    def __init__(self, connection: apsw.Connection) -> None:
        # A separate cache: uncommitted vectors must not reach the readers.
        super().__init__(connection, SqliteBitCache())
        self._next: int | None = None

    @property
    def graph(self) -> GraphChanges:
        from remem.store.sqlite.graph_tables import GraphChanges  # few commands use the graph

        return GraphChanges(self._connection)

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """Replace the passages of some files.

        All marks come first and all full text last, because FTS5 flushes its buffer before every
        statement that might be rolled back alone.
        """
        numbers = self._mark([mark for mark, _ in changed])
        known = self._known(numbers)
        fresh: list[_Fresh] = []
        moved_rows: list[list[Any]] = []
        for number, (_, passages) in zip(numbers, changed, strict=True):
            _compare(number, passages, known, fresh, moved_rows)
        removed = [row for identical in known.values() for row, _ in identical]
        self._connection.executemany(_MOVE, moved_rows)
        words = self._insert(fresh)
        self._remove(removed)
        _insert_rows(self._connection, _WORDS, words)

    def update_marks(self, marks: Sequence[FileMark]) -> None:
        self._mark(marks)

    def optimize_full_text(self) -> None:
        from remem.store.sqlite import erasing  # rarely needed

        erasing.optimize_full_text(self._connection, ["memory_fts"])

    def forget(self, paths: Iterable[str]) -> None:
        removed: list[int] = []
        for path in paths:
            rows = self._connection.execute(
                "SELECT p.row FROM files f CROSS JOIN passages p ON p.file = f.number "
                "WHERE f.path = ?",
                [path],
            )
            removed += [row for (row,) in rows]
            self._connection.execute("DELETE FROM files WHERE path = ?", [path])
        self._remove(removed)

    def _versions_and_facets(self, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
        """A passage never changes, so its version is always 1."""
        results = self._connection.execute(
            "SELECT row, source FROM passages WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return {row: (1, facets_of(source)) for row, source in results}

    def _mark(self, marks: Sequence[FileMark]) -> list[int]:
        """Insert or update files, and return their numbers."""
        values = list(map(attrgetter(*_MARK_FIELDS), marks))
        numbers = dict(_insert_rows(self._connection, _FILES, values, _UPDATE_MARK))
        return [numbers[mark.path] for mark in marks]

    def _known(self, numbers: Sequence[int]) -> _Known:
        """Return the stored passages of some files."""
        known: _Known = defaultdict(list)
        for number, row, same, *values in self._connection.execute(_OLD, [compact(numbers)]):
            known[number, same].append((row, values))
        return known

    def _insert(self, fresh: Sequence[_Fresh]) -> list[tuple[int, str, str, str]]:
        """Insert and queue new passages; return their full-text rows."""
        if not fresh:
            return []
        first = self._first_free()
        rows = range(first, first + len(fresh))
        self._next = rows.stop
        values = [
            (row, number, *values, same)
            for row, (number, same, values, _) in zip(rows, fresh, strict=True)
        ]
        _insert_rows(self._connection, _PASSAGES, values)
        self._connection.execute(
            "INSERT INTO vector_queue SELECT row FROM passages WHERE row BETWEEN ? AND ?",
            [rows[0], rows[-1]],
        )
        if self._one("SELECT 1 FROM models LIMIT 1"):
            self._reuse_vectors(rows)
        return [(row, *words_of(passage)) for row, (*_, passage) in zip(rows, fresh, strict=True)]

    def _reuse_vectors(self, rows: Sequence[int]) -> None:
        """Copy the vectors of identical passages, as in a file that was moved or copied."""
        vectors.copy(
            self._connection,
            self._connection.execute(
                "SELECT n.row, o.row, v.model FROM passages n "
                "CROSS JOIN passages o ON o.same = n.same AND o.row < n.row "
                "CROSS JOIN memory_vectors v ON v.model IN (SELECT model FROM models) "
                "AND v.row = o.row WHERE n.row BETWEEN ? AND ? GROUP BY n.row, v.model",
                [rows[0], rows[-1]],
            ),
        )
        self._connection.execute(
            "DELETE FROM vector_queue WHERE row BETWEEN ?1 AND ?2 AND row IN ("
            "SELECT n.row FROM passages n CROSS JOIN passages o ON o.same = n.same "
            "AND o.row < ?1 WHERE n.row BETWEEN ?1 AND ?2 "
            "AND o.row NOT IN (SELECT row FROM vector_queue)) AND row NOT IN ("
            f"SELECT row FROM memory_bits WHERE row BETWEEN ?1 AND ?2 AND facets & {FACET_QUICK})",
            [rows[0], rows[-1]],
        )

    def _remove(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        for table in _ROW_TABLES:
            self._connection.executemany(f"DELETE FROM {table} = ?", [(row,) for row in rows])
        if self._one("SELECT 1 FROM models LIMIT 1"):
            for row in rows:
                vectors.drop(self._connection, row)

    def _first_free(self) -> int:
        """Return the next row number.

        Numbers are not reused, because a vector for an old one may still be on its way.
        """
        if self._next is None:
            last = self._one("SELECT seq FROM sqlite_sequence WHERE name = 'passages'")
            self._next = last[0] + 1 if last else 1
        return self._next


def _insert_rows(
    connection: apsw.Connection, into: str, rows: Sequence[Sequence[Any]], then: str = ""
) -> list[tuple[Any, ...]]:
    """Insert rows `into` a table with named columns, and return the rows that SQLite returns.

    It uses as few statements as possible, because each one takes the interpreter lock and makes
    FTS5 flush its buffer. `then` is appended to the statement: a conflict or returning clause.
    """
    if not rows:
        return []
    batch_size = _MAX_VALUES // len(rows[0])
    placeholders = f"({', '.join('?' * len(rows[0]))})"
    returned: list[tuple[Any, ...]] = []
    for start in range(0, len(rows), batch_size):
        batch = rows[start : start + batch_size]
        statement = f"INSERT INTO {into} VALUES {', '.join([placeholders] * len(batch))} {then}"
        returned += connection.execute(statement, tuple(chain.from_iterable(batch)))
    return returned


def _compare(
    number: int,
    passages: Sequence[Passage],
    stored_mark: _Known,
    fresh: list[_Fresh],
    moved: list[list[Any]],
) -> None:
    """Match a file's passages with its `stored_mark` rows, and remove the matched ones from
    `stored_mark`.

    New passages are added to `fresh`, rows whose position or other values changed to `moved`.
    """
    for passage in passages:
        same, values = content_hash(passage), values_of(passage)
        if identical := stored_mark.get((number, same)):
            row, before = identical.pop(0)
            if before != values:
                moved.append([*values, row])
        else:
            fresh.append((number, same, values, passage))
