"""What was done is known after any kill, and the log does not grow for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.files.layout import Layout
from remem.files.logs import TaskLog
from tests import limits


@pytest.fixture
def log(root: Path) -> TaskLog:
    (root / ".remem/main").mkdir(parents=True)
    return TaskLog(Layout(root))


def test_the_last_time_of_every_task_counts(log: TaskLog) -> None:
    assert log.last() == {}

    log.add("main", "decay", "2026-11-01T00:00:00Z")
    log.add("group:厨房", "decay", "2026-11-02T00:00:00Z")
    log.add("main", "decay", "2026-11-03T00:00:00Z")

    assert log.last() == {
        ("main", "decay"): "2026-11-03T00:00:00Z",
        ("group:厨房", "decay"): "2026-11-02T00:00:00Z",
    }


@pytest.mark.parametrize("torn", ['{"scope": "ma', "\x00\x00", "[1]", '{"scope": "main"}'])
def test_an_incomplete_line_does_not_affect_the_others(log: TaskLog, root: Path, torn: str) -> None:
    log.add("main", "decay", "2026-11-01T00:00:00Z")
    with (root / ".remem/main/maintain.log").open("a") as file:
        file.write(torn)

    log.add("main", "refresh", "2026-11-02T00:00:00Z")

    assert set(log.last()) == {("main", "decay"), ("main", "refresh")}


def test_a_long_log_is_compacted(log: TaskLog, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits.WORK_LOG_BYTES, 300)
    for day in range(10, 30):
        log.add("main", "decay", f"2026-11-{day}T00:00:00Z")
    log.add("main", "refresh", "2026-11-30T00:00:00Z")

    assert (root / ".remem/main/maintain.log").stat().st_size < 500
    assert log.last() == {
        ("main", "decay"): "2026-11-29T00:00:00Z",
        ("main", "refresh"): "2026-11-30T00:00:00Z",
    }
