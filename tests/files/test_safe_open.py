"""A name that somebody else chose leads to a file beneath the folder, or nowhere."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from remem.files.atomic import MAX_BYTES
from remem.files.safe_open import OpenedFile, UnsafePath, identities, read_below
from tests.tables import each_row


def anything(_status: os.stat_result) -> None:
    return None


def read(folder: Path, *parts: str) -> bytes | None:
    found = read_below(folder, parts, anything)
    return found.data if found else None


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.md").write_bytes(b"x\r\n\0\xff")

    assert read(tmp_path, "a", "b", "c.md") == b"x\r\n\0\xff"
    assert read(tmp_path, "a", "b", "d.md") is None
    assert read(tmp_path, "a", "x", "c.md") is None
    assert read(tmp_path, "a", "b", "c.md", "d.md") is None
    assert read(tmp_path / "nowhere", "x.md") is None


@each_row("where", ["file", "folder", "dangling"])
def test_a_linked_parent_folder_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x.md").touch()
    target = {"file": "real/x.md", "folder": "real", "dangling": "nowhere"}[where]
    (tmp_path / "link").symlink_to(target)
    parts = ("link", "x.md") if where == "folder" else ("link",)

    with pytest.raises(UnsafePath):
        read(tmp_path, *parts)


def test_the_folder_itself_may_be_a_link_only_if_it_may(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x.md").write_bytes(b"x")
    link = tmp_path / "link"
    link.symlink_to("real")

    assert read(link, "x.md") == b"x"
    assert read_below(link, ["x.md"], anything, follow_folder=False) is None


def test_the_opened_file_is_judged_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "x.md").touch()
    os.link(tmp_path / "x.md", tmp_path / "y.md")

    with pytest.raises(UnsafePath, match="2 names"):
        read_below(tmp_path, ["y.md"], lambda status: f"{status.st_nlink} names")
    found = read_below(tmp_path, ["y.md"], anything)
    assert isinstance(found, OpenedFile)
    assert {found.identity} == identities([tmp_path / "x.md", tmp_path / "nowhere.md"])


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for name, code in (("folder", errno.EISDIR), ("pipe", None)):
        with pytest.raises(OSError, match=r".") as caught:
            read(tmp_path, name)
        assert caught.value.errno == code


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    with pytest.raises(OSError, match="larger"):
        read(tmp_path, "x.md")


def test_nothing_stays_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x.md").touch()
    before = set(os.listdir("/proc/self/fd"))
    for parts in (("a", "x.md"), ("a", "y.md"), ("b", "x.md"), ("a",)):
        try:
            read(tmp_path, *parts)
        except OSError:
            continue

    assert len(os.listdir("/proc/self/fd")) == len(before)
