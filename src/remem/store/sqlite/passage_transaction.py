"""How do the passages of a file change? What it still says keeps its row and its vector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

import apsw

from remem.model.passage import FileMark, Passage
from remem.ports.models import Embedding, ModelIdentity, named_together
from remem.store.sqlite import batched_insert, bit_segments, erasing, vectors
from remem.store.sqlite import vectors as sqlite_vectors
from remem.store.sqlite.passage_snapshot import PassageSnapshot
from remem.store.sqlite.passage_tables import COLUMNS, facets_of, likeness_of, values_of, words_of
from remem.store.sqlite.rows import FACET_QUICK, compact
from remem.store.sqlite.vector_bits import BitCache

_MARKED: Final = "path size mtime_ns inode digest tokens trouble changed_ns".split()
_FILES: Final = f"files({', '.join(_MARKED)})"
_MARK: Final = (
    f"ON CONFLICT (path) DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in _MARKED)}"
    " RETURNING path, number"
)
_PASSAGES: Final = f"passages(row, file, {', '.join(COLUMNS)}, same)"
_WORDS: Final = "memory_fts(rowid, text, context, path)"
_MOVE: Final = (
    f"UPDATE passages SET {', '.join(f'{column} = ?' for column in COLUMNS)} WHERE row = ?"
)
_OLD: Final = (
    f"SELECT file, row, same, {', '.join(COLUMNS)} FROM passages "
    "WHERE file IN (SELECT value FROM json_each(?))"
)
_EVERYWHERE: Final = ("passages WHERE row", "memory_fts WHERE rowid", "vector_queue WHERE row")

_Fresh = tuple[int, int, list[Any], Passage]
"""A passage that has no row yet: its file's number, its likeness, its values."""
_Known = defaultdict[tuple[int, int], list[tuple[int, list[Any]]]]
"""By file and likeness, the rows that say the same, with their values."""


class PassageTransaction(PassageSnapshot):
    """What may change; the writer decides when it becomes durable."""

    def __init__(self, connection: apsw.Connection) -> None:
        # A cache of its own: what may yet be rolled back must not reach the readers'.
        super().__init__(connection, BitCache())
        self._next: int | None = None

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        """All marks first and all words last: SQLite makes full text write out what it has
        gathered before every statement that might have to be undone alone."""
        numbers = self._mark([mark for mark, _ in changed])
        known = self._known(numbers)
        fresh: list[_Fresh] = []
        moved: list[list[Any]] = []
        for number, (_, passages) in zip(numbers, changed, strict=True):
            _compare(number, passages, known, fresh, moved)
        gone = [row for twins in known.values() for row, _ in twins]
        self._connection.executemany(_MOVE, moved)
        words = self._insert(fresh)
        self._remove(gone)
        batched_insert.insert(self._connection, _WORDS, words)

    def remark(self, marks: Sequence[FileMark]) -> None:
        self._mark(marks)

    def tidy_words(self) -> None:
        erasing.tidy_words(self._connection, ["memory_fts"])

    def forget(self, paths: Iterable[str]) -> None:
        gone: list[int] = []
        for path in paths:
            rows = self._connection.execute(
                "SELECT p.row FROM files f CROSS JOIN passages p ON p.file = f.number "
                "WHERE f.path = ?",
                [path],
            )
            gone += [row for (row,) in rows]
            self._connection.execute("DELETE FROM files WHERE path = ?", [path])
        self._remove(gone)

    def want_vectors(self, *models: ModelIdentity) -> None:
        """Name the models that vectors are wanted of; others start a new round."""
        if self.note("model") != (wanted := named_together(models)):
            vectors.want_all(self._connection, models, "passages")
            self.keep_note("model", wanted)

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        """A passage that is gone by now needs none."""
        model = vectors.number_for(self._connection, identity)
        sources = dict(
            self._connection.execute(
                "SELECT row, source FROM passages WHERE row IN (SELECT value FROM json_each(?))",
                [compact([row for row, _, _ in embedded])],
            )
        )
        for row, _version, embedding in embedded:
            vectors.require_dimension(embedding.pooled, identity)
            if row in sources:
                vectors.save(self._connection, model, row, facets_of(sources[row]), embedding)
                if not more:
                    self._connection.execute("DELETE FROM vector_queue WHERE row = ?", [row])
        bit_segments.pack(self._connection, model)

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        """Only where there is no vector yet."""
        model = vectors.number_for(self._connection, identity)
        wanted = {row: embedding for row, _version, embedding in embedded}
        found = self._connection.execute(
            "SELECT row, source FROM passages WHERE row IN (SELECT value FROM json_each(?))",
            [compact(sorted(sqlite_vectors.without_quick(self._connection, model, wanted)))],
        )
        made = [(row, facets_of(source), wanted[row]) for row, source in found]
        sqlite_vectors.save_quick(self._connection, model, identity, made)
        bit_segments.pack(self._connection, model)

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        vectors.drop_of(self._connection, identity, rows)

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        self._connection.executemany(
            "DELETE FROM vector_queue WHERE row = ?", [(row,) for row, _version in rows]
        )

    def keep_note(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def _mark(self, marks: Sequence[FileMark]) -> list[int]:
        """The number of each file."""
        values = list(map(attrgetter(*_MARKED), marks))
        numbers = dict(batched_insert.insert(self._connection, _FILES, values, _MARK))
        return [numbers[mark.path] for mark in marks]

    def _known(self, numbers: Sequence[int]) -> _Known:
        """What some files have said until now."""
        known: _Known = defaultdict(list)
        for number, row, same, *values in self._connection.execute(_OLD, [compact(numbers)]):
            known[number, same].append((row, values))
        return known

    def _insert(self, fresh: Sequence[_Fresh]) -> list[tuple[int, str, str, str]]:
        """New rows, with their place in the queue; returns their words."""
        if not fresh:
            return []
        first = self._first_free()
        rows = range(first, first + len(fresh))
        self._next = rows.stop
        values = [
            (row, number, *values, same)
            for row, (number, same, values, _) in zip(rows, fresh, strict=True)
        ]
        batched_insert.insert(self._connection, _PASSAGES, values)
        self._connection.execute(
            "INSERT INTO vector_queue SELECT row FROM passages WHERE row BETWEEN ? AND ?",
            [rows[0], rows[-1]],
        )
        if self._first("SELECT 1 FROM models LIMIT 1"):
            self._take_over_vectors(rows)
        return [(row, *words_of(each)) for row, (*_, each) in zip(rows, fresh, strict=True)]

    def _take_over_vectors(self, rows: Sequence[int]) -> None:
        """The words of a file that was moved or copied have their vectors already."""
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
        for place in _EVERYWHERE:
            self._connection.executemany(f"DELETE FROM {place} = ?", [(row,) for row in rows])
        if self._first("SELECT 1 FROM models LIMIT 1"):
            for row in rows:
                vectors.drop(self._connection, row)

    def _first_free(self) -> int:
        """A row's number is never used again: a vector under way must not meet another text."""
        if self._next is None:
            last = self._first("SELECT seq FROM sqlite_sequence WHERE name = 'passages'")
            self._next = last[0] + 1 if last else 1
        return self._next


def _compare(
    number: int,
    passages: Sequence[Passage],
    known: _Known,
    fresh: list[_Fresh],
    moved: list[list[Any]],
) -> None:
    """What a file still says keeps its row, and is known no more; `moved` gets what else has
    changed of it."""
    for passage in passages:
        same, values = likeness_of(passage), values_of(passage)
        if twins := known.get((number, same)):
            row, before = twins.pop(0)
            if before != values:
                moved.append([*values, row])
        else:
            fresh.append((number, same, values, passage))
