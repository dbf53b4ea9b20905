"""A process that is killed while it migrates a database leaves the old or the new schema whole."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from remem.entries.notices import latest_notices
from remem.ports.state import ACTIVITY
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.schema import SCHEMA
from tests.store.sqlite.former import to_schema_10
from tests.store.sqlite.sample import entry, found, put, revise

PROGRAM = """
import os, signal, sys
import apsw
from pathlib import Path
from remem.store.sqlite.entries import SqliteStore

limit, begun = int(sys.argv[2]), 0

def trace(_cursor, statement, _bindings):
    global begun
    begun += bool(begun) or statement.startswith("BEGIN IMMEDIATE")
    if begun == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    return True

apsw.connection_hooks.append(lambda connection: setattr(connection, "exec_trace", trace))
SqliteStore(Path(sys.argv[1])).close()
"""


def make_older(path: Path) -> None:
    """Take away what the last migrations have added."""
    connection = apsw.Connection(str(path))
    to_schema_10(connection, last_store="2026-11-17T08:00:00Z", decay_notice="mem-1 faded")
    connection.execute("INSERT INTO notices(at, text) VALUES ('then', 'something')")
    connection.execute("ALTER TABLE memory_entries DROP COLUMN archive_reason")
    connection.execute("DROP INDEX idx_tags_row")
    connection.execute("ALTER TABLE memory_tags ADD COLUMN live_home TEXT")
    connection.execute("CREATE INDEX idx_tags_home ON memory_tags(live_home)")
    connection.execute("PRAGMA user_version=8")
    connection.close()


@pytest.mark.parametrize("statement", [*range(2, 9), *range(10, 21, 2), 10_000])
def test_a_killed_migration_is_repeated(tmp_path: Path, statement: int) -> None:
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry("The harbour is closed.", tags=("harbour",)))
    faded = put(store, entry("The ferry leaves at nine."))
    revise(store, faded.id, "faded: low priority", archived=True)
    store.close()
    make_older(path)

    program = [sys.executable, "-c", PROGRAM, str(path), str(statement)]
    done = subprocess.run(program, check=False)
    assert done.returncode in (0, -signal.SIGKILL)

    store = SqliteStore(path)
    assert found(store, [kept.id]) == [kept]
    assert found(store, [faded.id])[0].faded
    with store.read() as snapshot:
        assert snapshot.record(ACTIVITY, "store") == "2026-11-17T08:00:00Z"
        assert latest_notices(snapshot, 5) == ["then something"]
    store.close()
    examined = examine(path)
    assert examined.intact
    assert examined.schema == SCHEMA
    assert examined.derived == ()
