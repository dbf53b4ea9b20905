"""Changes to the passages of files; unchanged passages keep their rows and vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import apsw

from remem.model.passage import FileMark, Passage
from remem.store.rows import FACET_QUICK, compact
from remem.store.sqlite import vectors
from remem.store.sqlite.passage_tables import (
    COLUMNS,
    PassageSnapshot,
    column_values,
    content_hash,
    facets_of,
    words_of,
)
from remem.store.sqlite.shared_tables import SharedWriter
from remem.store.sqlite.vector_bits import SqliteBitCache

if TYPE_CHECKING:
    from remem.store.sqlite.graph_tables import GraphChanges

_MARK_COLUMNS: Final = "path size mtime_ns inode digest tokens trouble changed_ns".split()
_MARK_FIELDS: Final = "path size mtime_ns inode digest tokens problem changed_ns".split()
"""The fields of a `FileMark`, in the order of the columns."""
_FILES: Final = f"files({', '.join(_MARK_COLUMNS)})"
_ASSIGNMENTS: Final = ", ".join(f"{column} = excluded.{column}" for column in _MARK_COLUMNS)
_OR_UPDATE_MARK: Final = f"ON CONFLICT (path) DO UPDATE SET {_ASSIGNMENTS} RETURNING path, number"
_PASSAGES: Final = f"passages(row, file, {', '.join(COLUMNS)}, same)"
_FULL_TEXT: Final = "memory_fts(rowid, text, context, path)"
_UPDATE_PASSAGE: Final = (
    f"UPDATE passages SET {', '.join(f'{column} = ?' for column in COLUMNS)} WHERE row = ?"
)
_SELECT_STORED: Final = (
    f"SELECT file, row, same, {', '.join(COLUMNS)} FROM passages "
    "WHERE file IN (SELECT value FROM json_each(?))"
)
_ROW_TABLES: Final = ("passages WHERE row", "memory_fts WHERE rowid", "vector_queue WHERE row")

_MAX_VALUES: Final = 32_766
"""The number of values that SQLite accepts in one statement."""
_StoredRows = defaultdict[tuple[int, int], list[tuple[int, list[Any]]]]
"""The row numbers and values of stored passages, by number of the file and content hash."""


class _NewPassage(NamedTuple):
    """A passage that has no row yet, and the number of its file."""

    file: int
    content_hash: int
    values: list[Any]
    passage: Passage


class SqlitePassageTransaction(PassageSnapshot, SharedWriter[int]):
    """A transaction on the passages of one scope; the writer commits it."""

    _TABLE = "passages"

    def __init__(self, connection: apsw.Connection) -> None:
        # A separate cache, because uncommitted vectors must not reach the readers.
        super().__init__(connection, SqliteBitCache())
        self._next_row: int | None = None

    @property
    def graph(self) -> GraphChanges:
        from remem.store.sqlite.graph_tables import GraphChanges  # few commands use the graph

        return GraphChanges(self._connection)

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """Replace the passages of some files.

        The marks of all files are written first and the full text of all passages last, because
        FTS5 flushes its buffer before every statement that might be rolled back alone.
        """
        numbers = self._put_marks([mark for mark, _ in changed])
        stored = self._stored_rows(numbers)
        new: list[_NewPassage] = []
        updates: list[list[Any]] = []
        for number, (_, passages) in zip(numbers, changed, strict=True):
            _compare(number, passages, stored, new, updates)
        removed = [row for identical in stored.values() for row, _ in identical]
        self._connection.executemany(_UPDATE_PASSAGE, updates)
        full_text_rows = self._insert(new)
        self._remove(removed)
        _insert_rows(self._connection, _FULL_TEXT, full_text_rows)

    def update_marks(self, marks: Sequence[FileMark]) -> None:
        self._put_marks(marks)

    def optimize_full_text(self) -> None:
        """Remove deleted words from the full text."""
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
        """Return version 1 for every passage, because passages never change, and their facets."""
        results = self._connection.execute(
            "SELECT row, source FROM passages WHERE row IN (SELECT value FROM json_each(?))",
            [compact(list(rows))],
        )
        return {row: (1, facets_of(source)) for row, source in results}

    def _put_marks(self, marks: Sequence[FileMark]) -> list[int]:
        """Insert or update files, and return their numbers."""
        values = list(map(attrgetter(*_MARK_FIELDS), marks))
        numbers = dict(_insert_rows(self._connection, _FILES, values, _OR_UPDATE_MARK))
        return [numbers[mark.path] for mark in marks]

    def _stored_rows(self, numbers: Sequence[int]) -> _StoredRows:
        """Return the stored passages of some files."""
        stored: _StoredRows = defaultdict(list)
        result = self._connection.execute(_SELECT_STORED, [compact(numbers)])
        for file, row, passage_hash, *values in result:
            stored[file, passage_hash].append((row, values))
        return stored

    def _insert(self, new: Sequence[_NewPassage]) -> list[tuple[int, str, str, str]]:
        """Insert new passages and queue them for vectors; return their full-text rows."""
        if not new:
            return []
        first = self._first_free_row()
        rows = range(first, first + len(new))
        self._next_row = rows.stop
        values = [
            (row, passage.file, *passage.values, passage.content_hash)
            for row, passage in zip(rows, new, strict=True)
        ]
        _insert_rows(self._connection, _PASSAGES, values)
        self._connection.execute(
            "INSERT INTO vector_queue SELECT row FROM passages WHERE row BETWEEN ? AND ?",
            [rows[0], rows[-1]],
        )
        if self._one("SELECT 1 FROM models LIMIT 1"):
            self._reuse_vectors(rows)
        return [(row, *words_of(part.passage)) for row, part in zip(rows, new, strict=True)]

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

    def _first_free_row(self) -> int:
        """Return the next row number.

        Numbers are not reused: a vector for a passage that had the number before may arrive later.
        """
        if self._next_row is None:
            last = self._one("SELECT seq FROM sqlite_sequence WHERE name = 'passages'")
            self._next_row = last[0] + 1 if last else 1
        return self._next_row


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
    file: int,
    passages: Sequence[Passage],
    stored: _StoredRows,
    new: list[_NewPassage],
    updates: list[list[Any]],
) -> None:
    """Match the passages of a file with its stored rows.

    Matched rows are removed from `stored`; if their position or other values changed, the new
    values are added to `updates`. Passages without a row are added to `new`.
    """
    for passage in passages:
        passage_hash, values = content_hash(passage), column_values(passage)
        if identical := stored.get((file, passage_hash)):
            row, stored_values = identical.pop(0)
            if stored_values != values:
                updates.append([*values, row])
        else:
            new.append(_NewPassage(file, passage_hash, values, passage))
