"""Copies of replaced files go after a minute, unless somebody has saved into them."""

from __future__ import annotations

from pathlib import Path
from time import time

import pytest

from remem.app.workspace import Workspace
from remem.entries.domain_sync import leftovers
from tests.conftest import Opener


@pytest.fixture
def aside(root: Path, memory: Workspace) -> Path:
    """The folder of copies after some writes; the workspace is closed."""
    for number in range(3):
        memory.store(category="fact", content=f"Parcel {number} waits.")
    memory.close()
    folder = root / ".remem/main/aside"
    assert list(folder.iterdir())
    return folder


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(leftovers, "time", lambda: time() + seconds)


def test_a_copy_is_kept_for_a_minute(aside: Path, opened: Opener) -> None:
    before = set(aside.iterdir())

    opened().sync()

    assert set(aside.iterdir()) == before


@pytest.mark.parametrize("seconds", [61, 86_400, -86_400])
def test_after_a_minute_the_next_open_removes_the_copy_even_if_the_clock_was_set_back(
    aside: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    later(monkeypatch, seconds)

    opened().sync()

    assert list(aside.iterdir()) == []


def test_what_an_editor_saved_into_a_copy_is_kept_for_its_owner(
    root: Path, aside: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = next(aside.glob("facts.md.*"))
    copy.write_text("# Facts\n\n- Saved by an editor that had it open.\n")
    later(monkeypatch, 61)

    opened().sync()

    assert list(aside.iterdir()) == []
    (kept,) = (root / ".remem/main/conflicts").glob("facts.md.*")
    assert "Saved by an editor" in kept.read_text()


def test_an_unreadable_copy_is_reported_and_does_not_block_the_others(
    aside: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = aside / f"facts.md.{'0' * 64}.{'0' * 16}"
    odd.mkdir()
    later(monkeypatch, 61)

    memory = opened()

    assert memory.store(category="fact", content="Parcel four waits.").stored
    assert any("aside" in line for line in memory.problems)
    assert odd.is_dir()


def test_what_does_not_have_the_name_of_a_copy_is_left_alone(
    aside: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = aside / "my.own.notes.here"
    own.write_text("a person's")
    later(monkeypatch, 86_400)

    opened().sync()

    assert [path.name for path in aside.iterdir()] == ["my.own.notes.here"]
