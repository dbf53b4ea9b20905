"""What does the database look like, and how does an old one become a new one?

Migrations are numbered functions; `user_version` says how many have run. All that are due
run in one transaction, under the writers' lock, so that a half-built schema never exists.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreReadOnly, StoreTooNew
from remem.store.sqlite import bit_segments, neighbours
from remem.store.sqlite.checksums import add_seals, add_vector_seals
from remem.store.sqlite.neighbours import begin_likeness
from remem.text.similarity import folded_number


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring the database up to date; the caller holds the writers' lock, and closes the
    connection when this fails, which undoes all of it."""
    if version_of(connection, path) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    for migration in MIGRATIONS[version_of(connection, path) :]:
        migration(connection)
    connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")
    connection.execute("COMMIT")


def version_of(connection: apsw.Connection, path: Path, newest: int | None = None) -> int:
    """The schema's number; a database of a later remem is refused and left as it is."""
    known = len(MIGRATIONS) if newest is None else newest
    version = int(next(iter(connection.execute("PRAGMA user_version")))[0])
    if version > known:
        raise StoreTooNew(
            f"{path} has schema {version}; this remem knows schemas up to {known}",
            hint="upgrade remem; the file was not touched",
        )
    return version


def require_current(connection: apsw.Connection, path: Path) -> None:
    """Refuse to read a schema of the past, which only somebody who may write can renew."""
    version = version_of(connection, path)
    if version < len(MIGRATIONS):
        raise StoreReadOnly(
            f"{path} has schema {version}; this remem needs schema {len(MIGRATIONS)}",
            hint="open the workspace once where it can be written",
        )


def _m001_entries(connection: apsw.Connection) -> None:
    """Entries and their history, full text, vectors, the outbox."""
    for statement in _M001:
        connection.execute(statement)


TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
_FTS: Final = (
    f"USING fts5(content, context, tags, content='', contentless_delete=1, tokenize='{TOKENIZER}')"
)
FULL_TEXT: Final = (
    f"CREATE VIRTUAL TABLE memory_fts {_FTS}",
    f"CREATE VIRTUAL TABLE memory_fts_aside {_FTS}",
    "CREATE VIRTUAL TABLE memory_words USING fts5vocab('memory_fts', 'row')",
)

VECTORS: Final = (
    """CREATE TABLE models (
        model INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        quantisation TEXT NOT NULL,
        UNIQUE (name, dimension, quantisation))""",
    """CREATE TABLE memory_bits (
        stamp INTEGER PRIMARY KEY AUTOINCREMENT,
        row INTEGER NOT NULL,
        model INTEGER NOT NULL,
        facets INTEGER NOT NULL,
        bits BLOB NOT NULL,
        UNIQUE (row, model))""",
    """CREATE TABLE memory_vectors (
        row INTEGER NOT NULL,
        model INTEGER NOT NULL,
        pooled BLOB NOT NULL,
        tokens BLOB,
        UNIQUE (model, row))""",
    "CREATE TABLE vector_queue (row INTEGER PRIMARY KEY)",
)
"""Beside entries and beside passages alike."""

_M001: Final = (
    """CREATE TABLE memory_entries (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        category TEXT NOT NULL,
        content TEXT NOT NULL,
        context TEXT,
        priority TEXT NOT NULL DEFAULT 'medium',
        tags TEXT NOT NULL DEFAULT '[]',
        related_to TEXT NOT NULL DEFAULT '[]',
        source TEXT NOT NULL,
        origins TEXT NOT NULL DEFAULT '[]',
        trust TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        expires_at TEXT,
        token_estimate INTEGER NOT NULL,
        archived INTEGER NOT NULL DEFAULT 0,
        superseded_by TEXT,
        version INTEGER NOT NULL DEFAULT 1,
        change TEXT NOT NULL,
        strength INTEGER NOT NULL DEFAULT 1,
        uses INTEGER NOT NULL DEFAULT 0,
        shown INTEGER NOT NULL DEFAULT 0,
        last_used TEXT,
        last_shown TEXT,
        standing INTEGER NOT NULL,
        live INTEGER NOT NULL,
        home TEXT NOT NULL,
        part INTEGER NOT NULL,
        same INTEGER NOT NULL,
        longest INTEGER NOT NULL)""",
    "CREATE INDEX idx_same ON memory_entries(same)",
    "CREATE INDEX idx_longest ON memory_entries(longest)",
    """CREATE INDEX idx_home ON memory_entries(home, part, token_estimate, live)
        WHERE standing = 1""",
    "CREATE INDEX idx_category ON memory_entries(category, updated_at) WHERE live = 1",
    "CREATE INDEX idx_priority ON memory_entries(priority, updated_at) WHERE live = 1",
    """CREATE INDEX idx_expires ON memory_entries(expires_at)
        WHERE expires_at IS NOT NULL AND standing = 1""",
    """CREATE TABLE memory_versions (
        row INTEGER NOT NULL,
        version INTEGER NOT NULL,
        change TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (row, version)) WITHOUT ROWID""",
    """CREATE TABLE memory_likeness (
        word INTEGER NOT NULL,
        row INTEGER NOT NULL,
        size INTEGER NOT NULL,
        sketch INTEGER NOT NULL,
        PRIMARY KEY (word, row)) WITHOUT ROWID""",
    """CREATE TABLE memory_tags (
        tag TEXT NOT NULL,
        row INTEGER NOT NULL,
        live_home TEXT,
        PRIMARY KEY (tag, row)) WITHOUT ROWID""",
    "CREATE INDEX idx_tags_home ON memory_tags(live_home, tag) WHERE live_home IS NOT NULL",
    *FULL_TEXT,
    *VECTORS,
    "CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE)",
    "CREATE TABLE projected (file TEXT PRIMARY KEY, digest TEXT NOT NULL, items TEXT NOT NULL)",
    """CREATE TABLE notices (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        text TEXT NOT NULL)""",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)


def _m002_earlier_wordings(connection: apsw.Connection) -> None:
    """Earlier wordings can be looked up, so that a repeated import doubles nothing."""
    connection.execute("ALTER TABLE memory_versions ADD COLUMN same INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("wording", lambda *said: folded_number(str(said[0])), 1)
    connection.execute("UPDATE memory_versions SET same = wording(record ->> 'content')")
    connection.create_scalar_function("wording", None)
    connection.execute("CREATE INDEX idx_versions_same ON memory_versions(same)")


def _m003_seals(connection: apsw.Connection) -> None:
    """A changed byte in a record is noticed, and what was erased is known."""
    add_seals(connection)
    connection.execute(
        """CREATE TABLE erased (
            id TEXT NOT NULL,
            same INTEGER NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (id, same)) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX idx_erased_same ON erased(same)")


def _m004_segments(connection: apsw.Connection) -> None:
    """The bits of many vectors lie together: starting takes no longer as they grow."""
    connection.execute(bit_segments.TABLE)
    for (model,) in list(connection.execute("SELECT model FROM models")):
        bit_segments.pack(connection, model)


def _m005_sealed_vectors(connection: apsw.Connection) -> None:
    """A changed byte in a vector is noticed too."""
    add_vector_seals(connection)


def _m006_likeness_by_parts(connection: apsw.Connection) -> None:
    """A similar text is found at once, however many share a word with it."""
    begin_likeness(connection)


def _m007_places(connection: apsw.Connection) -> None:
    """An entry's neighbours in its conversation are found."""
    neighbours.create(connection)


def _m008_stems(connection: apsw.Connection) -> None:
    """Entries in other languages than English are found in other forms of their words."""
    from remem.store.sqlite.derived_tables import find_by_stems  # which needs the tables from here

    find_by_stems(connection)


MIGRATIONS: Final[tuple[Callable[[apsw.Connection], None], ...]] = (
    _m001_entries,
    _m002_earlier_wordings,
    _m003_seals,
    _m004_segments,
    _m005_sealed_vectors,
    _m006_likeness_by_parts,
    _m007_places,
    _m008_stems,
)
SCHEMA: Final = len(MIGRATIONS)
"""The version that this code writes."""
