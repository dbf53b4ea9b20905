"""A name has one file; a person's spelling of it comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.errors import StoreReadOnly
from remem.files.layout import markdown_file_for, markdown_in
from tests.tables import each_row


def test_a_new_name_gets_a_plain_file(tmp_path: Path) -> None:
    assert markdown_file_for(tmp_path, "Garden Shed") == "garden-shed.md"


@each_row("there", ["Garden Shed.md", "garden-shed.md", "GARDEN SHED.md"])
def test_an_existing_file_is_used(tmp_path: Path, there: str) -> None:
    (tmp_path / there).touch()

    assert markdown_file_for(tmp_path, "garden shed") == there


@each_row("name", ["../../MEMORY", "/etc/passwd", "..", ".", "CON", "a\\b", "x" * 300, "数据"])
def test_no_name_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    file = markdown_file_for(tmp_path, name)

    assert (tmp_path / file).resolve().parent == tmp_path.resolve()
    assert file.endswith(".md")
    assert len(file) < 100
    assert markdown_file_for(tmp_path, name) == file


def test_links_and_other_files_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "b.txt").touch()
    (tmp_path / "c.md").symlink_to(tmp_path / "a.md")

    assert markdown_in(tmp_path) == ["a.md"]
    assert markdown_in(tmp_path / "none") == []


@pytest.mark.usefixtures("modes_hold")
def test_a_folder_that_may_not_be_listed_asks_for_the_right_to_read(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    try:
        with pytest.raises(StoreReadOnly, match="cannot be listed") as caught:
            markdown_in(tmp_path)
    finally:
        tmp_path.chmod(0o700)

    assert caught.value.hint == "allow the user that runs remem to read that folder"
