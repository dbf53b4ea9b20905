"""Entries that were rebuilt from files: the owner hears how many may be missing, and what cannot
be known."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.entries.rebuild import ids_in_files
from tests import limits
from tests.commands import run_command

UNKNOWN = "it is unknown how many of them are missing"


@pytest.fixture
def forgotten(root: Path) -> str:
    """The id of an archived entry that another one links to."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    with open_workspace(root, background=False) as memory:
        id_ = memory.store(category="decision", content="We take the train.").id
        memory.store(category="fact", content="Tickets are booked.", related_to=[id_])
        memory.forget(id_)
    for copy in (root / ".remem/main/aside").iterdir():
        copy.unlink()
    return id_


def overwritten(database: Path) -> None:
    database.write_bytes(os.urandom(database.stat().st_size))


def headless(database: Path) -> None:
    data = database.read_bytes()
    database.write_bytes(bytes(4096) + data[4096:])


def deleted(database: Path) -> None:
    for path in database.parent.glob("entries.db*"):
        path.unlink()


def remem(root: Path, *arguments: str) -> str:
    done = run_command(root, *arguments)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("spoil", [overwritten, deleted])
def test_doctor_counts_what_may_be_missing_and_says_what_cannot_be_known(
    root: Path, forgotten: str, spoil: Callable[[Path], None]
) -> None:
    spoil(root / ".remem/main/entries.db")

    said = remem(root, "doctor", "--repair")

    assert "1 entry may be missing" in said
    assert forgotten in said
    assert UNKNOWN in said


@pytest.mark.parametrize("spoil", [headless, deleted])
def test_a_rebuild_from_files_says_so_too(
    root: Path, forgotten: str, spoil: Callable[[Path], None]
) -> None:
    spoil(root / ".remem/main/entries.db")

    said = remem(root, "rebuild", "--from-files")

    assert "restored 1 entry" in said
    assert "1 entry may be missing" in said
    assert forgotten in said
    assert UNKNOWN in said


@pytest.mark.usefixtures("forgotten")
def test_nothing_is_reported_where_nothing_was_lost(root: Path) -> None:
    said = remem(root, "rebuild", "--from-files") + remem(root, "doctor", "--repair")

    assert "may be missing" not in said
    assert UNKNOWN not in said


@pytest.mark.usefixtures("forgotten")
def test_a_domain_file_that_cannot_be_read_is_named(root: Path) -> None:
    (root / "memory/domains/people.md").write_bytes(b"- \xff\xfe spoiled ^mem-00000000\n")
    deleted(root / ".remem/main/entries.db")

    said = remem(root, "doctor", "--repair")

    assert "people.md: NOT restored" in said


def test_an_id_across_two_pieces_of_a_file_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.REBUILD_CHUNK, 16)
    (tmp_path / "old").write_bytes(b"x" * 10 + b"mem-0dap2yfh" + b"y" * 30)

    assert ids_in_files([tmp_path / "old", tmp_path / "gone", tmp_path]) == {"mem-0dap2yfh"}
