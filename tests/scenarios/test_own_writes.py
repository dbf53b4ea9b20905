"""A reader of a projection sees their own writes (DESIGN, "Remember"): what was stored is in the
domain file and the index as soon as the call that stored it has returned."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from mcp import Client

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.files.locks import exclusive_lock
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from tests import limits
from tests.conftest import Opener, through_the_gate

GROUP = "agent:main:telegram:group:-100123"
HOMES = {
    "fact": "facts",
    "preference": "preferences",
    "decision": "decisions",
    "person": "people",
    "insight": "insights",
}


def client_of(root: Path, session: str = "main") -> Client:
    """A client of a server in this process, which works in the background as a real one does."""
    handle = SessionHandle(lambda: open_workspace(root, session, trust="agent"))
    return Client(make_server(handle, TOOLS))


@pytest.fixture(autouse=True)
def settings(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')


@pytest.mark.parametrize(
    ("session", "folder", "categories"),
    [
        ("main", "memory", list(HOMES)),
        (GROUP, "memory/groups/kitchen", ["fact"]),  # a conversation may read few files
    ],
)
def test_a_client_reads_in_the_domain_file_what_it_has_just_stored(
    root: Path, session: str, folder: str, categories: list[str]
) -> None:
    missed: list[str] = []

    async def story() -> None:
        async with client_of(root, session) as client:
            await client.call_tool("memory_get", {"path": "memory/groups/kitchen.md"})
            for turn in range(3):
                for category in categories:
                    words = f"The {category} of turn {turn} is here."
                    memory = {"category": category, "content": words}
                    await client.call_tool("memory_store", memory)
                    path = f"{folder}/domains/{HOMES[category]}.md"
                    got = await client.call_tool("memory_get", {"path": path})
                    if words not in got.structured_content["text"]:
                        missed.append(words)

    anyio.run(story)

    assert missed == []


def test_a_client_reads_in_the_index_what_it_has_just_stored(root: Path) -> None:
    text = ""

    async def story() -> None:
        nonlocal text
        async with client_of(root) as client:
            rule = {"category": "instruction", "content": "Never shout.", "priority": "critical"}
            await client.call_tool("memory_store", rule)
            got = await client.call_tool("memory_get", {"path": "memory/INDEX.md"})
            text = got.structured_content["text"]

    anyio.run(story)

    assert "Never shout." in text


def test_a_program_reads_its_own_writes_while_files_are_written_in_the_background(
    root: Path,
) -> None:
    with open_workspace(root) as memory:
        for number in range(20):
            words = f"Shelf {number} holds oranges."
            memory.store(category="fact", content=words)
            assert words in memory.get("memory/domains/facts.md").text


def test_items_of_a_flush_are_in_the_domain_file_at_once(opened: Opener) -> None:
    memory = opened(background=True)

    memory.flush([{"kind": "preference", "text": "The owner prefers tea to coffee."}])

    assert "prefers tea" in memory.get("memory/domains/preferences.md").text


def test_a_file_that_cannot_be_written_in_time_comes_with_a_warning(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(background=True)
    memory.store(category="fact", content="The first is written.")
    assert memory.get("memory/domains/facts.md").text

    with exclusive_lock(root / ".remem/main/files.lock"), monkeypatch.context() as impatient:
        impatient.setattr(limits.FILE_SYNC_TIMEOUT, 0.0)
        memory.store(category="fact", content="The second has to wait.")
        got = memory.get("memory/domains/facts.md")

    assert "The first is written." in got.text
    assert "may lack the latest changes" in str(got.warning)
    assert memory.get("memory/domains/facts.md").warning is None


def test_a_group_reads_nothing_more_for_it(opened: Opener) -> None:
    opened().store(category="fact", content="The safe is behind the shelf.")
    group = through_the_gate(opened(GROUP, background=True))
    group.store(category="fact", content="The oven is hot.")

    got = group.services.files.get_for_host("memory/domains/facts.md")

    assert got.code == "MEMORY_PATH_NOT_ALLOWED"
    assert "safe" not in json.dumps([got.text, got.error])
