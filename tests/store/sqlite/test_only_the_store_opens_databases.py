"""One SQLite in a process, and no raw handle on its files: closing one drops every lock."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import remem
from remem.app.workspace import Workspace
from tests.tables import each_row

SOURCE = Path(remem.__file__).parent
OTHER_LIBRARIES = {"sqlite3", "pysqlite3", "sqlean", "aiosqlite", "sqlalchemy"}
RAW = {
    *("open", "fdopen", "mmap", "file_digest", "copy2", "copyfile", "copyfileobj", "copytree"),
    *("read_bytes", "read_text", "write_bytes", "write_text", "shutil.copy", "shutil.move"),
}
# These hand the place of a database on, or look when it last changed; they open none.
PLACES = ("app/opening.py", "app/stores.py", "app/environment.py", "ops/", "app/hooks/start.py")
NO_FILES = "store/postgres/"
LOCKS = "store/sqlite/process_lock.py"  # opens the lock files, which are no databases


def offences(name: str, source: str) -> Iterator[str]:
    """What a module does that could open a database behind the store's back."""
    in_store = name.startswith("store/") and name != LOCKS and not name.startswith(NO_FILES)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                imported = {name.name.split(".")[0] for name in names}
            case ast.ImportFrom(module=str(module)):
                imported = {module.split(".")[0]}
            case _:
                imported = set()
        if imported & OTHER_LIBRARIES:
            yield f"{name} imports {', '.join(sorted(imported))}"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            function = called.rpartition(".")[2]
            if in_store and {called, function} & RAW:
                yield f"{name}:{node.lineno} calls {called}"
            asked = function in {"database", "passages"} and "layout" in called
            if asked and not name.startswith(PLACES):
                yield f"{name}:{node.lineno} asks where a database lies"


def test_only_the_store_package_opens_databases() -> None:
    found = [
        offence
        for path in sorted(SOURCE.rglob("*.py"))
        for offence in offences(path.relative_to(SOURCE).as_posix(), path.read_text())
    ]

    assert found == []


@each_row(
    ("name", "planted"),
    [
        ("audit.py", "import sqlite3"),
        ("audit.py", "def f():\n    from sqlite3 import connect"),
        ("store/sqlite/entries.py", "shutil.copy(path, target)"),
        ("admin/backup.py", "shutil.copy(layout.database(scope), target)"),
        ("store/sqlite/entries.py", "size = len(path.read_bytes())"),
        ("store/sqlite/entries.py", "with open(path, 'rb') as file: pass"),
        ("store/sqlite/entries.py", "with path.open('rb') as file: pass"),
    ],
)
def test_a_module_that_opens_a_database_is_caught(name: str, planted: str) -> None:
    assert list(offences(name, planted))


def locks(folder: Path) -> set[tuple[str, str, str]]:
    """The POSIX locks of this process on the files of a folder."""
    inodes = {str(path.stat().st_ino) for path in folder.iterdir() if path.is_file()}
    found = set()
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        if fields[1] == "POSIX" and fields[4] == str(os.getpid()):
            inode = fields[5].rsplit(":", 1)[1]
            if inode in inodes:
                found.add((inode, *fields[6:8]))
    return found


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel shows no locks here")
def test_no_public_call_releases_a_lock(memory: Workspace, root: Path) -> None:
    folder = root / ".remem" / "main"
    first = memory.store(category="fact", content="David drinks his coffee black.")
    held = locks(folder)
    assert held

    for call in (
        lambda: memory.store(category="fact", content="Ada drinks tea."),
        lambda: memory.recall("coffee"),
        lambda: memory.recall(first.id),
        memory.index,
        memory.status,
        lambda: list(memory.export()),
        lambda: memory.history(first.id),
        memory.maintenance.rebuild,
        memory.sync,
        memory.maintenance.embed_pending,
        memory.review,
    ):
        call()
        assert held <= locks(folder)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel shows no locks here")
def test_reading_the_database_file_directly_releases_its_locks(
    memory: Workspace, root: Path
) -> None:
    memory.store(category="fact", content="David drinks his coffee black.")
    folder = root / ".remem" / "main"
    held = locks(folder)

    (folder / "entries.db").read_bytes()
    (folder / "entries.db-shm").read_bytes()

    assert not held <= locks(folder)
