"""The log of hooks: the newest failures can be read, however many there were."""

from __future__ import annotations

from pathlib import Path

from remem.files.layout import Layout
from remem.files.logs import HookFailure, last_failures, log_failure


def test_failures_come_back_newest_last(root: Path) -> None:
    layout = Layout(root)
    assert last_failures(layout) == []

    for number in range(3):
        log_failure(layout, HookFailure("2026-11-15T12:00:00Z", "codex", "prompt", f"no {number}"))

    assert [failure.reason for failure in last_failures(layout, limit=2)] == ["no 1", "no 2"]


def test_the_log_does_not_grow_for_ever(root: Path) -> None:
    layout = Layout(root)
    for _ in range(40):
        log_failure(layout, HookFailure("2026-11-15T12:00:00Z", "codex", "prompt", "x" * 5000))

    sizes = [path.stat().st_size for path in (root / ".remem/main").glob("hooks.*")]
    assert sum(sizes) < 150_000


def test_an_incomplete_line_is_skipped(root: Path) -> None:
    layout = Layout(root)
    log_failure(layout, HookFailure("2026-11-15T12:00:00Z", "codex", "prompt", "first"))
    with (root / ".remem/main/hooks.log").open("a") as log:
        log.write('{"at": "20')

    assert [failure.reason for failure in last_failures(layout)] == ["first"]
