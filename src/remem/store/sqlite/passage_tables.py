"""What does the database of passages look like? It is a projection: an old one is not
brought up to date but made anew.

The tables of full text and vectors have the names that they have beside entries, so that the
same code serves both.

How does a passage stand in a row, and which words is it found by?
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from json.encoder import encode_basestring as quoted
from pathlib import Path, PurePosixPath
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.passage import Passage, Source
from remem.store.sqlite import bit_segments
from remem.store.sqlite.rows import compact
from remem.store.sqlite.schema import TOKENIZER, VECTORS, version_of
from remem.text.line_status import without_annotations
from remem.text.words import search_text

COLUMNS: Final = (
    "start end text headings within source curated day importance triggers project".split()
)
SELECT: Final = "f.path, " + ", ".join(f"p.{column}" for column in COLUMNS)

FACET_SESSIONS: Final = 8
"""Beside a vector: the passage comes from a transcript."""


def passage_from(values: Sequence[Any]) -> Passage:
    """The inverse of path and `values_of`."""
    path, start, end, text, headings, within, source, curated, *rest = values
    return Passage(
        path, start, end, text, _texts(headings), _texts(within), source, bool(curated), *rest
    )


def values_of(passage: Passage) -> list[Any]:
    """The values of `COLUMNS`, in their order."""
    return [
        passage.start,
        passage.end,
        passage.text,
        _listed(passage.headings),
        _listed(passage.within),
        passage.source,
        int(passage.curated),
        passage.day,
        passage.importance,
        passage.triggers,
        passage.project,
    ]


def words_of(passage: Passage) -> tuple[str, str, str]:
    """The columns of the full text. A host's remarks are no words of the passage, but what it
    should be found by counts like a heading."""
    told = passage.context
    if passage.triggers or passage.project:
        told = "\n".join(part for part in (told, passage.triggers, passage.project) if part)
    return (
        search_text(without_annotations(passage.text)),
        _words_around(told),
        _words_of_path(passage.path),
    )


def likeness_of(passage: Passage) -> int:
    """One number for all that a vector depends on; equal ones need not be made again."""
    above = f"{_listed(passage.headings)},{_listed(passage.within)}"
    told = f"[{quoted(passage.text)},{above},{quoted(passage.source)}]"
    return int.from_bytes(blake2b(told.encode(), digest_size=8).digest(), signed=True)


def facets_of(source: Source) -> int:
    return FACET_SESSIONS if source == "sessions" else 0


# One after the other, the passages of a file stand under much the same.
_listed: Final = lru_cache(maxsize=1_000)(compact)
_words_around: Final = lru_cache(maxsize=1_000)(search_text)


@lru_cache(maxsize=100)
def _words_of_path(path: str) -> str:
    return search_text(_telling(path))


def _telling(path: str) -> str:
    """The words of a path that do not stand in every other path too."""
    place = PurePosixPath(path)
    folders = place.parts[1:-1] if place.parts[0] == "memory" else place.parts[:-1]
    return " ".join((*folders, place.stem))


def _texts(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


SCHEMA: Final = 5
"""Raised whenever a table changes, or files are cut into passages, or words are found, in another
way."""


class Outdated(StoreDamaged):
    """A sound database of an earlier remem: all that it holds is made anew, nothing is kept."""


def newest() -> int:
    return SCHEMA


def create(connection: apsw.Connection, path: Path) -> None:
    """Build the tables of a new database; the caller holds the writers' lock."""
    if version_of(connection, path, SCHEMA):
        require_current(connection, path)
        return
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    connection.execute("COMMIT")


def require_current(connection: apsw.Connection, path: Path) -> None:
    version = version_of(connection, path, SCHEMA)
    if version < SCHEMA:
        raise Outdated(
            f"{path} has schema {version}; this remem makes schema {SCHEMA}",
            hint="it is made anew from the memory files; run `remem refresh`",
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
    # Words of a whole batch are gathered before they are written: fewer parts to put together.
    f"INSERT INTO memory_fts(memory_fts, rank) VALUES ('hashsize', {8 << 20})",
    "CREATE VIRTUAL TABLE memory_words USING fts5vocab('memory_fts', 'row')",
    *VECTORS,
    "ALTER TABLE memory_vectors ADD COLUMN seal INTEGER NOT NULL DEFAULT 0",
    bit_segments.TABLE,
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
