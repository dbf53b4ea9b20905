"""The key of a workspace: made once, kept private, and the same for every process."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remem.errors import FileError
from remem.files import workspace_key
from remem.files.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / ".remem").mkdir()
    return Layout(tmp_path)


def test_the_key_is_created_once_and_only_its_owner_can_read_it(layout: Layout) -> None:
    assert workspace_key.read(layout) is None

    key = workspace_key.read_or_create(layout)

    assert len(key) == 32
    assert workspace_key.read_or_create(layout) == workspace_key.read(layout) == key
    assert stat.S_IMODE(layout.key_file.stat().st_mode) == 0o600


def test_concurrent_creators_get_the_same_key(layout: Layout) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: workspace_key.read_or_create(layout), range(32)))

    assert len(keys) == 1
    assert [path.name for path in (layout.root / ".remem").iterdir()] == ["workspace.key"]


@pytest.mark.parametrize("data", [b"", b"00", b"\xff" * 64, b"zz" * 32, b"00" * 33])
def test_a_damaged_key_is_reported_and_never_replaced(layout: Layout, data: bytes) -> None:
    layout.key_file.write_bytes(data)

    with pytest.raises(FileError, match=r"workspace\.key is damaged"):
        workspace_key.read_or_create(layout)

    assert layout.key_file.read_bytes() == data


def test_a_link_is_not_followed(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("00" * 32)
    layout.key_file.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(FileError, match="symbolic link"):
        workspace_key.read_or_create(layout)
