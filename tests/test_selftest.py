"""The self-test calls every tool for real, and catches one that does not work."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from remem.app.selftest import self_test
from remem.app.tools.entries import RECALL, STORE
from remem.app.tools.table import TOOLS
from remem.errors import StoreError
from remem.search.answer.answer import Answer


def test_every_tool_works() -> None:
    tried = self_test()

    assert [trial.tool for trial in tried] == [tool.name for tool in TOOLS]
    assert [trial for trial in tried if trial.reason] == []


def test_nothing_of_it_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    self_test()

    assert list(tmp_path.iterdir()) == []


def test_a_tool_that_finds_nothing_or_fails_is_caught() -> None:
    empty = replace(RECALL, run=lambda *_: Answer((), 0, 0, 0))

    def fail(*_: object) -> Answer:
        raise StoreError("the disk is gone")

    def break_down(*_: object) -> Answer:
        return {}["nothing"]  # type: ignore[no-any-return]

    broken = replace(RECALL, run=break_down)
    tried = self_test((STORE, empty, replace(RECALL, run=fail), broken))

    assert tried[0].reason is None
    assert "unexpected answer" in (tried[1].reason or "")
    assert tried[2].reason == "the disk is gone"
    assert tried[3].reason == "it fails with KeyError: 'nothing'"


def test_without_a_temporary_workspace_every_tool_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))

    assert all("the temporary workspace failed" in (result.reason or "") for result in self_test())


def test_a_tool_without_a_probe_is_reported() -> None:
    tried = self_test((replace(STORE, name="memory_unknown"),))

    assert tried[0].reason == "the self-test has no probe for it"
