"""A file of passages that is not sound is set aside and rebuilt, and that is reported."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from remem.errors import FullTextIndexDamaged, StoreDamaged, StoreTooNew
from remem.model.passage import FileMark, Passage
from remem.store.fallback import open_passages
from remem.store.sqlite import passage_tables
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.passages import SqlitePassages


def filled(path: Path, count: int = 1) -> SqlitePassages:
    store = SqlitePassages(path)
    changed: list[tuple[FileMark, list[Passage]]] = []
    for number in range(count):
        name = f"memory/{number}.md"
        text = f"tea number {number} " + "and words " * 200
        changed.append((FileMark(name, 1, 1, 1, "d"), [Passage(name, 1, 1, text)]))
    store.write(lambda tx: tx.replace(changed))
    return store


def files_in(store: SqlitePassages) -> int:
    with store.read() as reading:
        return len(reading.files())


def everything_of(store: SqlitePassages) -> None:
    with store.read() as reading:
        reading.files()
        reading.keyword(["tea"], ("memory",), 5)


def set_version(path: Path, version: int) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version={version}")
    connection.close()


def test_passages_survive_closing_and_opening(tmp_path: Path) -> None:
    filled(tmp_path / "passages.db", 3).close()

    with_it = SqlitePassages(tmp_path / "passages.db")

    assert files_in(with_it) == 3
    assert with_it.problem is None
    with_it.close()


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    filled(tmp_path / "passages.db").close()

    assert stat.S_IMODE((tmp_path / "passages.db").stat().st_mode) == 0o600


def test_a_file_that_is_not_a_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "passages.db"
    path.write_bytes(b"this is no database" * 500)

    store = SqlitePassages(path)

    assert files_in(store) == 0
    assert store.writable
    assert "read again" in str(store.problem)
    assert "doctor" not in str(store.problem)  # nothing is left to be mended
    assert (tmp_path / "damaged-passages/passages.db").read_bytes().startswith(b"this is no")
    store.close()


def test_a_file_of_an_earlier_remem_is_rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "passages.db").close()
    monkeypatch.setattr(passage_tables, "SCHEMA", passage_tables.SCHEMA + 1)

    store = SqlitePassages(tmp_path / "passages.db")

    assert files_in(store) == 0
    assert "has schema" in str(store.problem)
    assert not (tmp_path / "damaged-passages").exists(), "or it would keep what is erased later"
    store.close()


def test_a_file_of_a_later_remem_is_refused_and_not_modified(tmp_path: Path) -> None:
    path = tmp_path / "passages.db"
    filled(path).close()
    set_version(path, passage_tables.SCHEMA + 1)
    before = path.read_bytes()

    with pytest.raises(StoreTooNew):
        SqlitePassages(path)
    instead = open_passages(path)

    instead.write(lambda tx: tx.forget([]))
    assert "schema" in str(instead.problem)
    assert path.read_bytes() == before
    assert not (tmp_path / "damaged-passages").exists()


def test_damage_found_while_reading_causes_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "passages.db"
    filled(path, 60).close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    store = SqlitePassages(path)

    with pytest.raises((StoreDamaged, FullTextIndexDamaged)):
        everything_of(store)

    assert files_in(store) == 0
    assert "read again" in str(store.problem)
    assert "doctor" not in str(store.problem)
    store.write(lambda tx: tx.replace([(FileMark("memory/x.md", 1, 1, 1, "d"), [])]))
    assert files_in(store) == 1
    store.close()


def test_damaged_full_text_causes_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "passages.db"
    filled(path, 5).close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE memory_fts_data SET block = zeroblob(40) WHERE id > 10")
    connection.close()
    store = SqlitePassages(path)

    with pytest.raises(FullTextIndexDamaged), store.read() as reading:
        reading.keyword(["tea"], ("memory",), 5)

    assert files_in(store) == 0
    store.close()


def test_a_removed_or_replaced_file_is_reopened(tmp_path: Path) -> None:
    path = tmp_path / "passages.db"
    store = filled(path, 2)
    for file in tmp_path.glob("passages.db*"):
        file.unlink()

    assert files_in(store) == 0

    other = filled(path, 1)
    assert files_in(store) == 1
    other.close()
    store.close()


def test_processes_that_find_damage_together_end_with_the_same_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "passages.db"
    path.write_bytes(b"no database" * 1000)
    program = (
        "import sys; from pathlib import Path; from remem.model.passage import FileMark\n"
        "from remem.store.sqlite.passages import SqlitePassages\n"
        "s = SqlitePassages(Path(sys.argv[1]))\n"
        "changed = [(FileMark(sys.argv[2], 1, 1, 1, 'd'), [])]\n"
        "s.write(lambda tx: tx.replace(changed)); s.close()\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(path), f"memory/{n}.md"])
        for n in range(6)
    ]
    assert [process.wait() for process in started] == [0] * 6

    store = SqlitePassages(path)
    assert files_in(store) == 6
    store.close()


@pytest.mark.usefixtures("modes_hold")
def test_passages_are_in_memory_where_nothing_can_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        store = open_passages(tmp_path / "passages.db")
    finally:
        tmp_path.chmod(0o700)

    store.write(lambda tx: tx.forget([]))
    assert list(tmp_path.iterdir()) == []
    assert "cannot" in str(store.problem)


def test_passages_are_in_memory_if_their_folder_is_missing(tmp_path: Path) -> None:
    store = open_passages(tmp_path / "nowhere/passages.db")

    store.write(lambda tx: tx.forget([]))
    assert list(tmp_path.iterdir()) == []
    assert store.problem


def test_passages_and_entries_have_separate_locks(tmp_path: Path) -> None:
    entries, passages = SqliteStore(tmp_path / "entries.db"), filled(tmp_path / "passages.db")

    def writing(_tx: object) -> int:
        passages.write(lambda tx: tx.forget([]))
        return files_in(passages)

    assert entries.write(writing) == 1
    entries.close()
    passages.close()
