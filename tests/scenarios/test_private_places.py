"""Where the workspace lies on the owner's disk is in no answer, error or note for anybody else."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from remem.app.tools.table import TOOLS
from tests.commands import run_command
from tests.conftest import Opener
from tests.scenarios.twin_tools import fitting
from tests.tiers import first_quick

pytestmark = pytest.mark.walls

GROUP = "agent:main:telegram:group:-100123"
UNMAPPED = "agent:main:telegram:group:-999"
PEER = "agent:main:telegram:direct:4711"
OWN = ".remem/groups/kitchen"
FILES = "memory/groups/kitchen"

Fault = Callable[[Path], None]


def nothing(root: Path) -> None:
    """All is well."""


def spoiled_passages(root: Path) -> None:
    (root / OWN / "passages.db").write_bytes(b"x" * 5000)


def folder_for_passages(root: Path) -> None:
    for path in (root / OWN).glob("passages.db*"):
        path.unlink()
    (root / OWN / "passages.db").mkdir()


def spoiled_entries(root: Path) -> None:
    (root / OWN / "entries.db").write_bytes(b"x" * 5000)


def missing_entries(root: Path) -> None:
    for path in (root / OWN).glob("entries.db*"):
        path.unlink()


def spoiled_domain_file(root: Path) -> None:
    (root / FILES / "domains/facts.md").write_bytes(b"\xff\xfe" * 100)


def linked_domains(root: Path) -> None:
    shutil.rmtree(root / FILES / "domains")
    (root / FILES / "domains").symlink_to(root / "memory")


def spoiled_settings(root: Path) -> None:
    (root / ".remem/config.toml").write_bytes(b"\xff = ")


def spoiled_rooms(root: Path) -> None:
    (root / "memory/group_names.json").write_text("{nope")


def pipe_for_a_file(root: Path) -> None:
    (root / FILES / "attention.md").unlink()
    os.mkfifo(root / FILES / "attention.md")


FAULTS = [
    *(nothing, spoiled_passages, folder_for_passages, spoiled_entries, missing_entries),
    *(spoiled_domain_file, linked_domains, spoiled_settings, spoiled_rooms, pipe_for_a_file),
]


@pytest.fixture
def kitchen(root: Path, opened: Opener) -> Path:
    (root / ".remem").mkdir(parents=True)
    settings = 'embedder = "none"\ntranscripts = ["group:kitchen"]\n'
    (root / ".remem/config.toml").write_text(settings)
    (root / FILES).mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Mine\n")
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')
    (root / f"{FILES}.md").write_text("# Kitchen\n")
    (root / FILES / "attention.md").write_text("# Tasks\n\n- Clean the oven.\n")
    with opened(GROUP) as group:
        group.store(category="fact", content="The pots are on the shelf.")
    return root


def calls() -> list[tuple[str, Mapping[str, Any]]]:
    """Every tool, with input that fits, and with input that does not."""
    gate = ("memory_get", {"path": f"{FILES}.md"})
    good = [(tool.name, fitting(tool)) for tool in TOOLS]
    bad: list[tuple[str, Mapping[str, Any]]] = [(tool.name, {"nonsense": 1}) for tool in TOOLS]
    more: list[tuple[str, Mapping[str, Any]]] = [
        ("memory_search", {"query": "oven"}),
        ("memory_search", {"query": "oven", "corpus": "sessions"}),
        ("memory_recall", {"query": "oven", "include_untrusted": True, "why": True}),
        ("memory_store", {"category": "fact", "content": "The oven is hot."}),
        ("memory_store", {"category": "nonsense", "content": "x"}),
        ("memory_open", {"message": "which task is next, who decided it and why?"}),
        ("memory_flush", {"items": [{"kind": "task", "text": "Order seeds."}]}),
        ("memory_flush", {"items": [{"kind": "nonsense"}]}),
        ("memory_get", {"path": f"{FILES}/attention.md"}),
        ("memory_get", {"path": f"{FILES}/domains/facts.md"}),
        ("memory_get", {"path": "../../etc/passwd"}),
        ("memory_audit", {"recommend": True}),
    ]
    return [gate, *good, *more, *bad]


def answers(root: Path, session: str) -> list[tuple[str, str]]:
    """What a client of a real server receives, call by call."""
    arguments = ["--workspace", str(root), "serve", "--session", session, "--profile", "full"]
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "remem", *arguments], env=dict(os.environ)
    )
    received: list[tuple[str, str]] = []

    async def story() -> None:
        with open(os.devnull, "w") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                for name, given in calls():
                    answer = await client.call_tool(name, dict(given))
                    received.append((f"{name} {given}", answer.model_dump_json()))
                try:
                    index = (await client.read_resource("remem://index")).model_dump_json()
                except MCPError as error:
                    index = str(error)
                received.append(("the index", index))

    anyio.run(story)
    return received


def leaks(received: list[tuple[str, str]], root: Path, home: Path) -> list[tuple[str, str]]:
    places = {str(root), os.path.realpath(root), str(home), os.path.realpath(home)}
    return [message for message in received if any(place in message[1] for place in places)]


@pytest.mark.parametrize("fault", first_quick(FAULTS))
def test_no_answer_for_a_group_names_the_place_of_the_workspace_or_the_home(
    kitchen: Path, home: Path, fault: Fault
) -> None:
    fault(kitchen)

    received = answers(kitchen, GROUP)

    assert leaks(received, kitchen, home) == []


@pytest.mark.parametrize("session", [PEER, UNMAPPED])
@pytest.mark.parametrize("fault", first_quick([nothing, spoiled_settings, spoiled_rooms]))
def test_answers_for_another_person_or_an_unknown_room_leak_no_private_path(
    kitchen: Path, home: Path, fault: Fault, session: str
) -> None:
    fault(kitchen)

    received = answers(kitchen, session)

    assert leaks(received, kitchen, home) == []


@pytest.mark.parametrize("fault", [nothing, spoiled_entries, spoiled_domain_file, linked_domains])
def test_tools_on_the_command_line_leak_no_private_path(
    kitchen: Path, home: Path, fault: Fault
) -> None:
    fault(kitchen)
    received = []
    for words in (
        ["status", "--json"],
        ["status"],
        ["search", "oven"],
        ["recall", "oven"],
        ["store", "-c", "fact", "The oven is hot."],
        ["get", f"{FILES}.md"],
        ["audit", "--json"],
        ["open", "which task is next?"],
        ["forget", "mem-00000000"],
    ):
        done = run_command(kitchen, "--session", GROUP, *words)
        received.append((" ".join(words), done.output))

    assert leaks(received, kitchen, home) == []


def test_the_reason_itself_is_still_there(kitchen: Path) -> None:
    spoiled_entries(kitchen)

    said = json.dumps(answers(kitchen, GROUP))

    assert ".remem/groups/kitchen/entries.db is damaged" in said


def test_the_owner_learns_where_the_file_is(kitchen: Path) -> None:
    spoiled = kitchen / ".remem/main"
    spoiled.mkdir(exist_ok=True)
    (spoiled / "entries.db").write_bytes(b"x" * 5000)

    assert str(kitchen) in json.dumps(answers(kitchen, "main"))


def test_an_entry_of_the_group_comes_back_word_for_word(kitchen: Path, opened: Opener) -> None:
    words = f"The recipes are in {kitchen}/recipes."
    group = opened(GROUP)
    group.get(f"{FILES}.md")
    group.store(category="fact", content=words)

    (found,) = [entry for entry in group.recall("recipes").entries if "recipes" in entry.content]

    assert found.content == words


def test_a_guessed_path_does_not_come_back_changed(kitchen: Path) -> None:
    """Or a caller could find out by trying where the workspace lies."""
    guess = str(kitchen / "MEMORY.md")
    arguments = ["--workspace", str(kitchen), "serve", "--session", GROUP]
    server = StdioServerParameters(command=sys.executable, args=["-m", "remem", *arguments])
    paths = []

    async def story() -> None:
        async with Client(stdio_client(server)) as client:
            for path in (guess, "/somewhere/else/MEMORY.md"):
                answer = await client.call_tool("memory_get", {"path": path})
                paths.append(answer.structured_content["path"])

    anyio.run(story)

    assert paths == [guess, "/somewhere/else/MEMORY.md"]
