"""What does the database of passages look like? It is a projection: an old one is not
brought up to date but made anew.

The tables of full text and vectors have the names that they have beside entries, so that the
same code serves both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreDamaged
from remem.stores.sqlite import segments
from remem.stores.sqlite.schema import TOKENIZER, VECTORS, version_of

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
    segments.TABLE,
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
