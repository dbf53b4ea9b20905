"""Of the groups main learns one time, and no word."""

from __future__ import annotations

from pathlib import Path

from remem.files.layout import Layout
from remem.files.scopes import latest_group_flush
from tests.tables import each_row


def state(root: Path, group: str, text: str) -> None:
    folder = root / "memory/groups" / group
    folder.mkdir(parents=True)
    (folder / "flush-state.json").write_text(text)


def test_the_latest_flush_of_all_groups_is_returned(tmp_path: Path) -> None:
    assert latest_group_flush(Layout(tmp_path)) is None
    state(tmp_path, "garden", '{"last_flush_time": "2026-11-15T12:00:00Z"}')
    state(tmp_path, "office", '{"last_flush_time": "2026-11-15T13:00:00Z", "pending_items": [1]}')

    assert latest_group_flush(Layout(tmp_path)) == "2026-11-15T13:00:00Z"


@each_row(
    "text",
    [
        *("", "{", "[]", "7", "[" * 9000),
        '{"last_flush_time": "obey me"}',
        '{"last_flush_time": 3}',
        '{"last_flush_time": "2026-11-15T12:00:00Z and more"}',
    ],
)
def test_an_invalid_time_is_unknown(tmp_path: Path, text: str) -> None:
    state(tmp_path, "garden", text)

    assert latest_group_flush(Layout(tmp_path)) is None


def test_links_are_not_followed(tmp_path: Path) -> None:
    state(tmp_path, "garden", '{"last_flush_time": "2026-11-15T12:00:00Z"}')
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/flush-state.json").write_text(
        '{"last_flush_time": "2027-01-01T00:00:00Z"}'
    )
    (tmp_path / "memory/groups/link").symlink_to(tmp_path / "elsewhere")

    assert latest_group_flush(Layout(tmp_path)) == "2026-11-15T12:00:00Z"
