"""Every tool, for every kind of session, with every kind of token: made from the tool table.

A tool that is added to the table is in the matrix by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from remem.app.tools.declare import Tool
from remem.app.tools.table import TOOLS
from remem.entries.spaces.listing import create_space, grant_space
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens
from remem.files.spaces import SpacesFile
from remem.model.session import Lifetime, invalid_token
from remem.text.timestamps import format_time
from tests.mcp.token_server import Served
from tests.mutants.tokens import tool_without_its_check
from tests.scenarios.twin_tools import fitting

pytestmark = pytest.mark.walls

SESSIONS = {
    "main": "main",
    "main by its agent": "agent:main:main",
    "group": "agent:main:telegram:group:-100",
    "peer": "agent:main:telegram:direct:77",
    "sub-agent": "agent:main:subagent:x",
    "scheduled run": "agent:main:cron:7",
    "unmapped room": "agent:main:telegram:group:-9",
    "incognito": "agent:main:dashboard:incognito-1",
    "unknown": "what?",
}
HAVE_MEMORY = {"main", "main by its agent", "group", "peer"}
NOTHING = object()
NOW = 1_800_000_000.0


@dataclass
class Clock:
    seconds: float = NOW

    def __call__(self) -> str:
        return format_time(datetime.fromtimestamp(self.seconds, UTC))


def tokens_of(
    tokens: SessionTokens, foreign: SessionTokens, clock: Clock, key: str
) -> dict[str, Any]:
    """One token of every kind for a session; only that called `good` is."""
    clock.seconds = NOW - 86_500
    old = tokens.issue(key, "old", Lifetime(idle=10**6)).token
    clock.seconds = NOW - 7_300
    idle = tokens.issue(key, "idle").token
    clock.seconds = NOW
    revoked = tokens.issue(key, "revoked").token
    tokens.revoke(key, "revoked")
    good = tokens.issue(key, "good").token
    return {
        "missing": NOTHING,
        "null": None,
        "empty": "",
        "a number": 7,
        "the key": key,
        "forged": "rmt_" + "0" * 32,
        "shortened": good[:-1],
        "past its limit": old,
        "unused for too long": idle,
        "revoked": revoked,
        "another workspace's": foreign.issue(key).token,
        "good": good,
    }


def matrix(
    root: Path,
    tools: tuple[Tool, ...] = TOOLS,
    *,
    only_good: bool = False,
    sessions: Iterable[str] = SESSIONS,
) -> dict[tuple[str, str, str], str]:
    """The answers to a client, by tool, session and token."""
    clock, told = Clock(), dict[tuple[str, str, str], str]()
    (root / "memory").mkdir(parents=True, exist_ok=True)
    (root / "memory/group_names.json").write_text('{"-100": "alpha"}', encoding="utf-8")
    elsewhere = root.parent / f"elsewhere of {root.name}"
    elsewhere.mkdir()
    served, foreign = Served(root, {"clock": clock}), SessionTokens(Layout(elsewhere), clock)

    async def story(client: Client) -> None:
        for kind in sessions:
            key = SESSIONS[kind]
            for state, token in tokens_of(served.tokens, foreign, clock, key).items():
                if only_good and state != "good":
                    continue
                for tool in tools:
                    given = dict(fitting(tool))
                    if token is not NOTHING:
                        given["session_token"] = token
                    (block,) = (await client.call_tool(tool.name, given)).content
                    assert isinstance(block, TextContent)
                    told[tool.name, kind, state] = block.text

    served.play(story)
    return told


def wrong(told: dict[tuple[str, str, str], str]) -> list[tuple[str, str, str]]:
    """The answers that show too much or too little."""
    return [place for place, text in told.items() if not _as_it_should_be(place, text)]


def _as_it_should_be(place: tuple[str, str, str], text: str) -> bool:
    _, kind, state = place
    if state != "good":
        return text == str(invalid_token())
    return text != str(invalid_token()) and _is_a_reason(text) != (kind in HAVE_MEMORY)


def _is_a_reason(text: str) -> bool:
    reasons = ("no memory of its own", "no unique name", "neither remembered", "whose chat")
    return any(reason in text for reason in reasons)


def test_a_tool_answers_only_a_session_with_a_valid_token_and_a_memory(root: Path) -> None:
    told = matrix(root)

    assert len(told) == len(TOOLS) * len(SESSIONS) * 12
    assert wrong(told) == []


def test_a_session_that_has_only_spaces_uses_nothing_else(root: Path) -> None:
    """A space that is granted to it opens the tools of spaces to a session, and no other tool."""
    create_space(SpacesFile(Layout(root)), "gateway", "2026-11-18T00:00:00Z")
    for grantee in ("subagents", "unknown"):
        grant_space(SpacesFile(Layout(root)), "gateway", grantee, "read")
    spaces = {tool.name for tool in TOOLS if tool.name.startswith("memory_shared_")}

    without = ("sub-agent", "scheduled run", "unmapped room", "unknown")
    told = matrix(root, only_good=True, sessions=without)

    for kind in without:
        answered = {
            tool
            for (tool, session, _), text in told.items()
            if session == kind and not _is_a_reason(text)
        }
        assert answered == spaces, kind


def test_a_space_of_others_changes_no_answer(root: Path, tmp_path: Path) -> None:
    strangers = SESSIONS.keys() - HAVE_MEMORY
    before = matrix(tmp_path / "without", only_good=True, sessions=strangers)
    create_space(SpacesFile(Layout(root)), "gateway", "2026-11-18T00:00:00Z")
    grant_space(SpacesFile(Layout(root)), "gateway", "agent:research", "write")

    assert before
    assert matrix(root, only_good=True, sessions=strangers) == before


def test_m14_one_tool_without_its_check_would_be_noticed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool_without_its_check(monkeypatch, "memory_index_status")

    few = tuple(tool for tool in TOOLS if tool.name.startswith("memory_i") or tool is TOOLS[0])
    found = wrong(matrix(root, few))

    assert len(few) > 1
    assert found
    assert {tool for tool, _, _ in found} == {"memory_index_status"}


def test_the_owners_commands_are_no_tools() -> None:
    """Issuing a token, erasing, applying an audit: none of it can be asked for over MCP."""
    commands = json.dumps([tool.command for tool in TOOLS])

    assert all(
        command not in commands for command in ("token", "erase", "restore", "rooms", "review")
    )
