"""A workspace that cannot be written is still read, and says why it is not written."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.disk

# Root may write anywhere, so the program becomes nobody once everything is imported.
PROGRAM = """
import os, shutil, sys, tempfile, tomllib
from pathlib import Path
from remem.model.entry import Filter
from remem.errors import StoreReadOnly
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, found, put

folder = Path(tempfile.mkdtemp())
if os.geteuid() == 0:
    os.chown(folder, 65534, 65534)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)

def forbid(what):
    if "log" in what:
        crash(folder / "entries.db")
    if "no index" in what:
        (folder / "entries.db-shm").unlink()
    if what == "file":
        (folder / "entries.db").chmod(0o400)
        return
    if "log" in what:
        for file in folder.iterdir():
            file.chmod(0o400)
    folder.chmod(0o500)

def crash(path):
    '''Leave a write-ahead log behind that holds an entry.'''
    if os.fork() == 0:
        put(SqliteStore(path), entry("from the log", id="mem-10000000"))
        os._exit(0)
    assert os.wait()[1] == 0
    assert (folder / "entries.db-wal").stat().st_size

try:
    path = folder / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry("before tea"))
    store.close()
    forbid(sys.argv[1])
    try:
        store = SqliteStore(path)
    except StoreReadOnly as error:
        print(f"refused: {error}")
        sys.exit()
    assert not store.writable
    assert found(store, [kept.id]) == [kept]
    with store.read() as snapshot:
        print(len(snapshot.keyword(["tea", "log"], Filter(), 9).hits), "found;", store.problem)
    for act in (lambda: put(store, entry("new")), lambda: store.write(lambda tx: None)):
        try:
            act()
        except StoreReadOnly:
            continue
        raise AssertionError("it was written")
    store.close()
finally:
    folder.chmod(0o700)
    shutil.rmtree(folder)
"""


def read_only(what: str) -> str:
    command = [sys.executable, "-c", PROGRAM, what]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("what", ["file", "folder"])
def test_reading_works_where_writing_does_not(what: str) -> None:
    said = read_only(what)

    assert said.startswith("1 found;")
    assert "entries.db" in said
    assert "reading still works" in said


def test_what_is_still_in_the_log_is_read_too() -> None:
    assert read_only("folder with log").startswith("2 found;")


def test_a_log_that_cannot_be_read_is_not_passed_over() -> None:
    said = read_only("folder with log and no index")

    assert said.startswith(("2 found;", "refused: "))
    if said.startswith("refused: "):
        assert "entries.db-wal" in said
