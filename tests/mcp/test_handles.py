"""Handles: a sub-agent uses shared spaces through its parent's rights, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.files.layout import Layout
from remem.files.session_tokens import MAX_HANDLES, SessionTokens
from remem.model.session import invalid_token
from tests.mcp.token_server import Served
from tests.scenarios.twin_tools import fitting
from tests.tables import each_row

pytestmark = pytest.mark.walls

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:-100"
RESTART = "The gateway restarts on Sundays at 04:00."
Ask = Callable[..., Awaitable[Any]]


class Played:
    """A workspace with a space called ops, and a server for its sessions and sub-agents."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "memory").mkdir(parents=True)
        (root / "memory/group_names.json").write_text('{"-100": "alpha"}', encoding="utf-8")
        self.served = Served(root)
        self.owner(lambda ws: ws.spaces.create("ops"))

    def owner(self, act: Callable[[Any], Any]) -> Any:
        with open_workspace(self.root, background=False) as workspace:
            return act(workspace)

    def token(self, key: str = MAIN, conversation: str = "c1") -> str:
        return self.served.tokens.issue(key, conversation).token

    def play(self, story: Callable[[Ask], Awaitable[None]]) -> None:
        async def told(client: Client) -> None:
            async def ask(tool: str, token: str, **given: Any) -> Any:
                answer = await client.call_tool(tool, {**given, "session_token": token})
                (block,) = answer.content
                assert isinstance(block, TextContent)
                return block.text if answer.is_error else json.loads(block.text)

            await story(ask)

        self.served.play(told)


@pytest.fixture
def played(root: Path) -> Played:
    return Played(root)


def test_a_sub_agent_reads_with_its_handle_and_proposes_what_its_parent_accepts(
    played: Played,
) -> None:
    parent = played.token()

    async def story(ask: Ask) -> None:
        memory = {"space": "ops", "category": "fact", "content": RESTART}
        await ask("memory_shared_store", parent, **memory)
        given = {"name": "scout", "spaces": ["ops"], "level": "propose"}
        handle = (await ask("memory_shared_handle", parent, **given))["token"]
        found = await ask("memory_shared_recall", handle, query="when does the gateway restart?")
        assert [entry["author"] for entry in found["entries"]] == ["agent:main"]

        memory["content"] = "The gateway runs on host atlas."
        receipt = await ask("memory_shared_store", handle, **memory)
        assert receipt["proposed"]
        assert receipt["author"] == "subagent:main/scout"
        waiting = (await ask("memory_shared_proposals", parent))["waiting"]
        assert [proposal["id"] for proposal in waiting] == [receipt["id"]]
        await ask("memory_shared_proposals", parent, accept=[receipt["id"]])
        found = await ask("memory_shared_recall", handle, query="which host runs the gateway?")
        assert found["entries"][0]["author"] == "subagent:main/scout"

    played.play(story)


def test_a_handle_reaches_no_tool_but_its_own_and_no_memory(played: Played) -> None:
    parent = played.token()

    async def story(ask: Ask) -> None:
        handle = await ask("memory_shared_handle", parent, name="scout", spaces=["ops"])
        assert handle["tools"] == ["memory_shared_recall"]
        for tool in TOOLS:
            answer = await ask(tool.name, handle["token"], **fitting(tool))
            if tool.name == "memory_shared_recall":
                assert answer["entries"] == []
            else:
                assert "a sub-agent has no memory of its own" in answer

    played.play(story)


def test_a_handle_ends_with_the_conversation_of_its_parent(played: Played) -> None:
    parent = played.token()

    async def story(ask: Ask) -> None:
        handle = (await ask("memory_shared_handle", parent, name="scout", spaces=["ops"]))["token"]
        assert "entries" in await ask("memory_shared_recall", handle, query="x")
        played.served.tokens.revoke(MAIN, "another")
        assert "entries" in await ask("memory_shared_recall", handle, query="x")
        played.served.tokens.revoke(MAIN, "c1")
        assert await ask("memory_shared_recall", handle, query="x") == str(invalid_token())

    played.play(story)


def test_a_handle_loses_what_its_parent_loses(played: Played) -> None:
    played.owner(lambda ws: ws.spaces.grant("ops", "groups"))
    played.owner(lambda ws: ws.spaces.store("ops", category="fact", content=RESTART))
    parent = played.token(GROUP)

    async def story(ask: Ask) -> None:
        handle = (await ask("memory_shared_handle", parent, name="scout", spaces=["ops"]))["token"]
        assert (await ask("memory_shared_recall", handle, query="gateway"))["entries"]
        played.owner(lambda ws: ws.spaces.revoke("ops", "groups"))
        assert not (await ask("memory_shared_recall", handle, query="gateway"))["entries"]

    played.play(story)


def test_nobody_gives_what_they_do_not_have(played: Played) -> None:
    played.owner(lambda ws: ws.spaces.grant("ops", "groups"))
    played.owner(lambda ws: ws.spaces.create("home"))
    group, parent = played.token(GROUP), played.token()

    async def story(ask: Ask) -> None:
        scout = {"name": "scout", "spaces": ["ops"]}
        assert "may only read" in await ask("memory_shared_handle", group, **scout, level="propose")
        denied, absent = [
            await ask("memory_shared_handle", group, name="scout", spaces=[name])
            for name in ("home", "none")
        ]
        assert denied == absent.replace("none", "home")
        handle = await ask("memory_shared_handle", parent, **scout, level="write")
        assert handle["levels"] == {"ops": "propose"}  # the owner lets no sub-agent write
        assert "this handle is for" in await ask("memory_shared_handle", handle["token"], **scout)

    played.play(story)


@each_row(
    ("given", "reason"),
    [
        ({"name": "a b", "spaces": ["ops"]}, "cannot be named"),
        ({"name": "scout", "spaces": []}, "no space was named"),
        ({"name": "scout", "spaces": ["ops"], "expires_in": "9d"}, "too long"),
        ({"name": "scout", "spaces": ["ops"], "expires_in": "soon"}, "not a duration"),
        ({"name": "scout", "spaces": ["ops"], "tools": ["memory_shared_store"]}, "cannot have"),
        ({"name": "scout", "spaces": ["ops"], "tools": ["memory_recall"]}, "memory_recall"),
    ],
)
def test_a_handle_that_makes_no_sense_is_refused(
    played: Played, given: dict[str, Any], reason: str
) -> None:
    parent = played.token()

    async def story(ask: Ask) -> None:
        assert reason in await ask("memory_shared_handle", parent, **given)

    played.play(story)


def test_only_the_digest_of_a_handle_is_stored(played: Played) -> None:
    token = played.owner(lambda ws: ws.spaces.give_handle("scout", spaces=["ops"])).token
    files = [
        path.read_bytes() for path in Layout(played.root).own_folder.rglob("*") if path.is_file()
    ]

    assert not any(token.encode() in data for data in files)


def test_a_conversation_has_a_limited_number_of_handles(played: Played) -> None:
    parent = played.token()

    async def story(ask: Ask) -> None:
        for number in range(MAX_HANDLES):
            given = {"name": f"scout-{number}", "spaces": ["ops"]}
            assert "token" in await ask("memory_shared_handle", parent, **given)
        refused = await ask("memory_shared_handle", parent, name="one-more", spaces=["ops"])
        assert "already has" in refused

    played.play(story)


def test_a_token_file_with_a_strange_handle_is_no_token(played: Played) -> None:
    token = played.owner(lambda ws: ws.spaces.give_handle("scout", spaces=["ops"])).token
    (file,) = Layout(played.root).tokens.glob("*.json")
    for strange in ('"all"', "[]", '{"name": "x"}', "7"):
        values = json.loads(file.read_text(encoding="utf-8"))
        values["handle"] = json.loads(strange)
        file.write_text(json.dumps(values), encoding="utf-8")
        with pytest.raises(type(invalid_token())):
            SessionTokens(Layout(played.root)).subject_of(token)
        values["handle"] = None
