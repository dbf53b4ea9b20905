"""The first search after `passages.db` was damaged under a running server is answered from the
files, with the reason; the next one is as before."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from tests.conftest import Opener
from tests.tiers import first_quick

pytestmark = pytest.mark.disk

Damage = Callable[[Path], None]


def overwritten(path: Path) -> None:
    path.write_bytes(b"\xa5\x5a" * (path.stat().st_size // 2))


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def garbled(path: Path) -> None:
    with path.open("r+b") as file:
        for at in range(4096, path.stat().st_size, 4096):
            file.seek(at)
            file.write(b"\xa5" * 64)


def replaced_by_a_text(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("no database at all\n" * 300)
    other.replace(path)


def replaced_by_another_database(path: Path) -> None:
    other = path.with_name("other")
    shutil.copyfile(path.with_name("entries.db"), other)
    other.replace(path)


def replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


LASTING = [replaced_by_another_database, replaced_by_a_folder]
DAMAGES = [truncated, replaced_by_a_text, *LASTING, overwritten, emptied, garbled]


@pytest.fixture
def passages(root: Path, opened: Opener) -> Path:
    """The passages of a closed workspace, all of them in the file and none in its log."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "memory").mkdir()
    (root / "MEMORY.md").write_text("# Ships\n\n- The Aurora lies in harbour seven.\n")
    for number in range(40):
        lines = "".join(f"- line {line} on topic{number * line}\n" for line in range(60))
        (root / f"memory/note{number}.md").write_text(f"# Note {number}\n\n{lines}")
    with opened() as memory:
        memory.refresh()
    return root / ".remem/main/passages.db"


def asked(
    root: Path, damage: Damage, passages: Path, tools: list[str], *, real: bool = False
) -> list[dict[str, Any]]:
    """What a server answers after the damage, call by call; a real one is another process."""
    arguments = ["-m", "remem", "--workspace", str(root), "serve"]
    process = StdioServerParameters(command=sys.executable, args=arguments)
    answers: list[dict[str, Any]] = []

    async def story() -> None:
        here = make_server(SessionHandle(lambda: open_workspace(root, trust="agent")), TOOLS)
        async with Client(stdio_client(process) if real else here) as client:
            await client.call_tool("memory_search", {"query": "topic11"})
            damage(passages)
            for tool in tools:
                answer = await client.call_tool(tool, {"query": "where does the Aurora lie?"})
                assert not answer.is_error, answer
                answers.append(answer.structured_content)

    anyio.run(story)
    return answers


@pytest.mark.parametrize("damage", first_quick(DAMAGES, 3))
def test_the_first_search_is_answered_with_the_reason(
    root: Path, passages: Path, damage: Damage
) -> None:
    tools = ["memory_search", "memory_search"]
    first, second = asked(root, damage, passages, tools, real=damage is DAMAGES[0])

    for answer in (first, second):
        assert "harbour seven" in answer["results"][0]["snippet"]
        assert not answer.get("disabled")
    assert "passages.db" in first["warning"]
    if damage not in LASTING:
        assert "warning" not in second


@pytest.mark.parametrize("damage", [overwritten, replaced_by_a_folder])
def test_the_first_recall_finds_the_passage_too(root: Path, passages: Path, damage: Damage) -> None:
    (first,) = asked(root, damage, passages, ["memory_recall"])

    assert any("harbour seven" in entry["content"] for entry in first["entries"])
    assert any("passages.db" in note for note in first["notes"]) or damage in LASTING


def test_the_file_serves_again_once_it_can_be_opened(
    opened: Opener, passages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.store.fallback.RETRY_SECONDS", 0.0)
    memory = opened()
    replaced_by_a_folder(passages)
    assert memory.search("Aurora").results
    assert memory.problems != []

    passages.rmdir()

    assert "harbour seven" in memory.search("Aurora").results[0].snippet
    assert memory.problems == []
    assert passages.is_file()
