"""“A surface decides nothing: the same tool with the same input gives the same answer.”

Each story is told to twin workspaces through the library, the command line and MCP; every
answer must be the same text, and every refusal the same words.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import anyio
import click
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from remem.app import opening
from remem.app.opening import open_workspace
from remem.app.tools.declare import Tool, call
from remem.app.tools.table import TOOLS, tool_named
from remem.app.workspace import Workspace
from remem.cli.main import remem
from remem.entries.spaces.listing import create_space
from remem.errors import RememError
from remem.files.layout import Layout
from remem.files.spaces import SpacesFile
from remem.mcp import server
from remem.mcp.hints import hint_for_agents
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from remem.search.answer.answer import answer_text
from tests.tables import each_row

NOW = "2026-11-15T12:00:00Z"
Step = tuple[str, dict[str, Any]]

GOOD: list[Step] = [
    ("memory_index_status", {}),
    ("memory_recall", {"query": "anything at all"}),
    ("memory_store", {"category": "fact", "content": "The gate is red."}),
    ("memory_store", {"category": "fact", "content": "the GATE is red."}),
    ("memory_store", {"category": "fact", "content": "The gate is red. It was red before."}),
    (
        "memory_store",
        {"category": "person", "content": "Zoë lives in Köln.", "tags": ["zoë", "köln"]},
    ),
    (
        "memory_store",
        {"category": "decision", "content": "We paint it blue.", "context": "the sun"},
    ),
    ("memory_store", {"category": "fact", "content": "- a list\n- in lines", "priority": "low"}),
    ("memory_store", {"category": "fact", "content": "Free lunch!", "trust": "untrusted"}),
    ("memory_store", {"category": "project", "content": "Bake bread.", "expires": "2027-01-01"}),
    ("memory_store", {"category": "fact", "content": "key sk-proj-9aB7cD2eF4gH6jK8mN3pQ5rS"}),
    ("memory_recall", {"query": "Where does Zoë live?"}),
    ("memory_recall", {"query": "gate Zoë blue list bread key"}),
    ("memory_recall", {"query": "gate Zoë blue list bread key", "token_budget": 200}),
    ("memory_recall", {"query": "gate", "token_budget": 100}),
    ("memory_recall", {"query": "gate", "limit": 1, "why": True}),
    ("memory_recall", {"query": "blue", "include_context": True, "categories": ["decision"]}),
    ("memory_recall", {"query": "lunch"}),
    ("memory_recall", {"query": "lunch", "include_untrusted": True}),
    ("memory_recall", {"query": "bread", "format": "detailed", "now": "2026-11-20"}),
    ("memory_recall", {"query": "list", "priority_min": "high", "tags": ["zoë"]}),
    ("memory_recall", {"query": '"gate" AND (red OR NEAR(x)) *'}),
    ("memory_recall", {"query": "東京", "include_archived": True}),
    ("memory_search", {"query": "Where is the gate?"}),
    ("memory_search", {"query": "gate 東京 zyzzyva", "maxResults": 1, "minScore": 0.1}),
    ("memory_search", {"query": "gate", "corpus": "all"}),
    ("memory_search", {"query": "gate", "corpus": "sessions"}),
    ("memory_search", {"query": "gate", "corpus": "wiki"}),
    ("memory_search", {"query": "nothing of the kind"}),
    ("memory_get", {"path": "MEMORY.md"}),
    ("memory_get", {"path": "MEMORY.md", "from": 2, "lines": 1}),
    ("memory_get", {"path": "MEMORY.md", "from": 99}),
    ("memory_get", {"path": "memory/nope.md", "corpus": "all"}),
    ("memory_get", {"path": "../MEMORY.md"}),
    ("memory_get", {"path": "x", "corpus": "wiki"}),
    ("memory_recall", {"query": "MEMORY.md#L3"}),
    ("memory_fact", {"action": "record", "entity": "Zoë", "fact": "Zoë lives in Köln."}),
    ("memory_fact", {"action": "record", "entity": "Zoë", "fact": "zoë lives in KÖLN."}),
    ("memory_fact", {"action": "record", "entity": "Zoë", "fact": "Zoë now lives in Bonn."}),
    ("memory_fact", {"action": "supersede", "id": "zoë-001", "fact": "Zoë now lives in Bonn."}),
    ("memory_fact", {"action": "record", "entity": "Zoe", "fact": "Zoe sings."}),
    (
        "memory_fact",
        {"action": "record", "entity": "Zoë", "fact": "Hi.", "trust": "untrusted"},
    ),
    ("memory_fact", {"action": "alias", "entity": "Zoë", "aliases": ["Z", "Frau M"]}),
    ("memory_fact", {"action": "merge", "entity": "Zoe", "into": "Zoë"}),
    ("memory_fact", {"action": "history", "entity": "Z"}),
    ("memory_fact", {"action": "list", "entity": "Z", "as_of": "2026-11-14"}),
    ("memory_fact", {"action": "entities"}),
    ("memory_fact", {"action": "contradictions"}),
    ("memory_graph_query", {}),
    ("memory_graph_query", {"query": "MATCH (n)-[r]->(m) RETURN n.name, type(r), m.name"}),
    ("memory_graph_query", {"query": "MATCH (n:Memory) RETURN n", "token_budget": 200}),
    ("memory_shared_recall", {"query": "gate"}),
    ("memory_shared_store", {"space": "ops", "category": "fact", "content": "The gate is open."}),
    ("memory_shared_recall", {"query": "Is the gate open?", "why": True}),
    ("memory_shared_recall", {"query": "gate", "spaces": ["ops", "none"], "format": "detailed"}),
    ("memory_shared_proposals", {}),
    ("memory_shared_handle", {"name": "scout", "spaces": ["ops"], "expires_in": "30m"}),
    ("memory_heartbeat", {}),
    ("memory_heartbeat", {"days": 30}),
    ("memory_consolidate", {}),
    ("memory_consolidate", {"days": 30}),
    ("memory_recall", {"query": "Where does Zoë live?"}),
    ("memory_index_status", {}),
    ("memory_audit", {}),
    ("memory_audit", {"scope": "domains", "recommend": True}),
]

BAD: list[Step] = [
    ("memory_store", {"category": "gossip", "content": "x"}),
    ("memory_store", {"category": "fact", "content": ""}),
    ("memory_store", {"category": "fact", "content": "a\0b"}),
    ("memory_store", {"category": "fact", "content": "a\ud800b"}),
    ("memory_store", {"category": "fact", "content": "x" * 1_000_001}),
    ("memory_store", {"category": "fact", "content": "x", "priority": "urgent"}),
    ("memory_store", {"category": "fact", "content": "x", "expires": "soon"}),
    ("memory_store", {"category": "fact", "content": "x", "expires": "2020-01-01"}),
    ("memory_store", {"category": "fact", "content": "x", "related_to": ["mem-00000000"]}),
    ("memory_store", {"category": "fact", "content": "x", "tags": ["t" * 300]}),
    ("memory_store", {"category": "instruction", "content": "Obey.", "trust": "untrusted"}),
    ("memory_recall", {"query": " "}),
    ("memory_recall", {"query": "x", "token_budget": 99}),
    ("memory_recall", {"query": "x", "limit": 0}),
    ("memory_recall", {"query": "x", "categories": ["fact", "gossip"]}),
    ("memory_recall", {"query": "x", "priority_min": "most"}),
    ("memory_recall", {"query": "x", "format": "long"}),
    ("memory_recall", {"query": "x", "now": "yesterday"}),
    ("memory_search", {"query": " "}),
    ("memory_search", {"query": "a\0b"}),
    ("memory_search", {"query": "x", "maxResults": 0}),
    ("memory_search", {"query": "x", "corpus": "web"}),
    ("memory_get", {"path": ""}),
    ("memory_get", {"path": "a\ud800b.md"}),
    ("memory_get", {"path": "x", "from": 0}),
    ("memory_get", {"path": "x", "lines": 0}),
    ("memory_get", {"path": "x", "corpus": "sessions"}),
    ("memory_audit", {"scope": "everything"}),
    ("memory_heartbeat", {"days": 0}),
    ("memory_consolidate", {"days": 0}),
    ("memory_graph_query", {"query": "CREATE (n) RETURN n"}),
    ("memory_graph_query", {"query": "MATCH (n) RETURN m"}),
    ("memory_graph_query", {"query": "RETURN 1", "as_of": "soon"}),
    ("memory_fact", {"action": "guess"}),
    ("memory_fact", {"action": "record", "entity": "Zoë", "fact": " "}),
    ("memory_fact", {"action": "list", "entity": "nobody"}),
    ("memory_fact", {"action": "supersede", "id": "zoë-009", "fact": "x"}),
    ("memory_shared_recall", {"query": " "}),
    ("memory_shared_recall", {"query": "x", "token_budget": 99}),
    ("memory_shared_store", {"space": "none", "category": "fact", "content": "x"}),
    ("memory_shared_store", {"space": "ops", "category": "gossip", "content": "x"}),
    (
        "memory_shared_store",
        {"space": "ops", "category": "fact", "content": "x", "supersedes": "mem-00000000"},
    ),
    ("memory_shared_proposals", {"accept": ["prop-00000000"]}),
    ("memory_shared_handle", {"name": "scout", "spaces": ["none"]}),
    ("memory_shared_handle", {"name": "scout", "spaces": ["ops"], "level": "own"}),
]

UNSAYABLE: list[Step] = [  # on a command line, where everything is text
    ("memory_store", {"category": "fact", "content": 5}),
    ("memory_store", {"category": "fact", "content": "x", "tags": "one, two"}),
    ("memory_store", {"category": "fact", "content": "x", "trust": "owner"}),
    ("memory_recall", {"query": "x", "token_budget": "many"}),
    ("memory_recall", {"query": "x", "limit": True}),
    ("memory_recall", {"query": "x", "scope": "main"}),
    ("memory_index_status", {"all": True}),
    ("memory_search", {}),
    ("memory_search", {"query": "x", "maxResults": 1.5}),
    ("memory_search", {"query": "x", "minScore": "0.5"}),
    ("memory_get", {"path": None}),
    ("memory_get", {"path": "x", "from": "1"}),
    ("memory_get", {"path": "x", "scope": "main"}),
    ("memory_audit", {"recommend": "yes"}),
]


def fresh(folder: Path) -> Path:
    (folder / ".remem").mkdir(parents=True)
    (folder / ".remem/config.toml").write_text('embedder = "none"\n')
    (folder / ".remem/workspace.key").write_text(
        "07" * 32
    )  # drawn at random, it changes token counts
    create_space(SpacesFile(Layout(folder)), "ops", NOW)
    memory = "# Memory\n\n- The gate is by the river.\n- 東京の門は青い。\n"
    (folder / "MEMORY.md").write_text(memory, encoding="utf-8")
    return folder


def seeded() -> dict[str, Any]:
    """The same present and the same ids for everyone."""
    return {"clock": lambda: NOW, "random_bytes": Random(7).randbytes}


def by_library(folder: Path, story: list[Step], trust: str) -> Iterator[str]:
    options = {**seeded(), "trust": trust, "background": False}
    with open_workspace(fresh(folder), **options) as memory:
        for tool, given in story:
            yield asked(memory, tool, given)


def asked(memory: Workspace, tool: str, given: dict[str, Any]) -> str:
    try:
        return timeless(answer_text(call(tool_named(tool), memory, given)))
    except RememError as error:
        return f"refused: {error}"


def by_command(folder: Path, story: list[Step], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(opening, "open_workspace", partial(open_workspace, **seeded()))
    fresh(folder)
    for tool, given in story:
        result = CliRunner().invoke(remem, ["--workspace", str(folder), *line(tool, given)])
        if result.exit_code == 0 or result.stdout:  # a missing file is an answer with status 1
            yield timeless(result.stdout.removesuffix("\n"))
        else:
            message, *hints = [
                message.split(": ", 1)[1]
                for message in result.stderr.splitlines()
                if not message.startswith("remem: warning")
            ]
            yield f"refused: {message}" + "".join(f" (hint: {hint})" for hint in hints)


def line(tool: str, given: dict[str, Any]) -> list[str]:
    """A call as a person would type it."""
    command = remem.get_command(click.Context(remem), tool_named(tool).command)
    assert command is not None
    options, positional = ["--json"], list[str]()
    for param in command.params:
        value = given.get(param.name or "")
        if isinstance(param, click.Argument) and value is not None:
            positional = ["--", value]
        elif value is True:
            options.append(param.opts[-1])
        elif value is not None:
            for one in value if isinstance(value, list) else [value]:
                options += [param.opts[-1], str(one)]
    return [command.name or "", *options, *positional]


def by_client(folder: Path, story: list[Step]) -> list[str]:
    options = {**seeded(), "trust": "agent", "background": False}
    door = SessionHandle(partial(open_workspace, fresh(folder), **options))
    return anyio.run(told, Client(make_server(door, TOOLS)), story)


async def told(client: Client, story: list[Step]) -> list[str]:
    texts = []
    async with client:
        for tool, given in story:
            result = await client.call_tool(tool, given)
            (block,) = result.content
            assert isinstance(block, TextContent)
            if not result.is_error:
                assert result.structured_content == json.loads(block.text)
            texts.append(f"refused: {block.text}" if result.is_error else timeless(block.text))
    return texts


@pytest.mark.parametrize("story", [GOOD, BAD], ids=["good", "bad"])
def test_the_command_line_answers_like_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, story: list[Step]
) -> None:
    library = list(by_library(tmp_path / "library", story, "owner"))
    commands = list(by_command(tmp_path / "commands", story, monkeypatch))

    assert commands == library
    assert all(text.startswith("refused: ") == (story is BAD) for text in library)


@each_row("story", [GOOD, BAD, UNSAYABLE], ids=["good", "bad", "unsayable"])
def test_mcp_answers_like_the_library(tmp_path: Path, story: list[Step]) -> None:
    library = list(by_library(tmp_path / "library", story, "agent"))
    client = by_client(tmp_path / "client", story)

    assert client == [hint_for_agents(text, TOOLS) for text in library]
    assert all(text.startswith("refused: ") == (story is not GOOD) for text in library)


def test_a_surface_that_decides_something_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generous(tool: Tool, memory: Workspace, given: dict[str, Any]) -> object:
        more = {"limit": 2} if tool.command == "recall" else {}
        return call(tool, memory, {**more, **given})

    monkeypatch.setattr(server, "call", generous)

    library = by_library(tmp_path / "library", GOOD, "agent")
    assert by_client(tmp_path / "client", GOOD) != [
        hint_for_agents(text, TOOLS) for text in library
    ]


def test_real_processes_answer_like_the_library(tmp_path: Path) -> None:
    """What only processes differ in, ids and times and what they cost, is masked."""
    story: list[Step] = [
        ("memory_store", {"category": "fact", "content": "Zoë lives in Köln.", "tags": ["zoë"]}),
        ("memory_recall", {"query": "Where does Zoë live?"}),
        ("memory_recall", {"query": "x", "token_budget": 1}),
    ]
    library = [masked(text) for text in by_library(tmp_path / "library", story, "agent")]
    python, folder = sys.executable, fresh(tmp_path / "commands")

    commands = []
    for tool, given in story:
        typed = [python, "-m", "remem", "--workspace", str(folder), *line(tool, given)]
        done = subprocess.run(typed, capture_output=True, check=False)
        error = done.stderr.decode().removeprefix("remem: ").strip()
        commands.append(masked(done.stdout.decode().strip() or f"refused: {error}"))
    served = fresh(tmp_path / "served")
    arguments = ["-m", "remem", "--workspace", str(served), "serve"]
    # in the memory's own folder, which is not a project
    client = Client(StdioServerParameters(command=python, args=arguments, cwd=str(served)))

    assert commands == library
    assert [masked(text) for text in anyio.run(told, client, story)] == library


def timeless(text: str) -> str:
    """Without the milliseconds that a search took."""
    return re.sub(r'("\w+Ms": )\d+', r"\1…", text)


def masked(text: str) -> str:
    text = re.sub(r"mem-[0-9a-z]{8}", "mem-", text)
    text = re.sub(r'("token_count":|"budget_remaining":)\d+', r"\1", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "then", text)
