"""The passage database: its schema, the conversion of passages to rows, and its reader.

A database with an old schema is not migrated, because it can be rebuilt from the files. The
full-text and vector tables have the same names as in the entry database, so that the same code
serves both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from json.encoder import encode_basestring as quoted
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.passage import FileMark, Passage, Source
from remem.ports.models import Floats, ModelIdentity
from remem.ports.records import Matches, PendingText
from remem.store.full_text_rules import TOKENIZER
from remem.store.rows import FACET_NO_VECTOR, compact
from remem.store.sqlite import full_text, vector_bits
from remem.store.sqlite.schema import VECTORS, version_of
from remem.store.sqlite.shared_tables import SharedReader
from remem.store.vector_scan import VectorScan
from remem.text.words import search_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remem.store.sqlite.graph_snapshot import GraphSnapshot

COLUMNS: Final = (
    "start end text headings within source curated day importance triggers project".split()
)
SELECT: Final = "f.path, " + ", ".join(f"p.{column}" for column in COLUMNS)

FACET_SESSIONS: Final = 8
"""Facet of a vector: the passage comes from a transcript."""

_WEIGHTS: Final = "1.0, 0.5, 0.3"  # text, context, path
_FROM: Final = "FROM passages p CROSS JOIN files f ON f.number = p.file"
_SOURCES: Final[tuple[Source, ...]] = ("memory", "sessions")
# Cached, because the passages of a file share their headings.
_as_json: Final = lru_cache(maxsize=1_000)(compact)
_context_words: Final = lru_cache(maxsize=1_000)(search_text)
SCHEMA: Final = 6
"""Incremented whenever a table, the splitting into passages or the indexing of words changes."""


def passage_from(values: Sequence[Any]) -> Passage:
    """Return the passage of a row that was read with `SELECT`."""
    path, start, end, text, headings, within, source, curated, *rest = values
    return Passage(
        path, start, end, text, _texts_in(headings), _texts_in(within), source, bool(curated), *rest
    )


def column_values(passage: Passage) -> list[Any]:
    """Return a passage's values of `COLUMNS`, in their order."""
    return [
        passage.start,
        passage.end,
        passage.text,
        _as_json(passage.headings),
        _as_json(passage.within),
        passage.source,
        int(passage.curated),
        passage.day,
        passage.importance,
        passage.triggers,
        passage.project,
    ]


def words_of(passage: Passage) -> tuple[str, str, str]:
    """Return the full-text columns of a passage: text, context and path.

    The annotations that a host adds to a line are not indexed with the text. The triggers and the
    project in them are part of the passage's context.
    """
    from remem.text.line_status import without_annotations  # slow to import; only for writing

    context = passage.context
    if passage.triggers or passage.project:
        context = "\n".join(part for part in (context, passage.triggers, passage.project) if part)
    return (
        search_text(without_annotations(passage.text)),
        _context_words(context),
        _path_words(passage.path),
    )


def content_hash(passage: Passage) -> int:
    """Return a hash of everything that a passage's vector depends on."""
    above = f"{_as_json(passage.headings)},{_as_json(passage.within)}"
    text = f"[{quoted(passage.text)},{above},{quoted(passage.source)}]"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)


def facets_of(source: Source) -> int:
    """Return the facets of the vector of a passage from this source."""
    return FACET_SESSIONS if source == "sessions" else 0


@lru_cache(maxsize=100)
def _path_words(path: str) -> str:
    return search_text(_distinctive_words(path))


def _distinctive_words(path: str) -> str:
    """Return the words of a path without what nearly all paths have.

    This is the suffix and a leading `memory/`.
    """
    file = PurePosixPath(path)
    folders = file.parts[1:-1] if file.parts[0] == "memory" else file.parts[:-1]
    return " ".join((*folders, file.stem))


@lru_cache(maxsize=4_000)
def _texts_in(text: str) -> tuple[str, ...]:
    """Return the texts in a JSON array."""
    return () if text == "[]" else tuple(json.loads(text))


class OutdatedSchema(StoreDamaged):
    """An intact database made by an earlier version of remem, which has to be rebuilt."""


def create(connection: apsw.Connection, path: Path) -> None:
    """Create the tables of a new database; the caller holds the process lock."""
    if version_of(connection, path, SCHEMA):
        require_current(connection, path)
        return
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    connection.execute("COMMIT")


def require_current(connection: apsw.Connection, path: Path) -> None:
    """Raise OutdatedSchema if the tables were created by an earlier version of remem."""
    version = version_of(connection, path, SCHEMA)
    if version < SCHEMA:
        raise OutdatedSchema(
            f"{path} has schema {version}; this version of remem needs schema {SCHEMA}",
            hint="run `remem refresh` to rebuild it from the memory files",
        )


_TABLES: Final = (
    """CREATE TABLE files (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        digest TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        trouble TEXT,
        changed_ns INTEGER NOT NULL)""",
    """CREATE TABLE passages (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        file INTEGER NOT NULL,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        text TEXT NOT NULL,
        headings TEXT NOT NULL,
        within TEXT NOT NULL,
        source TEXT NOT NULL,
        curated INTEGER NOT NULL,
        day TEXT,
        importance INTEGER,
        triggers TEXT,
        project TEXT,
        same INTEGER NOT NULL)""",
    "CREATE INDEX idx_file ON passages(file)",
    "CREATE INDEX idx_same ON passages(same)",
    "CREATE VIRTUAL TABLE memory_fts USING fts5(text, context, path, content='', "
    f"contentless_delete=1, tokenize='{TOKENIZER}')",
    # A large buffer, so that a batch of words makes few segments.
    f"INSERT INTO memory_fts(memory_fts, rank) VALUES ('hashsize', {8 << 20})",
    "CREATE VIRTUAL TABLE memory_words USING fts5vocab('memory_fts', 'row')",
    *VECTORS,
    "ALTER TABLE memory_vectors ADD COLUMN seal INTEGER NOT NULL DEFAULT 0",
    vector_bits.SEGMENTS_TABLE,
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)


class PassageSnapshot(SharedReader[int]):
    """Reads passages through one connection; a transaction is a snapshot that can also write."""

    @property
    def graph(self) -> GraphSnapshot:
        from remem.store.sqlite.graph_snapshot import GraphSnapshot  # few commands use the graph

        return GraphSnapshot(self._connection)

    def _rows_of(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the numbers themselves: a passage's number is its row."""
        return {number: number for number in ids}

    def _ids_of(self, rows: Iterable[int]) -> dict[int, int]:
        return {row: row for row in rows}

    def files(self) -> dict[str, FileMark]:
        rows = self._connection.execute(
            "SELECT path, size, mtime_ns, inode, digest, tokens, trouble, changed_ns FROM files"
        )
        return {values[0]: FileMark(*values) for values in rows}

    def passages(self, numbers: Iterable[int]) -> dict[int, Passage]:
        result = self._connection.execute(
            f"SELECT p.row, {SELECT} {_FROM} WHERE p.row IN (SELECT value FROM json_each(?))",
            [compact(list(numbers))],
        )
        return {row: passage_from(values) for row, *values in result}

    def of_file(self, path: str) -> list[tuple[int, Passage]]:
        """Return the passages of a file in the order of its lines."""
        result = self._connection.execute(
            f"SELECT p.row, {SELECT} FROM files f CROSS JOIN passages p ON p.file = f.number "
            "WHERE f.path = ? ORDER BY p.start, p.row",
            [path],
        )
        return [(row, passage_from(values)) for row, *values in result]

    def keyword(self, terms: Sequence[str], sources: Sequence[Source], limit: int) -> Matches[int]:
        if not terms or not sources:
            return Matches([], 0)
        values = [" OR ".join(map(full_text.fts_string, terms))]
        if set(sources) == set(_SOURCES):
            hits = "FROM memory_fts WHERE memory_fts MATCH ?"
        else:
            hits = (
                "FROM memory_fts CROSS JOIN passages p ON p.row = memory_fts.rowid "
                "WHERE memory_fts MATCH ? AND p.source = ?"
            )
            values.append(sources[0])
        if not limit:  # counting alone is much faster than scoring
            return Matches([], self._one(f"SELECT count(*) {hits}", *values)[0])
        rows = list(
            self._connection.execute(
                f"SELECT memory_fts.rowid, -bm25(memory_fts, {_WEIGHTS}) AS score {hits} "
                "ORDER BY score DESC, memory_fts.rowid LIMIT ?",
                [*values, limit],
            )
        )
        total = len(rows) if len(rows) < limit else self._one(f"SELECT count(*) {hits}", *values)[0]
        return Matches(rows, total)

    def nearest(
        self, identity: ModelIdentity, query: Floats, sources: Sequence[Source], limit: int
    ) -> list[tuple[int, float]]:
        def mask_of(scan: VectorScan) -> NDArray[np.bool_]:
            allowed: NDArray[np.bool_] = (scan.facets & FACET_NO_VECTOR) == 0
            for source, facet in (("memory", 0), ("sessions", FACET_SESSIONS)):
                if source not in sources:
                    allowed &= (scan.facets & FACET_SESSIONS) != facet
            return allowed

        return self._nearest(identity, query, mask_of, limit)

    def _pending(
        self, condition: str, values: Sequence[int | str | None]
    ) -> list[PendingText[int]]:
        rows = self._connection.execute(
            f"SELECT p.row, {SELECT} FROM vector_queue q CROSS JOIN passages p ON p.row = q.row "
            f"CROSS JOIN files f ON f.number = p.file WHERE {condition}",
            values,
        )
        # A passage never changes, so its version is always 1.
        return [PendingText(row, 1, passage_from(values).in_context) for row, *values in rows]

    def counts(self) -> tuple[int, int]:
        files, passages = self._one(
            "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM passages)"
        )
        return files, passages

    def conversation_count(self) -> int:
        result = self._one("SELECT count(*) FROM passages WHERE source = 'sessions'")
        return int(result[0])
