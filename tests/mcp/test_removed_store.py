"""A server whose store is removed, or was killed and lost its log, tells no client otherwise."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from remem.app.opening import open_workspace
from tests.faults.resident_program import Resident
from tests.mcp.conftest import Play

Parameters = Callable[..., StdioServerParameters]


def entries_in(root: Path) -> dict[str, str]:
    with open_workspace(root, background=False) as memory:
        found = (json.loads(line)["entry"] for line in memory.export())
        return {entry["id"]: entry["content"] for entry in found}


def remove(folder: Path) -> None:
    """Remove `folder` in one step: a server may create files in it at any moment."""
    gone = folder.with_name(f"{folder.name}.removed")
    folder.rename(gone)
    shutil.rmtree(gone)


async def store(client: Client, content: str) -> str:
    arguments = {"category": "fact", "content": content}
    answer = await client.call_tool("memory_store", arguments)
    assert not answer.is_error
    return str((answer.structured_content or {})["id"])


async def recall(client: Client, query: str) -> dict[str, Any]:
    answer = await client.call_tool("memory_recall", {"query": query})
    return dict(answer.structured_content or {})


def test_what_a_server_acknowledges_after_its_store_was_removed_is_there(
    stdio: Parameters, root: Path
) -> None:
    acknowledged: dict[str, str] = {}

    async def story() -> None:
        async with Client(stdio()) as client:
            acknowledged[await store(client, "Said before the removal.")] = "before"
            remove(root / ".remem/main")
            for i in range(5):
                acknowledged[await store(client, f"Said {i} steps after it.")] = "after"
            found = await recall(client, "said before the removal")
            assert found["entries"][0]["content"] == "Said before the removal."

    anyio.run(story)
    assert set(entries_in(root)) == set(acknowledged)


def test_reads_do_not_go_on_in_a_removed_file(play: Play, root: Path) -> None:
    async def story(client: Client) -> None:
        await store(client, "Tea is served at five.")
        remove(root / ".remem/main")
        await recall(client, "tea")
        assert (root / ".remem/main/entries.db").exists()

    play(story)


def test_recall_after_a_lost_log_finds_everything_and_says_what_happened(
    play: Play, root: Path
) -> None:
    with Resident(root) as resident:
        ids = [resident.ask("store", category="fact", content=f"Parcel {i}.") for i in range(9)]
        resident.ask("sync")
        resident.kill()
    (root / ".remem/main/entries.db-wal").unlink()

    async def story(client: Client) -> None:
        found = await recall(client, "parcel")
        assert {entry["id"] for entry in found["entries"]} == set(ids)
        assert any("9 lost memories" in note for note in found["notes"])

    play(story)
