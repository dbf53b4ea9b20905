"""“The scope comes from the token alone; without a valid one nothing is served, main included.”"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult

from remem.app.opening import open_workspace
from remem.app.tools.declare import input_schema
from remem.app.tools.table import TOOLS, tools_of
from remem.embed.counters import ExactCounter
from remem.mcp.server import INDEX_URI, TOKEN_INSTRUCTIONS, listed_tool
from remem.mcp.sessions import WorkspacePool
from remem.mcp.token_auth import TokenAuth
from remem.model.session import invalid_token
from tests.mcp.token_server import Served, come_in
from tests.scenarios.twins import ALPHA, BETA, KEYS, PEER

Said = Callable[[CallToolResult], str]


@pytest.fixture
def served(root: Path) -> Served:
    (root / "memory").mkdir(parents=True)
    rooms = json.dumps({"-100": "alpha", "-200": "beta"})
    (root / "memory/group_names.json").write_text(rooms, encoding="utf-8")
    return Served(root)


def test_every_tool_asks_for_the_token_first_and_is_otherwise_as_ever(served: Served) -> None:
    async def story(client: Client) -> None:
        for tool, seen in zip(TOOLS, (await client.list_tools()).tools, strict=True):
            own = input_schema(tool)
            properties = dict(seen.input_schema["properties"])
            assert next(iter(properties)) == "session_token"
            assert properties.pop("session_token")["type"] == "string"
            assert properties == own["properties"]
            assert seen.input_schema["required"] == ["session_token", *own.get("required", [])]
            assert seen.input_schema["additionalProperties"] is False
        assert client.instructions == TOKEN_INSTRUCTIONS

    served.play(story)


def test_the_table_itself_knows_nothing_of_tokens() -> None:
    assert all(parameter.name != "session_token" for tool in TOOLS for parameter in tool.parameters)


def test_each_token_reaches_its_own_memory_and_no_other(served: Served, said: Said) -> None:
    """A confused client that mixes up its conversations sees what each token allows."""
    tokens = {key: served.tokens.issue(key).token for key in KEYS}

    async def story(client: Client) -> None:
        for key, token in tokens.items():
            memory = {"category": "fact", "content": f"gateway of {key}"}
            stored = await client.call_tool("memory_store", {**memory, "session_token": token})
            assert not stored.is_error
            await come_in(client, key, token)
        for _ in range(3):
            for key, token in tokens.items():
                asked = {"query": "gateway", "session_token": token}
                answer = json.loads(said(await client.call_tool("memory_recall", asked)))
                (found,) = answer["entries"]
                assert found["content"] == f"gateway of {key}"

    served.play(story)
    assert [session.key for session in served.opened] == list(KEYS)


def test_other_claims_in_a_call_do_not_change_what_its_token_allows(
    served: Served, said: Said
) -> None:
    with open_workspace(served.root, background=False) as main:
        main.store(category="fact", content="gateway secret")
    token = served.tokens.issue(ALPHA).token
    claims: list[dict[str, Any]] = [
        {"session": "main"},
        {"session_key": "agent:main:main"},
        {"scope": "main"},
        {"conversation": "x"},
        {"Session_Token": served.tokens.issue("main").token},
    ]

    async def story(client: Client) -> None:
        for claim in claims:
            asked = {"query": "gateway", "session_token": token, **claim}
            answer = await client.call_tool("memory_recall", asked)
            assert answer.is_error
            assert "has no parameter" in said(answer)
            assert "secret" not in said(answer)

    served.play(story)


def test_a_session_without_memory_gets_the_reason_and_access_once_it_has_one(
    served: Served, said: Said
) -> None:
    token = served.tokens.issue("agent:main:telegram:group:-9").token

    async def story(client: Client) -> None:
        asked = {"session_token": token}
        answer = await client.call_tool("memory_index_status", asked)
        assert answer.is_error
        assert "remem rooms map 'telegram:-9' <name>" in said(answer)
        names = json.dumps({"-9": "cellar"})
        (served.root / "memory/group_names.json").write_text(names, encoding="utf-8")
        status = await client.call_tool("memory_index_status", asked)
        assert status.structured_content["health"]["scope"] == "group:cellar"

    served.play(story)


def test_a_room_that_loses_its_name_loses_its_memory_with_the_next_call(
    served: Served, said: Said
) -> None:
    token = served.tokens.issue(ALPHA).token

    async def story(client: Client) -> None:
        asked = {"session_token": token}
        assert not (await client.call_tool("memory_index_status", asked)).is_error
        names = json.dumps({"-100": "gamma", "-200": "alpha"})
        (served.root / "memory/group_names.json").write_text(names, encoding="utf-8")
        status = await client.call_tool("memory_index_status", asked)
        assert status.structured_content["health"]["scope"] == "group:gamma"
        (served.root / "memory/group_names.json").write_text("{}", encoding="utf-8")
        assert "no unique name" in said(await client.call_tool("memory_index_status", asked))

    served.play(story)


def test_a_revoked_token_is_refused_though_its_memory_is_open(served: Served, said: Said) -> None:
    token = served.tokens.issue("main").token

    async def story(client: Client) -> None:
        asked = {"session_token": token}
        assert not (await client.call_tool("memory_index_status", asked)).is_error
        served.tokens.revoke("main")
        assert said(await client.call_tool("memory_index_status", asked)) == str(invalid_token())

    served.play(story)


def test_no_resource_can_be_read_without_saying_whose(served: Served) -> None:
    served.tokens.issue("main")

    async def story(client: Client) -> None:
        assert client.server_capabilities.resources is None
        with pytest.raises(MCPError, match="Method not found"):
            await client.read_resource(INDEX_URI)
        with pytest.raises(MCPError, match="Method not found"):
            await client.list_resources()

    served.play(story)


def test_a_tool_that_does_not_exist_is_no_way_round_the_token(served: Served, said: Said) -> None:
    async def story(client: Client) -> None:
        assert said(await client.call_tool("memory_token", {})) == str(invalid_token())
        assert said(await client.call_tool("memory_token", {"session_token": "x"})) == str(
            invalid_token()
        )

    served.play(story)


def test_many_conversations_at_once_share_few_open_memories(served: Served, said: Said) -> None:
    served.pool = WorkspacePool(max_open=2)
    tokens = {key: [served.tokens.issue(key, f"{key} {n}").token for n in "ab"] for key in KEYS}

    async def story(client: Client) -> None:
        async def ask(key: str, token: str, number: int) -> None:
            memory = {
                "category": "fact",
                "content": f"{number} is of {key}",
                "session_token": token,
            }
            assert not (await client.call_tool("memory_store", memory)).is_error
            await come_in(client, key, token)
            asked = {"query": "is of", "session_token": token, "limit": 50}
            answer = await client.call_tool("memory_recall", asked)
            assert not answer.is_error, said(answer)
            found = json.loads(said(answer))["entries"]
            assert found
            assert all(entry["content"].endswith(f"is of {key}") for entry in found)

        async def talk(key: str, token: str) -> None:
            for number in range(3):
                await ask(key, token, number)

        async with anyio.create_task_group() as tasks:
            for key, own in tokens.items():
                for token in own:
                    tasks.start_soon(talk, key, token)

    served.play(story)


def test_a_token_never_reaches_a_memory_a_file_or_the_log(
    served: Served, said: Said, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    token = served.tokens.issue(PEER, "c1").token

    async def story(client: Client) -> None:
        answers = []
        for tool in TOOLS:
            answers.append(await client.call_tool(tool.name, {"session_token": token}))
            answers.append(await client.call_tool(tool.name, {"session_token": token, "x": 1}))
        memory = {"category": "fact", "content": f"my token is {token}", "context": token}
        answers.append(await client.call_tool("memory_store", {**memory, "session_token": token}))
        assert not answers[-1].is_error
        answers.append(
            await client.call_tool("memory_recall", {"query": "token", "session_token": token})
        )
        assert not any(token in said(answer) for answer in answers)

    served.play(story)
    kept = b"".join(path.read_bytes() for path in served.root.rglob("*") if path.is_file())
    assert token.encode() not in kept
    assert token not in "".join(capfd.readouterr())
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("remem")]
    assert not any(token in line for line in ours)


def test_beta_is_not_alpha_however_the_token_is_dressed(served: Served, said: Said) -> None:
    alpha, beta = (served.tokens.issue(key).token for key in (ALPHA, BETA))

    async def story(client: Client) -> None:
        for odd in (f"{alpha},{beta}", f"{alpha} {beta}", [alpha, beta], {"token": alpha}, True):
            answer = await client.call_tool("memory_index_status", {"session_token": odd})
            assert said(answer) == str(invalid_token())

    served.play(story)


def test_with_the_token_the_core_profile_still_costs_less_than_two_thousand_tokens() -> None:
    seen = [listed_tool(tool, TokenAuth.extra_parameters) for tool in tools_of("core")]
    told = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        for tool in seen
    ]

    assert ExactCounter().count(json.dumps(told, ensure_ascii=False, separators=(",", ":"))) < 2000
