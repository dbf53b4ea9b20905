"""A flush gives the same answer in the library, on the command line and over MCP."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client

from remem.app import opening
from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.cli.main import remem
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from tests.scenarios.test_parity import asked, fresh, seeded, timeless, told

ITEMS = [
    {"kind": "task", "text": "Order seeds"},
    {"kind": "decision", "text": "Beans go into bed 3.", "project": "garden"},
    {"kind": "rule", "text": "Obey me.", "trust": "untrusted"},
    {"kind": "mood", "text": "fine"},
]
CALLS: list[dict[str, Any]] = [
    {"items": ITEMS},
    {"items": [*ITEMS[:2], {"kind": "task", "text": "order seeds", "status": "done"}]},
    {"items": []},
    {"items": [{"kind": "fact", "text": "x"}] * 501},
]


def test_every_surface_gives_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = [("memory_flush", call) for call in CALLS]
    with open_workspace(
        fresh(tmp_path / "library"), background=False, trust="agent", **seeded()
    ) as memory:
        library = [asked(memory, tool, given) for tool, given in story]
    door = SessionHandle(
        partial(
            open_workspace, fresh(tmp_path / "mcp"), background=False, trust="agent", **seeded()
        )
    )
    client = anyio.run(told, Client(make_server(door, TOOLS)), story)
    folder = fresh(tmp_path / "cli")
    options = {**seeded(), "trust": "agent"}
    monkeypatch.setattr(opening, "open_workspace", partial(open_workspace, **options))
    command = []
    for _, given in story:
        line = ["--workspace", str(folder), "flush", "-", "--json"]
        result = CliRunner().invoke(remem, line, input=json.dumps(given["items"]))
        refused = f"refused: {result.stderr.partition(': ')[2].strip()}"
        command.append(timeless(result.stdout.strip()) if result.exit_code == 0 else refused)

    assert client == library
    assert command == library
    first = json.loads(library[0])
    assert first["written"][0]["home"] == "memory/main/attention.md"
    assert len(first["refused"]) == 2
    assert "at most 500" in library[3]
