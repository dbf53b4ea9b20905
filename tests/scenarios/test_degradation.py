"""If `entries.db` is broken, `memory_search` and `memory_get` still work; if `passages.db` is
broken too, search scans the permitted files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from remem.app.workspace import Workspace
from remem.errors import StoreError
from remem.store import reopening
from tests import limits
from tests.conftest import Opener

pytestmark = pytest.mark.disk


@pytest.fixture
def state(root: Path, opened: Opener) -> Path:
    """A closed workspace with entries and files; the folder of its databases."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "memory").mkdir()
    (root / "MEMORY.md").write_text("# Ships\n\n- The Aurora lies in harbour seven.\n")
    memory = opened()
    memory.store(category="fact", content="Mara keeps the books.")
    memory.search("Aurora")
    memory.close()
    return root / ".remem/main"


def missing(state: Path) -> None:
    (state / "entries.db").unlink()


def emptied(state: Path) -> None:
    (state / "entries.db").write_bytes(b"")


def ruined(state: Path) -> None:
    (state / "entries.db").write_bytes(b"no database at all\n" * 300)


def garbled(state: Path) -> None:
    data = bytearray((state / "entries.db").read_bytes())
    for at in range(4096, len(data), 4096):
        data[at : at + 16] = b"\xa5" * 16
    (state / "entries.db").write_bytes(bytes(data))


def of_the_future(state: Path) -> None:
    raw = apsw.Connection(str(state / "entries.db"))
    raw.execute("PRAGMA user_version=999")
    raw.close()


BREAKS = [missing, emptied, ruined, garbled, of_the_future]
Break = Callable[[Path], None]


def works(memory: Workspace) -> None:
    found = memory.search("where does the Aurora lie")
    assert "harbour seven" in found.results[0].snippet
    assert "harbour seven" in str(memory.get("MEMORY.md"))


def titles(memory: Workspace, query: str) -> list[str]:
    return [result.path for result in memory.search(query).results]


@pytest.mark.parametrize("spoil", BREAKS)
def test_what_was_stored_is_found_in_its_files_until_the_entries_are_back(
    state: Path, root: Path, opened: Opener, spoil: Break
) -> None:
    """A failing recall points to search: stored entries are in the domain files."""
    with opened() as memory:
        assert titles(memory, "who keeps the books") == ["memory/domains/facts.md"]
        memory.store(category="fact", content="Hugo keeps the books too.", trust="untrusted")
    kept = {path: path.read_bytes() for path in state.glob("entries.db*")}
    spoil(state)

    with opened() as broken:
        (found,) = broken.search("who keeps the books").results
    for file in state.glob("entries.db*"):
        file.unlink()
    for path, data in kept.items():
        path.write_bytes(data)
    with opened() as mended:
        assert titles(mended, "who keeps the books") == ["memory/domains/facts.md"]

    assert found.path == "memory/domains/facts.md"
    assert "Mara keeps the books." in found.snippet


@pytest.mark.parametrize("spoil", BREAKS)
def test_search_and_get_go_on_while_the_rest_says_what_is_wrong(
    opened: Opener, state: Path, spoil: Break
) -> None:
    spoil(state)
    files = {path: path.read_bytes() for path in state.parent.parent.rglob("*.md")}

    memory = opened()

    works(memory)
    for act in (
        lambda: memory.store(category="fact", content="One more."),
        lambda: memory.recall("books"),
        memory.index,
        lambda: list(memory.export()),
    ):
        with pytest.raises(StoreError, match=r"entries\.db") as caught:
            act()
        assert caught.value.hint
    degraded = memory.status().health.degraded
    assert any("entries.db" in reason for reason in degraded)
    assert memory.status().legacy.files == 1
    memory.close()
    assert {file: file.read_bytes() for file in files} == files


@pytest.mark.parametrize("spoil", [missing, emptied, ruined])
def test_what_to_do_is_named_and_helps(
    opened: Opener, root: Path, state: Path, spoil: Break
) -> None:
    spoil(state)
    assert any("remem doctor --repair" in reason for reason in opened().problems)
    for workspace in (opened(),):
        workspace.close()

    command = [sys.executable, "-m", "remem", "--workspace", str(root), "doctor", "--repair"]
    subprocess.run(command, check=True, capture_output=True)

    memory = opened()
    assert memory.problems == []
    assert memory.recall("who keeps the books").entries[0].content == "Mara keeps the books."


def test_both_databases_gone_leaves_the_files(opened: Opener, root: Path, state: Path) -> None:
    shutil.rmtree(state)

    works(opened())


@contextmanager
def holding(database: Path) -> Iterator[None]:
    holder = apsw.Connection(str(database))
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("DELETE FROM records")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def test_a_locked_database_is_tried_again_and_serves_when_the_lock_is_gone(
    opened: Opener, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 50)
    monkeypatch.setattr(reopening, "RETRY_SECONDS", 0.0)
    with holding(state / "entries.db"):
        memory = opened()
        works(memory)
        with pytest.raises(StoreError, match="busy"):
            memory.store(category="fact", content="Too soon.")

    assert memory.store(category="fact", content="Now it works.").stored
    assert memory.problems == []
    assert memory.recall("who keeps the books").entries[0].content == "Mara keeps the books."


def test_a_server_starts_and_lives_on_a_broken_database(root: Path, state: Path) -> None:
    ruined(state)
    arguments = ["-m", "remem", "--workspace", str(root), "serve"]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    said: dict[str, Any] = {}

    async def story() -> None:
        async with Client(stdio_client(server)) as client:
            for name, given in (
                ("memory_store", {"category": "fact", "content": "One more."}),
                ("memory_search", {"query": "Aurora"}),
                ("memory_get", {"path": "MEMORY.md"}),
                ("memory_index_status", {}),
            ):
                result = await client.call_tool(name, given)
                (block,) = result.content
                assert isinstance(block, TextContent)
                said[name] = result.is_error, block.text

    anyio.run(story)

    assert said["memory_store"][0]
    assert "remem doctor --repair" in said["memory_store"][1]
    assert not said["memory_search"][0]
    assert "harbour seven" in said["memory_search"][1]
    assert "harbour seven" in said["memory_get"][1]
    assert json.loads(said["memory_index_status"][1])["health"]["degraded"]


def test_a_group_learns_nothing_of_main_from_its_trouble(
    opened: Opener, root: Path, state: Path
) -> None:
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')
    ruined(state)

    group = opened("agent:main:telegram:group:-100123")

    assert group.problems == []
    assert group.store(category="fact", content="The oven is hot.").stored
