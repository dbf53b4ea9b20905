"""“If `entries.db` is broken, `memory_search` and `memory_get` still work; if `passages.db` is
broken too, search scans the permitted files.”"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import apsw
import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, RememError, StoreDamaged, StoreError
from remem.ports.passages import PassageStore
from tests.conftest import Opener


@pytest.fixture
def files(root: Path, opened: Opener) -> Path:
    """A workspace that was used, and is closed."""
    root.mkdir()
    (root / "MEMORY.md").write_text("- The gateway runs on atlas.\n", encoding="utf-8")
    memory = opened()
    memory.store(category="fact", content="The tea is green.")
    assert memory.search("gateway").results
    memory.close()
    return root


def spoil(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}-*"):
        file.unlink()
    path.write_bytes(b"not a database" * 100)


def both_answer(memory: Workspace) -> None:
    assert [hit.path for hit in memory.search("gateway atlas").results] == ["MEMORY.md"]
    assert memory.get("MEMORY.md").text == "- The gateway runs on atlas."


def test_without_the_store_of_entries_the_files_answer(files: Path, opened: Opener) -> None:
    spoil(files / ".remem/main/entries.db")
    memory = opened()

    both_answer(memory)
    with pytest.raises(RememError):
        memory.recall("tea")
    assert any("entries.db" in reason for reason in memory.problems)


def test_search_and_get_answer_while_the_store_of_entries_does_not(
    files: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    store = memory.services.store

    def closed(*_: object) -> object:
        raise StoreError("the store of entries does not answer")

    for name in ("read", "write"):
        monkeypatch.setattr(store, name, closed)

    both_answer(memory)
    monkeypatch.undo()


def removed(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


@pytest.mark.parametrize("harm", [spoil, removed])
def test_without_passages_the_files_are_read_again(
    files: Path, opened: Opener, harm: Callable[[Path], None]
) -> None:
    harm(files / ".remem/main/passages.db")

    both_answer(opened())


def test_damaged_passages_are_reported(files: Path, opened: Opener) -> None:
    spoil(files / ".remem/main/passages.db")

    found = opened().search("gateway")

    assert found.stale is True
    assert "passages.db" in (found.warning or "")
    assert found.action


def test_a_store_of_passages_by_a_later_remem_is_left_alone_and_the_files_are_scanned(
    files: Path, opened: Opener
) -> None:
    path = files / ".remem/main/passages.db"
    database = apsw.Connection(str(path))
    database.execute("PRAGMA user_version=999")
    database.close()
    before = path.read_bytes()
    memory = opened()

    both_answer(memory)
    assert memory.search("gateway").stale is True
    memory.close()
    assert path.read_bytes() == before


def test_a_search_that_finds_damage_still_answers(files: Path, opened: Opener) -> None:
    memory = opened()
    both_answer(memory)
    with (files / ".remem/main/passages.db").open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(Random(4).randbytes(size - 4096))

    with suppress(StoreError):
        assert memory.search("gateway atlas").results
    memory.close()
    both_answer(opened())


def test_search_that_can_read_nothing_says_so_and_how_to_repair_it(
    files: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    store: PassageStore = memory.services.passages

    def damaged(*_: object) -> object:
        raise StoreDamaged("passages.db is not sound", hint="run `remem refresh`")

    monkeypatch.setattr(store, "read", damaged)
    found = memory.services.files.search_for_host("gateway")

    assert (found.disabled, found.unavailable, found.results) == (True, True, ())
    assert found.error == "passages.db is not sound"
    assert found.action == "run `remem refresh`"
    with pytest.raises(StoreDamaged, match="not sound"):
        memory.search("gateway")
    assert memory.get("MEMORY.md").status == "ok"
    monkeypatch.undo()


@pytest.mark.usefixtures("modes_hold")
def test_a_workspace_that_cannot_be_written_is_searched(files: Path, opened: Opener) -> None:
    folders = [files, *(path for path in files.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        both_answer(opened())
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)


def test_a_file_that_changes_is_found_at_once_and_one_that_is_gone_is_not(
    files: Path, opened: Opener
) -> None:
    memory = opened()
    (files / "memory/new.md").write_text("The zeppelin landed.\n", encoding="utf-8")

    assert [hit.path for hit in memory.search("zeppelin").results] == ["memory/new.md"]

    (files / "memory/new.md").unlink()
    assert memory.search("zeppelin").results == ()
    with pytest.raises(FileError, match=r"no memory file memory/new\.md"):
        memory.get("memory/new.md")
