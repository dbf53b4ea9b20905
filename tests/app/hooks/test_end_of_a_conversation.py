"""What a conversation has read counts until its host compacts or ends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.hooks import answer as hook
from remem.app.hooks.event import read_event
from remem.app.opening import open_workspace
from remem.errors import GateFirst
from remem.files.layout import Layout

KEY = "agent:main:telegram:group:-100123"
GATE = "memory/groups/kitchen.md"
FILE = "memory/groups/kitchen/attention.md"


@pytest.fixture
def ws(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hook, "start_flush_process", lambda *_: None)
    (root / "memory/groups/kitchen").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100123": "kitchen"}')
    (root / GATE).write_text("# kitchen\n")
    (root / FILE).write_text("- Buy flour\n")
    return root


def may_read(root: Path, conversation: str) -> bool:
    with open_workspace(root, KEY, background=False, conversation=conversation) as memory:
        try:
            return bool(memory.get(FILE).text)
        except GateFirst:
            return False


def read_the_gate(root: Path, conversation: str) -> None:
    with open_workspace(root, KEY, background=False, conversation=conversation) as memory:
        memory.services.files.get_for_host(GATE)


@pytest.mark.parametrize("event", ["pre-compact", "session-end"])
def test_after_it_the_gate_is_read_again(ws: Path, event: str) -> None:
    for conversation in ("s1", "s2", ""):
        read_the_gate(ws, conversation)
    assert all(may_read(ws, conversation) for conversation in ("s1", "s2", ""))

    said = {"sessionKey": KEY, "sessionId": "s1", "workspaceDir": str(ws)}
    hook.answer(Layout(ws), read_event(event, "openclaw", json.dumps(said).encode()))

    assert [may_read(ws, conversation) for conversation in ("s1", "s2", "")] == [False, True, False]


def test_a_flush_alone_ends_nothing(ws: Path) -> None:
    read_the_gate(ws, "s1")

    said = {"sessionKey": KEY, "sessionId": "s1", "workspaceDir": str(ws)}
    hook.answer(Layout(ws), read_event("remem", "openclaw", json.dumps(said).encode()))

    assert may_read(ws, "s1")
