"""The state file has the shape that agents know, and follows the database."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import NOW, Opener

STATE = "memory/flush-state.json"
BEANS = {"kind": "decision", "text": "We plant beans."}


def state(root: Path) -> object:
    return json.loads((root / STATE).read_text(encoding="utf-8"))


def test_the_state_file_has_the_shape_of_the_protocol(opened: Opener, root: Path) -> None:
    opened().flush([BEANS])

    assert state(root) == {
        "groups": {"last_flush_time": None},
        "main_session": {"last_flush_time": NOW},
        "pending_items": [],
    }


def test_nothing_is_written_before_the_first_flush(opened: Opener, root: Path) -> None:
    opened().start()

    assert not (root / STATE).exists()


def test_a_missing_state_file_is_written_again(opened: Opener, root: Path) -> None:
    with opened() as memory:
        memory.flush([BEANS])
    before = (root / STATE).read_bytes()
    (root / STATE).unlink()

    opened().sync()

    assert (root / STATE).read_bytes() == before


def test_text_that_others_wrote_is_kept(opened: Opener, root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    mine = {"main_session": {"last_flush_time": "2026-11-01"}, "pending_items": ["call Mara"]}
    (root / STATE).write_text(json.dumps(mine))
    memory = opened()
    assert state(root) == mine

    memory.flush([BEANS])

    now = state(root)
    assert isinstance(now, dict)
    assert now["pending_items"] == ["call Mara"]
    (copy,) = (root / ".remem/main/conflicts").iterdir()
    assert json.loads(copy.read_text()) == mine


def test_a_clock_that_was_set_back_does_not_set_the_last_flush_back(
    opened: Opener, root: Path
) -> None:
    opened().flush([BEANS])
    opened(clock=lambda: "2020-01-01T00:00:00Z").flush([])

    now = state(root)
    assert isinstance(now, dict)
    assert now["main_session"] == {"last_flush_time": NOW}


def test_leftovers_of_a_killed_write_are_removed(opened: Opener, root: Path) -> None:
    opened().flush([BEANS])
    before = (root / STATE).read_bytes()
    stray = root / "memory/.flush-state.json.0123456789abcdef.remem-new"
    stray.write_text('{"pending_items": [{"file": "memory/x.md", "text": "We plant beans."}]}')

    opened().flush([BEANS])

    assert (root / STATE).read_bytes() == before
    assert not stray.exists()
