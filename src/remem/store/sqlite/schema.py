"""The schema of the entry database and its migrations.

Migrations are numbered functions; `user_version` is the number of migrations that have run. The
pending ones run in one transaction under the process lock, so that a partial schema never exists.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreReadOnly, StoreTooNew
from remem.model.entry import former_archive_reason
from remem.store.full_text_rules import TOKENIZER
from remem.store.sqlite import neighbours, similar_texts, vector_bits
from remem.store.sqlite.checksums import (
    CHECKED_COLUMNS,
    add_checksums,
    add_vector_checksums,
    checksum,
    is_intact,
)
from remem.text.similarity import folded_hash

_FTS: Final = (
    f"USING fts5(content, context, tags, content='', contentless_delete=1, tokenize='{TOKENIZER}')"
)


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Run the pending migrations.

    The caller holds the process lock, and closes the connection after an error, which rolls back.
    """
    if version_of(connection, path) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    for migration in MIGRATIONS[version_of(connection, path) :]:
        migration(connection)
    connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")
    connection.execute("COMMIT")


def version_of(connection: apsw.Connection, path: Path, newest: int | None = None) -> int:
    """Return the schema version; raise StoreTooNew if it is above `newest`.

    Without `newest`, the database is one of entries.
    """
    known = len(MIGRATIONS) if newest is None else newest
    version = int(next(iter(connection.execute("PRAGMA user_version")))[0])
    if version > known:
        raise StoreTooNew(
            f"{path} has schema {version}; this version of remem supports schemas up to {known}",
            hint="upgrade remem; the file was not touched",
        )
    return version


def require_current(connection: apsw.Connection, path: Path) -> None:
    """Raise StoreReadOnly if the database still has to be migrated, which a reader cannot do."""
    version = version_of(connection, path)
    if version < len(MIGRATIONS):
        raise StoreReadOnly(
            f"{path} has schema {version}; this version of remem needs schema {len(MIGRATIONS)}",
            hint="open the workspace once with write access",
        )


def _m001_entries(connection: apsw.Connection) -> None:
    """Entries and their history, full text, vectors, the outbox."""
    for statement in _M001:
        connection.execute(statement)


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
"""The vector tables, which entries and passages share."""

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
    """Index earlier versions by text, so that a repeated import creates no duplicates."""
    connection.execute("ALTER TABLE memory_versions ADD COLUMN same INTEGER NOT NULL DEFAULT 0")
    connection.create_scalar_function("wording", lambda *values: folded_hash(str(values[0])), 1)
    connection.execute("UPDATE memory_versions SET same = wording(record ->> 'content')")
    connection.create_scalar_function("wording", None)
    connection.execute("CREATE INDEX idx_versions_same ON memory_versions(same)")


def _m003_checksums(connection: apsw.Connection) -> None:
    """Checksums of records, and tombstones of erased entries."""
    add_checksums(connection)
    connection.execute(
        """CREATE TABLE erased (
            id TEXT NOT NULL,
            same INTEGER NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (id, same)) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX idx_erased_same ON erased(same)")


def _m004_segments(connection: apsw.Connection) -> None:
    """Store the bits of many vectors together, to load them faster."""
    connection.execute(vector_bits.SEGMENTS_TABLE)
    for (model,) in list(connection.execute("SELECT model FROM models")):
        vector_bits.pack_segments(connection, model)


def _m005_vector_checksums(connection: apsw.Connection) -> None:
    """Checksums of vectors."""
    add_vector_checksums(connection)


def _m006_likeness_by_parts(connection: apsw.Connection) -> None:
    """Find similar texts by parts of their fingerprints instead of by words."""
    similar_texts.rebuild_table(connection)


def _m007_places(connection: apsw.Connection) -> None:
    """Index places, to find an entry's neighbours in its conversation."""
    neighbours.create_places(connection)


def _m008_stems(connection: apsw.Connection) -> None:
    """Index stems of words in languages other than English."""
    from remem.store.sqlite.derived_tables import add_stems  # imports this module

    add_stems(connection)


def _m009_archive_reason(connection: apsw.Connection) -> None:
    """Record why an entry was archived; until now only the text of its last change said so.

    The table of tags loses its column with the domain file, which the table of entries has too.
    """
    connection.execute("ALTER TABLE memory_entries ADD COLUMN archive_reason TEXT")
    archived = connection.execute(
        f"SELECT e.row, e.change, e.expires_at, {CHECKED_COLUMNS} FROM memory_entries e "
        "WHERE e.archived = 1"
    )
    reasons = [
        (reason, checksum([*values[:-2], reason]), row)
        for row, change, expires_at, *values in list(archived)
        if is_intact(values) and (reason := former_archive_reason(change, expires_at))
    ]
    connection.executemany(
        "UPDATE memory_entries SET archive_reason = ?, seal = ? WHERE row = ?", reasons
    )
    _name_arrivals_by_id(connection)
    connection.execute("DROP INDEX idx_tags_home")
    connection.execute("ALTER TABLE memory_tags DROP COLUMN live_home")
    connection.execute("CREATE INDEX idx_tags_row ON memory_tags(row)")


def _name_arrivals_by_id(connection: apsw.Connection) -> None:
    """Replace the last row of each day, which decay recorded, by the id of the entry in it."""
    for (note,) in list(connection.execute("SELECT value FROM meta WHERE key = 'decay_watch'")):
        by_id = []
        for day, row in json.loads(note):
            last = connection.execute(
                "SELECT id FROM memory_entries WHERE row <= ? ORDER BY row DESC LIMIT 1", [row]
            )
            by_id += [(day, id_) for (id_,) in last]
        connection.execute(
            "UPDATE meta SET value = ? WHERE key = 'decay_watch'", [json.dumps(by_id)]
        )


def _m010_pending_changes(connection: apsw.Connection) -> None:
    """Store each pending change of a flush in its own row; they used to be one list."""
    for (value,) in list(connection.execute("SELECT value FROM meta WHERE key = 'flush waiting'")):
        connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [
                (f"flush change {number:08}", json.dumps(row, ensure_ascii=False))
                for number, row in enumerate(json.loads(value or "[]"), 1)
            ],
        )
    connection.execute("DELETE FROM meta WHERE key = 'flush waiting'")


RECORDS: Final = """CREATE TABLE records (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, key)) WITHOUT ROWID"""


def _m011_records(connection: apsw.Connection) -> None:
    """Store state as records in namespaces; only values of the store itself stay in `meta`."""
    from remem.store.sqlite.former_state import former_files, former_notices, former_records

    connection.execute(RECORDS)
    records = [
        *former_files(connection.execute("SELECT file, digest, items FROM projected")),
        *former_notices(connection.execute("SELECT seq, at, text FROM notices")),
    ]
    for key, value in list(connection.execute("SELECT key, value FROM meta")):
        if (converted := former_records(key, value)) is not None:
            records += converted
            connection.execute("DELETE FROM meta WHERE key = ?", [key])
    connection.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", records)
    connection.execute("DROP TABLE projected")
    connection.execute("DROP TABLE notices")


def _m012_metadata_at_the_end_of_domain_files(_: apsw.Connection) -> None:
    """Change nothing, but make earlier versions of remem refuse the workspace.

    They would misread domain files with metadata at the end.
    """


def _m013_shared_metadata_in_domain_files(_: apsw.Connection) -> None:
    """Change nothing, but make earlier versions of remem refuse the workspace.

    They would misread metadata that several entries share.
    """


MIGRATIONS: Final[tuple[Callable[[apsw.Connection], None], ...]] = (
    _m001_entries,
    _m002_earlier_wordings,
    _m003_checksums,
    _m004_segments,
    _m005_vector_checksums,
    _m006_likeness_by_parts,
    _m007_places,
    _m008_stems,
    _m009_archive_reason,
    _m010_pending_changes,
    _m011_records,
    _m012_metadata_at_the_end_of_domain_files,
    _m013_shared_metadata_in_domain_files,
)
SCHEMA: Final = len(MIGRATIONS)
"""The current schema version."""
