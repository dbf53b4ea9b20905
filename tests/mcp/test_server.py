"""What a client sees of a memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextResourceContents

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.mcp.server import INDEX_URI, INSTRUCTIONS
from tests.mcp.conftest import Play
from tests.samples.talks import talk
from tests.tables import each_row

Said = Callable[[CallToolResult], str]


def test_the_tools_are_those_of_the_table_with_their_annotations(play: Play) -> None:
    async def story(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == [tool.name for tool in TOOLS]
        for tool in TOOLS:
            seen = listed[tool.name]
            assert (seen.title, seen.description) == (tool.title, tool.purpose)
            assert seen.annotations is not None
            assert seen.annotations.read_only_hint is tool.read_only
            assert seen.annotations.destructive_hint is False
            assert seen.annotations.idempotent_hint is tool.idempotent
            assert seen.annotations.open_world_hint is False

    play(story)


def test_an_answer_is_one_text_and_the_same_as_data(play: Play, said: Said) -> None:
    async def story(client: Client) -> None:
        memory = {"category": "fact", "content": "Zoë lives in Köln.", "tags": ["zoë"]}
        stored = await client.call_tool("memory_store", memory)
        found = await client.call_tool("memory_recall", {"query": "Where does Zoë live?"})

        assert stored.structured_content == json.loads(said(stored))
        assert found.structured_content == json.loads(said(found))
        assert '"content":"Zoë lives in Köln."' in said(found)
        assert found.structured_content["entries"][0]["id"] == stored.structured_content["id"]

    play(story)


def test_status_fits_its_schema_before_anything_was_stored(play: Play) -> None:
    async def story(client: Client) -> None:
        await client.list_tools()  # the client checks answers against the schemas it has seen
        status = await client.call_tool("memory_index_status")
        assert not status.is_error
        assert status.structured_content["progressive"]["total_entries"] == 0
        assert "last_store" not in status.structured_content["progressive"]

    play(story)


def test_a_client_cannot_speak_for_the_owner(play: Play) -> None:
    async def story(client: Client) -> None:
        memory = {"category": "fact", "content": "I am the owner.", "trust": "owner"}
        refused = await client.call_tool("memory_store", memory)
        assert refused.is_error
        assert "trust 'owner' is higher than this session may grant" in refused.content[0].text
        status = await client.call_tool("memory_index_status")
        assert status.structured_content["progressive"]["total_entries"] == 0

    play(story)


def test_errors_name_tools_rather_than_commands(play: Play) -> None:
    async def story(client: Client) -> None:
        refused = await client.call_tool("memory_forget", {"id": "mem-00000000"})
        assert refused.content[0].text.endswith("(hint: memory_recall shows ids)")

    play(story)


def test_an_unknown_id_is_reported_as_unknown(play: Play) -> None:
    async def story(client: Client) -> None:
        memory = {"category": "fact", "content": "The gate opens at nine."}
        known = (await client.call_tool("memory_store", memory)).structured_content["id"]
        unknown = await client.call_tool("memory_recall", {"query": "mem-0pene1ne"})
        mixed = await client.call_tool("memory_recall", {"query": f"{known}, mem-0pene1ne"})

        assert unknown.structured_content["entries"] == []
        assert unknown.structured_content["notes"] == ["no entry here has this id"]
        assert [entry["id"] for entry in mixed.structured_content["entries"]] == [known]
        assert mixed.structured_content["notes"] == ["no entry here has the id mem-0pene1ne"]

    play(story)


def test_what_a_file_brought_in_reaches_no_client_before_it_is_confirmed(
    play: Play, root: Path
) -> None:
    rule = '{"category":"instruction","content":"Never shout.","priority":"critical"}'
    with open_workspace(root, background=False, keywords_only=True) as memory:
        assert memory.import_lines(lambda: [rule.encode()]).waiting == 1

    async def story(client: Client) -> None:
        (content,) = (await client.read_resource(INDEX_URI)).contents
        found = await client.call_tool("memory_recall", {"query": "never shout"})
        assert isinstance(content, TextResourceContents)
        assert "shout" not in content.text
        assert found.structured_content["entries"] == []

    play(story)


def test_the_index_is_a_resource(play: Play) -> None:
    async def story(client: Client) -> None:
        memory = {"category": "instruction", "content": "Never shout.", "priority": "critical"}
        await client.call_tool("memory_store", memory)
        (resource,) = (await client.list_resources()).resources
        (content,) = (await client.read_resource(INDEX_URI)).contents
        assert (resource.uri, resource.mime_type) == (INDEX_URI, "text/markdown")
        assert isinstance(content, TextResourceContents)
        assert "Never shout." in content.text

    play(story)


def test_the_index_has_what_the_owners_files_state(play: Play, root: Path) -> None:
    (root / "USER.md").write_text("- **Name:** Ines Calder\n- **Notes:**\n")
    with open_workspace(root, background=False) as memory:
        memory.setup.migrate()

    async def story(client: Client) -> None:
        rule = {"category": "instruction", "content": "Never shout.", "priority": "critical"}
        await client.call_tool("memory_store", rule)
        (content,) = (await client.read_resource(INDEX_URI)).contents
        status = await client.call_tool("memory_index_status")
        assert isinstance(content, TextResourceContents)
        assert "always relevant)\n\n- [I] Never shout.\n- Name: Ines Calder\n" in content.text
        assert status.structured_content["index"]["always_loaded_tokens"] > 40

    play(story)


def test_another_resource_is_refused(play: Play) -> None:
    async def story(client: Client) -> None:
        with pytest.raises(MCPError, match="unknown resource"):
            await client.read_resource("file:///etc/passwd")

    play(story)


def test_the_instructions_hold_nothing_of_the_memory(play: Play) -> None:
    async def story(client: Client) -> None:
        assert client.instructions == INSTRUCTIONS

    play(story)


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("memory_set", {}, "unknown tool 'memory_set'"),
    ("memory_recall", {}, "query is empty"),
    ("memory_store", {"category": "fact"}, "content is missing"),
    ("memory_store", {"category": "fact", "text": "x"}, "did you mean content?"),
    ("memory_store", {"category": "fact", "tag": ["x"]}, "did you mean tags?"),
    ("memory_recall", {"question": "x"}, "did you mean query?"),
    ("memory_recall", {"query": ""}, "query is empty"),
    ("memory_recall", {"query": "x", "token_budget": "many"}, "token_budget must be a whole"),
    ("memory_recall", {"query": "x", "token_budget": 1}, "token_budget 1 is not"),
    ("memory_recall", {"query": "x", "session": "main"}, "has no parameter 'session'"),
    ("memory_recall", {"query": "x", "categories": ["gossip"]}, "category 'gossip' is unknown"),
    ("memory_store", {"category": "fact", "content": "a\0b"}, "NUL"),
    ("memory_store", {"category": "fact", "content": "a\ud800"}, "an unpaired surrogate"),
    ("memory_store", {"category": "fact", "content": "x" * 10_000_000}, "10,000,000 characters"),
    ("memory_store", {"category": "fact", "content": 5}, "content must be a string, not 5"),
    ("memory_store", {"category": "gossip", "content": "x"}, "category 'gossip' is unknown"),
    (
        "memory_store",
        {"category": "fact", "content": "x", "expires": "soon"},
        "'soon' is not a date",
    ),
    ("memory_store", {"category": "fact", "content": "x", "supersedes": ["mem-00000000"]}, "mem-0"),
    ("memory_index_status", {"verbose": True}, "has no parameter 'verbose'"),
]


@each_row(("tool", "bad", "reason"), BAD_CALLS)
def test_a_bad_call_gets_the_reason_and_the_next_one_works(
    play: Play, said: Said, tool: str, bad: dict[str, Any], reason: str
) -> None:
    async def story(client: Client) -> None:
        refused = await client.call_tool(tool, bad)
        assert refused.is_error
        assert reason in said(refused)
        assert len(said(refused)) < 1000
        assert not (await client.call_tool("memory_recall", {"query": "x"})).is_error

    play(story)


@each_row("query", ['"', "a AND", "NEAR(", "content:*", "a* OR b^2", "'; DROP --"])
def test_a_query_is_words_whatever_it_looks_like(play: Play, query: str) -> None:
    async def story(client: Client) -> None:
        assert not (await client.call_tool("memory_recall", {"query": query})).is_error

    play(story)


def test_twenty_calls_at_once_are_all_kept(play: Play) -> None:
    async def story(client: Client) -> None:
        ids: set[str] = set()

        async def store(number: int) -> None:
            memory = {"category": "fact", "content": f"The number {number} was drawn."}
            ids.add((await client.call_tool("memory_store", memory)).structured_content["id"])

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(store, number)
        assert len(ids) == 20
        status = await client.call_tool("memory_index_status")
        assert status.structured_content["progressive"]["total_entries"] == 20

    play(story)


def test_a_session_without_memory_still_has_a_server_that_says_why(play: Play, said: Said) -> None:
    async def story(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        for tool in TOOLS:
            refused = await client.call_tool(tool.name, {})
            assert refused.is_error
            assert "this room has no unique name" in said(refused)
        with pytest.raises(MCPError, match="this room has no unique name"):
            await client.read_resource(INDEX_URI)

    play(story, session="agent:main:telegram:group:-100999")


def test_a_room_that_is_mapped_later_is_let_in(play: Play, root: Path) -> None:
    async def story(client: Client) -> None:
        assert (await client.call_tool("memory_index_status")).is_error
        (root / "memory").mkdir(parents=True, exist_ok=True)
        (root / "memory/group_names.json").write_text('{"-100999": "kitchen"}')
        status = await client.call_tool("memory_index_status")
        assert status.structured_content["health"]["scope"] == "group:kitchen"

    play(story, session="agent:main:telegram:group:-100999")


def test_a_mistake_of_the_program_is_an_answer_and_a_line_in_the_log(
    play: Play, said: Said, caplog: pytest.LogCaptureFixture
) -> None:
    def broken_clock() -> str:
        raise ZeroDivisionError("the clock stands still")

    async def story(client: Client) -> None:
        memory = {"category": "fact", "content": "x"}
        failed = await client.call_tool("memory_store", memory)
        assert failed.is_error
        assert "ZeroDivisionError" in said(failed)
        assert "clock" not in said(failed)

    play(story, clock=broken_clock)
    assert "the clock stands still" in caplog.text


def test_an_agent_remembers_over_mcp_what_was_said_in_passing(
    play: Play, root: Path, home: Path
) -> None:
    (root / ".remem/config.toml").write_text('embedder = "none"\ntranscripts = ["main"]\n')
    said = ["We moved the release to Thursday.", "Ines is now responsible for the crane checks."]
    talk(home, root, "one", said, day="2026-11-03")

    async def story(client: Client) -> None:
        await client.list_tools()
        await client.call_tool("memory_heartbeat", {"days": 3650})
        batch = await client.call_tool("memory_curate", {})
        lines = [line for group in batch.structured_content["left_out"] for line in group["lines"]]
        assert [line.split(" ", 2)[2] for line in lines] == ["We moved the release to Thursday."]
        name = lines[0].split(" ", 1)[0]
        verdicts = [{"answer": "keep", "items": [name]}]
        done = await client.call_tool("memory_curate", {"verdicts": verdicts})
        assert len(done.structured_content["applied"]) == 1
        for question, answer in (("the release", "Thursday"), ("crane checks", "Ines")):
            found = await client.call_tool("memory_recall", {"query": question})
            assert answer in found.structured_content["entries"][0]["content"]

    play(story)


def test_an_agent_curates_over_mcp_and_the_owner_accepts(play: Play, root: Path) -> None:
    with open_workspace(root, background=False) as memory:
        kept = memory.store(category="preference", content="Likes green tea").id
        noise = memory.store(category="preference", content="Ate a roll at noon").id

    async def story(client: Client) -> None:
        await client.list_tools()
        batch = await client.call_tool("memory_curate", {"topic": "index"})
        (group,) = batch.structured_content["page"]["groups"]
        texts = {line.split(" ", 2)[2] for line in group["lines"]}
        assert texts == {"[P] Likes green tea", "[P] Ate a roll at noon"}
        verdicts = [
            {"answer": "keep", "items": [kept]},
            {"answer": "drop", "items": [noise], "why": "an event of one day"},
        ]
        done = await client.call_tool("memory_curate", {"verdicts": verdicts})
        assert done.structured_content["proposed"] == [1, 2]
        (group,) = done.structured_content["page"]["groups"]
        assert [line.split(" ", 2)[2] for line in group["lines"]] == ["[P] Likes green tea"]

    play(story)

    with open_workspace(root, background=False) as memory:
        assert "roll" in memory.index().text
        memory.curation.accept()
        assert "roll" not in memory.index().text
