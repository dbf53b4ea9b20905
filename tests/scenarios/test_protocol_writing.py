"""The protocol's checklist, points 4, 5, 6 and 8: what is written, when, and where it begins.

Each point quotes its rule, and holds in the library, on the command line and over MCP.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from remem.app.opening import open_workspace
from remem.app.tools.declare import call
from remem.app.tools.table import TOOLS, tool_named
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from tests.commands import output_of

GROUP = "agent:main:telegram:group:-100"
Flush = Callable[[str, list[dict[str, Any]]], dict[str, Any]]


@pytest.fixture(autouse=True)
def workspace(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\ntimezone = "UTC"\n')
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    (root / "MEMORY.md").write_text("# Memory\n\n## Garden\n\n- beans\n")


@pytest.fixture(params=["library", "command line", "MCP"])
def flush(request: pytest.FixtureRequest, root: Path) -> Flush:
    """One flush of a session, over one of the surfaces."""

    def by_library(session: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        with open_workspace(root, session, background=False) as memory:
            call(tool_named("memory_flush"), memory, {"items": items})
        return {}

    def by_command(session: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        return dict(json.loads(remem(root, session, "flush", "-", "--json", given=items)))

    def by_client(session: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        async def ask() -> None:
            door = SessionHandle(
                partial(open_workspace, root, session, background=False, trust="agent")
            )
            async with Client(make_server(door, TOOLS)) as client:
                result = await client.call_tool("memory_flush", {"items": items})
                assert not result.is_error

        anyio.run(ask)
        return {}

    ways: dict[str, Flush] = {"library": by_library, "command line": by_command, "MCP": by_client}
    return ways[request.param]


def remem(root: Path, session: str, *line: str, given: Any = None) -> str:
    data = None if given is None else json.dumps(given)
    return output_of(root, "--session", session, *line, given=data)


def test_4_write_back_immediately_update_on_decisions(flush: Flush, root: Path) -> None:
    """ "New decision → append to experience.md. Task status change → update attention.md. Index
    files: append-only." """
    flush(GROUP, [{"kind": "task", "text": "Order seeds"}])
    gate = (root / "memory/groups/garden.md").read_text()

    flush(GROUP, [{"kind": "decision", "text": "Beans go into bed 3."}])
    flush(GROUP, [{"kind": "task", "text": "Order seeds", "status": "done"}])
    flush(GROUP, [{"kind": "rule", "text": "Water before eight.", "topic": "watering"}])

    place = root / "memory/groups/garden"
    assert "Beans go into bed 3." in (place / "experience.md").read_text()
    assert "- [x] Order seeds" in (place / "attention.md").read_text()
    now = (root / "memory/groups/garden.md").read_text()
    assert now.startswith(gate.rstrip("\n"))
    assert "conventions/watering" in now.removeprefix(gate.rstrip("\n"))


def test_5_memory_flush_on_remem(flush: Flush, root: Path) -> None:
    """ "/remem: user manual trigger, full flush." "memory/flush-state.json: groups, main_session,
    pending_items." """
    flush(GROUP, [{"kind": "person", "text": "Mara keeps the tools."}])
    flush("main", [{"kind": "task", "text": "Call Mara"}])

    state = json.loads((root / "memory/flush-state.json").read_text())
    own = json.loads((root / "memory/groups/garden/flush-state.json").read_text())
    assert list(state) == ["groups", "main_session", "pending_items"]
    assert state["groups"] == {"last_flush_time": own["last_flush_time"]}
    assert state["main_session"]["last_flush_time"] >= own["last_flush_time"]
    assert f"Last flush: {state['main_session']['last_flush_time'][:10]}" in remem(
        root, "main", "start"
    )


def test_6_auto_flush_precompact_hook_before_compaction(root: Path, tmp_path: Path) -> None:
    """ "Pre-compact: context near limit, auto-flush before loss." """
    talk = tmp_path / "talk.jsonl"
    message = {"role": "user", "content": "We decided to plant beans."}
    talk.write_text(json.dumps({"type": "user", "sessionId": "s", "message": message}) + "\n")

    for _ in range(2):  # hosts fire it again on a retry
        remem(root, GROUP, "flush", "--transcript", str(talk))

    text = (root / "memory/groups/garden/experience.md").read_text()
    assert text.count("We decided to plant beans.") == 1


def test_8_auto_initialization_init_missing_memory_from_known_info(
    flush: Flush, root: Path
) -> None:
    """ "Group index missing: create from group_names.json + context. DM index missing: create from
    MEMORY.md content. Existing files are never overwritten." """
    flush(GROUP, [{"kind": "task", "text": "Order seeds"}])
    flush("main", [{"kind": "task", "text": "Call Mara"}])

    assert (root / "memory/groups/garden.md").read_text().startswith("# garden\n")
    assert "Garden" in (root / "memory/main/index.md").read_text()
    for gate in ("memory/groups/garden.md", "memory/main/index.md"):
        (root / gate).write_text("mine: attention.md\n")
    flush(GROUP, [{"kind": "task", "text": "Order more seeds of another kind"}])
    flush("main", [{"kind": "task", "text": "Call Mara again next week"}])
    assert (root / "memory/groups/garden.md").read_text() == "mine: attention.md\n"
    assert (root / "memory/main/index.md").read_text() == "mine: attention.md\n"
