"""A change of MEMORY.md is whole or not there, can be taken back, and costs nobody a byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remem.errors import FileError, InvalidInput
from remem.files import atomic
from remem.files.edit_journal import EditJournal, FileChange
from remem.files.layout import Layout
from remem.model.scope import MAIN
from tests.tables import each_row

OLD = b"# M\r\n- one\r\n- two\r\n- three\r\n- four"
NEW = b"# M\r\n- one\r\n- three\r\n- four"
CHANGE = FileChange("MEMORY.md", "drop a line", OLD, NEW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(OLD)
    path.chmod(0o644)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> EditJournal:
    return EditJournal(Layout(tmp_path), MAIN)


def test_a_change_is_applied_and_undone_byte_for_byte(path: Path, journal: EditJournal) -> None:
    kept = journal.apply(CHANGE)

    assert path.read_bytes() == NEW
    assert kept.read_bytes() == OLD
    assert journal.undo().how == "restored"
    assert path.read_bytes() == OLD
    assert path.stat().st_mode & 0o777 == 0o644


def test_changes_are_undone_one_by_one_the_last_first(path: Path, journal: EditJournal) -> None:
    journal.apply(CHANGE)
    journal.apply(FileChange("MEMORY.md", "drop another", NEW, b"# M"))

    assert journal.undo().description == "drop another"
    assert path.read_bytes() == NEW
    assert journal.undo().description == "drop a line"
    assert path.read_bytes() == OLD
    with pytest.raises(InvalidInput, match="nothing to undo"):
        journal.undo()


def test_a_file_that_was_edited_before_the_change_is_left_alone(
    path: Path, journal: EditJournal
) -> None:
    path.write_bytes(OLD + b"\n- mine")

    with pytest.raises(FileError, match="was edited in the meantime; nothing was changed"):
        journal.apply(CHANGE)

    assert path.read_bytes() == OLD + b"\n- mine"
    with pytest.raises(InvalidInput, match="nothing to undo"):
        journal.undo()


def test_later_edits_survive_an_undo(path: Path, journal: EditJournal) -> None:
    journal.apply(CHANGE)
    path.write_bytes(b"# My memory\r\n- one\r\n- three\r\n- four\r\n- five\n")

    assert journal.undo().how == "merged"
    assert path.read_bytes() == b"# My memory\r\n- one\r\n- two\r\n- three\r\n- four\r\n- five\n"


def test_an_edit_right_below_the_change_survives_the_undo(path: Path, journal: EditJournal) -> None:
    """Most edits are one more line at the end, where a change may have been made, too."""
    pointed = b"# M\r\n-> entries\n"
    path.write_bytes(OLD + b"\n")
    journal.apply(FileChange("MEMORY.md", "point to entries", OLD + b"\n", pointed))
    path.write_bytes(pointed + b"- five\n")

    assert journal.undo().how == "merged"
    assert path.read_bytes() == OLD + b"\n- five\n"


def test_a_file_that_was_put_back_by_hand_gets_no_line_twice(
    path: Path, journal: EditJournal
) -> None:
    journal.apply(CHANGE)
    path.write_bytes(OLD + b"\r\n- five\n")

    assert journal.undo().how == "already"
    assert path.read_bytes() == OLD + b"\r\n- five\n"


def test_edits_in_the_changed_lines_prevent_an_undo(path: Path, journal: EditJournal) -> None:
    journal.apply(CHANGE)
    path.write_bytes(b"# M\r\n- ONE\r\n- three\r\n- four")

    with pytest.raises(FileError, match="edited in the changed lines") as caught:
        journal.undo()

    assert path.read_bytes() == b"# M\r\n- ONE\r\n- three\r\n- four"
    named = str(caught.value.hint).rpartition(" ")[2]
    assert (path.parent / named).read_bytes() == OLD


def test_a_missing_file_is_not_recreated_by_a_swap(path: Path, journal: EditJournal) -> None:
    journal.apply(CHANGE)
    path.unlink()

    with pytest.raises(FileError, match=r"MEMORY.md is missing"):
        journal.undo()
    assert not path.exists()


def test_a_save_in_the_last_moment_wins(
    path: Path, journal: EditJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = atomic.exchange  # type: ignore[attr-defined]
    saved = False

    def after_a_save(one: Path, other: Path) -> None:
        nonlocal saved
        if not saved:
            saved = True
            editor = path.with_name("editor")
            editor.write_bytes(b"his words")
            editor.rename(path)
        own(one, other)

    monkeypatch.setattr(atomic, "exchange", after_a_save)

    with pytest.raises(FileError, match="was edited in the meantime"):
        journal.apply(CHANGE)
    assert path.read_bytes() == b"his words"


def test_a_link_is_refused(tmp_path: Path, path: Path, journal: EditJournal) -> None:
    path.rename(tmp_path / "real")
    path.symlink_to(tmp_path / "real")

    with pytest.raises(FileError, match="symbolic link"):
        journal.apply(CHANGE)
    assert (tmp_path / "real").read_bytes() == OLD


SWEEP = """
import shutil, sys
from itertools import count
from pathlib import Path
from remem.files.edit_journal import EditJournal
from remem.model.scope import MAIN
from remem.errors import InvalidInput
from remem.files import atomic as files
from remem.files.layout import Layout
from tests.faults.dying import is_killed_at_call
from tests.files.test_edit_journal import CHANGE, NEW, OLD

def is_system_call(frame, function):
    return function.__module__ == "posix"

def in_place(journal):
    (journal.layout.root / "MEMORY.md").write_bytes(NEW)

def apply(journal):
    journal.apply(CHANGE)

def undo(journal):
    journal.undo()

act = globals()[sys.argv[2]]
for step in count(1):
    root = Path(sys.argv[1]) / str(step)
    root.mkdir()
    path, journal = root / "MEMORY.md", EditJournal(Layout(root), MAIN)
    path.write_bytes(OLD)
    if act is undo:
        journal.apply(CHANGE)
    killed = is_killed_at_call(step, lambda: act(journal), is_system_call)
    now = path.read_bytes()
    assert now in (OLD, NEW)
    try:
        journal.undo()
    except InvalidInput:
        assert now == OLD
    assert path.read_bytes() == OLD
    journal.apply(CHANGE)
    assert path.read_bytes() == NEW
    shutil.rmtree(root)
    if not killed:
        break
print(step - 1)
"""


def swept(folder: Path, act: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SWEEP, str(folder), act]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.kill
@each_row("act", ["apply", "undo"])
def test_a_kill_at_any_step_leaves_a_complete_file_that_can_be_restored(
    tmp_path: Path, act: str
) -> None:
    result = swept(tmp_path, act)

    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > 20


@pytest.mark.kill
def test_the_sweep_catches_a_change_without_a_journal(tmp_path: Path) -> None:
    assert swept(tmp_path, "in_place").returncode == 1


def test_words_that_are_erased_leave_the_journal_and_the_rest_can_be_undone(
    path: Path, journal: EditJournal
) -> None:
    before, after = b"# Kept\n- secret\n- one\n", b"# Kept\n- secret\n- one\n- two\n"
    path.write_bytes(before)
    journal.apply(FileChange(path.name, "secret", before, after))

    journal.forget(lambda data: data.replace(b"- secret\n", b"").replace(b"secret", b""))

    kept = [file.read_bytes() for file in (path.parent / ".remem").rglob("*") if file.is_file()]
    assert kept
    assert not any(b"secret" in data for data in kept)
    assert path.read_bytes() == after
    undone = journal.undo()
    assert (undone.description, undone.how) == ("a change whose text was erased", "merged")
    assert path.read_bytes() == before


def test_forgetting_does_not_create_a_journal(journal: EditJournal) -> None:
    journal.forget(lambda _data: b"")

    assert not journal.layout.state_folder(MAIN).exists()
