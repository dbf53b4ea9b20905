"""Initialisation creates what is missing and overwrites nothing (invariant 5)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from remem.errors import FileError, NotAllowed
from remem.files.layout import Layout
from remem.files.sessions import read_config
from remem.setup.init import add_extra_paths, initialise
from tests.conftest import Opener


def test_an_empty_folder_becomes_a_workspace(tmp_path: Path) -> None:
    created = initialise(Layout(tmp_path))

    assert (tmp_path / ".remem/config.toml").is_file()
    assert (tmp_path / "memory/domains").is_dir()
    assert len(created) == 5
    assert (tmp_path / ".remem/.gitignore").read_text() == "*\n"
    assert (tmp_path / ".remem/workspace.key").stat().st_mode & 0o777 == 0o600


def test_existing_files_keep_their_bytes(tmp_path: Path) -> None:
    (tmp_path / ".remem").mkdir()
    (tmp_path / "memory").mkdir()
    mine = {
        ".remem/config.toml": "topics = []\n",
        "MEMORY.md": "mine",
        "memory/INDEX.md": "mine too",
    }
    for name, text in mine.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    initialise(Layout(tmp_path))
    initialise(Layout(tmp_path))

    assert {n: (tmp_path / n).read_text(encoding="utf-8") for n in mine} == mine


def test_a_database_is_never_opened_for_another_scope(opened: Opener, root: Path) -> None:
    """Two names whose folder names collide must not share a memory."""
    opened().close()
    group = root / ".remem/groups/garden"
    group.parent.mkdir(parents=True)
    shutil.copytree(root / ".remem/main", group)
    (root / "memory/group_names.json").write_text('{"7": "garden"}', encoding="utf-8")

    with pytest.raises(NotAllowed, match="another scope"):
        opened("agent:main:telegram:group:7")


def test_a_linked_folder_never_leads_into_another_scope(opened: Opener, root: Path) -> None:
    opened().store(category="fact", content="Private.")
    (root / "memory/group_names.json").write_text('{"7": "garden"}', encoding="utf-8")
    (root / "memory/groups/garden").mkdir(parents=True)
    (root / "memory/groups/garden/domains").symlink_to(root / "memory/domains")

    with pytest.raises(FileError, match="symbolic link"):
        opened("agent:main:telegram:group:7")


def test_a_byte_order_mark_stays_at_the_beginning_of_the_settings(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.config_file.parent.mkdir()
    layout.config_file.write_bytes(b"\xef\xbb\xbfindex_tokens = 300\r\n")

    assert add_extra_paths(layout, ["/notes"])

    assert read_config(layout).extra_paths == ("/notes",)
    assert layout.config_file.read_bytes().startswith(b"\xef\xbb\xbfextra_paths")
    assert layout.config_file.read_bytes().endswith(b"\nindex_tokens = 300\r\n")


def test_only_a_line_that_setup_has_added_is_extended(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.config_file.parent.mkdir()
    layout.config_file.write_text("index_tokens = 300\n", encoding="utf-8")

    assert add_extra_paths(layout, ["/notes"])
    assert add_extra_paths(layout, ["/more"])
    assert read_config(layout).extra_paths == ("/notes", "/more")

    edited = 'extra_paths = ["/notes"]  # mine\n'
    layout.config_file.write_text(edited, encoding="utf-8")
    assert not add_extra_paths(layout, ["/more"])
    assert layout.config_file.read_text(encoding="utf-8") == edited
