"""“Without it, search silently misses new knowledge”: what a layer writes is found by the very next
search and recall, with no step that one can forget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from tests.commands import output_of
from tests.learn.synthesize.knowledge import ANNA, FACTS, fact, write_facts

MEMORY = "# M\n\n## Rules\n\n- Never paint the greenhouse in autumn.\n"


@pytest.fixture(autouse=True)
def workspace(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    write_facts(root, FACTS)
    (root / "MEMORY.md").write_text(MEMORY)


def run(root: Path, *line: str) -> Any:
    return json.loads(output_of(root, *line))


def searched(root: Path, query: str) -> list[str]:
    return [hit["path"] for hit in run(root, "search", query, "--json")["results"]]


def recalled(root: Path, query: str) -> str:
    return json.dumps(run(root, "recall", query, "--json"), ensure_ascii=False)


def test_on_the_command_line_every_layer_is_found_at_once(root: Path) -> None:
    run(root, "synthesize", "--json")
    assert searched(root, "where does Anna live: Lisbon")[0] == f"{ANNA}/summary.md"

    run(root, "fact", "record", "anna berg", "Keeps a heron in the bathtub.", "--json")
    assert searched(root, "heron bathtub") == [f"{ANNA}/items.json"]
    assert "heron" in recalled(root, "heron bathtub")

    run(root, "synthesize", "--json")
    assert searched(root, "heron bathtub") == [f"{ANNA}/summary.md"]
    assert "heron" in recalled(root, "heron bathtub")

    run(root, "note", "The walnut tree lost a branch.", "--json")
    assert searched(root, "walnut branch")[0].startswith("memory/")
    assert "walnut" in recalled(root, "walnut branch")


def test_what_a_page_repeats_is_found_once_where_it_comes_from(root: Path) -> None:
    run(root, "synthesize", "--json")

    assert "greenhouse" in (root / "memory/main/longterm.md").read_text()
    assert searched(root, "paint the greenhouse") == ["MEMORY.md"]


def test_what_a_person_adds_to_a_page_is_found_too(root: Path) -> None:
    run(root, "synthesize", "--json")
    for page in ("memory/main/longterm.md", f"{ANNA}/summary.md"):
        path = root / page
        path.write_text(path.read_text() + "\nThe gazebo key hangs behind the clock.\n")

        assert page in searched(root, "gazebo key")


def test_what_has_graduated_is_found_in_memory_md(root: Path) -> None:
    for day in ("2026-11-01", "2026-11-05"):
        (root / f"memory/{day}.md").parent.mkdir(exist_ok=True)
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n- Always oil the hinges in spring.\n")
    id_ = run(root, "graduate", "--json")["proposals"][0]["id"]

    run(root, "graduate", "--apply", id_, "--yes", "--json")

    assert "MEMORY.md" in searched(root, "oil the hinges")


def test_a_client_finds_at_once_what_another_program_writes(root: Path) -> None:
    async def paths(client: Client, query: str) -> list[str]:
        answer = await client.call_tool("memory_search", {"query": query})
        assert answer.structured_content is not None
        return [hit["path"] for hit in answer.structured_content["results"]]

    async def story() -> None:
        door = SessionHandle(lambda: open_workspace(root, "main", trust="agent"))
        async with Client(make_server(door, TOOLS)) as client:
            assert await paths(client, "heron bathtub") == []
            fact_ = {
                "action": "record",
                "entity": "anna berg",
                "fact": "Keeps a heron in a bathtub.",
            }
            await client.call_tool("memory_fact", fact_)
            assert await paths(client, "heron bathtub") == [f"{ANNA}/items.json"]
            found = await client.call_tool("memory_recall", {"query": "heron bathtub"})
            assert "heron" in json.dumps(found.structured_content)

            with open_workspace(root, background=False) as owner:
                owner.maintenance.synthesize()
            assert await paths(client, "heron bathtub") == [f"{ANNA}/summary.md"]

            write_facts(root, [*FACTS, fact(7, "Collects lighthouses.", "2026-10-01")])
            assert await paths(client, "lighthouses") == [f"{ANNA}/items.json"]

    anyio.run(story)
