"""The protocol's checklist, points 1, 2, 3 and 7: what is read, in which order, and how much.

Each point quotes its rule, and holds in the library, on the command line and over MCP.
(`test_protocol_writing.py` has the other four.)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from remem.app.opening import open_workspace
from remem.app.tools.declare import call
from remem.app.tools.table import TOOLS, tool_named
from remem.disclose.gate_guard import GateGuard
from remem.errors import GateFirst, RememError
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from remem.search.answer.answer import plain
from tests.commands import run_command

GARDEN = "agent:main:telegram:group:-100"
KITCHEN = "agent:main:telegram:group:-200"
GATE = "memory/groups/garden.md"
FOLDER = "memory/groups/garden"
ROUTING = """\
# Garden

## Hard rules

- Ask before you plant.

## Routing

| Trigger | File | Priority |
|---|---|---|
| tasks, blockers: any work conversation | attention.md | P0 |
| technical decisions: stack | project.md | P1 |
| lessons learned | experience.md | P2 |
| need to find someone: who | people.md | P3 |
"""
FILES = {
    ".remem/config.toml": 'embedder = "none"\n',
    "memory/group_names.json": '{"-100": "garden", "-200": "kitchen"}',
    GATE: ROUTING,
    f"{FOLDER}/attention.md": "- Order quince seeds\n",
    f"{FOLDER}/project.md": "- Arduino waters the beds; see conventions/api.md\n",
    f"{FOLDER}/experience.md": "- Beans need warmth\n",
    f"{FOLDER}/people.md": "- Mara prunes\n",
    f"{FOLDER}/conventions/api.md": "- snake_case\n",
    f"{FOLDER}/conventions/tone.md": "- be brief\n",
    "memory/groups/kitchen.md": "- tasks → attention.md\n",
    "memory/groups/kitchen/attention.md": "- Buy flour\n",
    "memory/main/index.md": "- rent, money → longterm.md\n- tasks → attention.md\n",
    "memory/main/attention.md": "- Pay the rent\n",
    "memory/main/longterm.md": "- The landlord is Pip\n",
    "memory/main/projects/atlas.md": "- Atlas ships in May\n",
    "MEMORY.md": "- a secret of the owner\n",
}

Ask = Callable[..., dict[str, Any]]
"""A session's key, a tool and its arguments; what a surface answers, or `{"refused": …}`."""


@pytest.fixture(autouse=True)
def workspace(root: Path) -> None:
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def by_library(root: Path, session: str, tool: str, **given: Any) -> dict[str, Any]:
    try:
        with open_workspace(root, session, background=False) as memory:
            return plain(call(tool_named(tool), memory, given))
    except RememError as error:
        return {"refused": str(error)}


def by_command(root: Path, session: str, tool: str, **given: Any) -> dict[str, Any]:
    words = [tool_named(tool).command, *map(str, given.values()), "--json"]
    done = run_command(root, "--session", session, *words)
    return dict(json.loads(done.stdout)) if done.stdout else {"refused": done.stderr}


def by_client(root: Path, session: str, tool: str, **given: Any) -> dict[str, Any]:
    async def asked() -> dict[str, Any]:
        door = SessionHandle(
            partial(open_workspace, root, session, background=False, trust="agent")
        )
        async with Client(make_server(door, TOOLS)) as client:
            result = await client.call_tool(tool, given)
        text = result.content[0].text
        return {"refused": text} if result.is_error else dict(json.loads(text))

    return anyio.run(asked)


WAYS: dict[str, Ask] = {"library": by_library, "command line": by_command, "MCP": by_client}


@pytest.fixture(params=list(WAYS))
def ask(request: pytest.FixtureRequest, root: Path) -> Ask:
    return partial(WAYS[request.param], root)


def loaded(answer: dict[str, Any]) -> list[str]:
    return [page["path"] for page in answer["pages"]]


def steps(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step["step"]: step for step in answer["trace"]}


def test_0_a_room_without_a_name_gets_only_the_command_that_names_it(ask: Ask, root: Path) -> None:
    """ "Group chat room IDs must first be resolved via memory/group_names.json to a friendly name
    before use." """
    stranger = "agent:main:telegram:group:-300"
    before = sorted(root.rglob("*"))

    for tool, given in (
        ("memory_open", {"message": "tasks"}),
        ("memory_search", {"query": "seeds"}),
        ("memory_get", {"path": GATE}),
    ):
        refused = ask(stranger, tool, **given)["refused"]
        assert "remem rooms map 'telegram:-300' <name>" in refused

    assert sorted(root.rglob("*")) == before


def test_1_entry_gate_index_is_the_only_entry(ask: Ask) -> None:
    """ "The only legal entry point for group chat memory is memory/groups/{group_name}.md.
    Forbidden: directly reading any sub-files; bypassing the index to directly memory_search
    subdirectories." """
    direct = ask(GARDEN, "memory_get", path=f"{FOLDER}/attention.md")
    search = ask(GARDEN, "memory_search", query="quince seeds")
    recall = ask(GARDEN, "memory_recall", query="quince seeds")

    assert direct["code"] == "GATE_FIRST"
    assert search["results"] == []
    assert "GATE_FIRST" in search["error"]
    assert "GATE_FIRST" in recall["refused"]
    assert all(GATE in json.dumps(answer) for answer in (direct, search, recall))
    assert not any("quince" in json.dumps(answer).lower() for answer in (direct, search, recall))

    assert "Ask before you plant." in ask(GARDEN, "memory_get", path=GATE)["text"]

    assert "quince" in ask(GARDEN, "memory_get", path=f"{FOLDER}/attention.md")["text"]
    assert "quince" in ask(GARDEN, "memory_search", query="quince seeds")["results"][0]["snippet"]
    assert "quince" in json.dumps(ask(GARDEN, "memory_recall", query="quince seeds")["entries"])


def test_2_five_step_loading(ask: Ask) -> None:
    """ "Name mapping → index → intent → load → sub-layer → budget." """
    answer = ask(GARDEN, "memory_open", message="Which technical stack waters the beds?")

    assert loaded(answer) == [GATE, f"{FOLDER}/project.md", f"{FOLDER}/conventions/api.md"]
    trace = steps(answer)
    assert list(trace) == ["mapping", "gate", "intent", "file", "conventions", "budget"]
    assert trace["mapping"]["outcome"] == "group:garden"
    assert "project.md" in trace["intent"]["outcome"]
    assert all(trace[part]["tokens"] > 0 for part in ("gate", "file", "conventions"))
    assert answer["token_count"] <= answer["budget"] == 3000


def test_2_step_5_the_budget_stops_it(ask: Ask, root: Path) -> None:
    """ "Stop when cumulative tokens exceed memory_budget." """
    (root / GATE).write_text(f"---\nmemory_budget: 600\n---\n{ROUTING}", encoding="utf-8")
    long = "".join(f"- lesson {n}: water the beds before noon\n" for n in range(300))
    (root / FOLDER / "experience.md").write_text(long, encoding="utf-8")

    answer = ask(GARDEN, "memory_open", message="which lessons were learned?")

    assert answer["token_count"] <= answer["budget"] == 600
    assert answer["pages"][-1]["truncated"]
    assert "left out" in steps(answer)["budget"]["outcome"]


def test_2_only_the_best_matching_file_is_loaded_and_none_where_none_fits(ask: Ask) -> None:
    """ "Only one best-matching file is loaded per session (highest priority wins)." """
    small_talk = ask(GARDEN, "memory_open", message="good morning")
    both = ask(GARDEN, "memory_open", message="tasks, lessons")

    assert loaded(small_talk) == [GATE]
    assert "no route fits" in steps(small_talk)["intent"]["outcome"]
    assert loaded(both) == [f"{FOLDER}/attention.md"]


def test_3_loading_discipline_two_and_one(ask: Ask) -> None:
    """ "Maximum 2 P0-P2 files + 1 P3 file per session. conventions/ files: only 1 at a time." """
    ask(GARDEN, "memory_open", message="tasks")
    ask(GARDEN, "memory_get", path=f"{FOLDER}/experience.md")

    third = ask(GARDEN, "memory_get", path=f"{FOLDER}/project.md")
    opened = ask(GARDEN, "memory_open", message="technical stack")

    assert third["code"] == "MEMORY_LIMIT_REACHED"
    assert loaded(opened) == []
    assert "P0 to P2" in json.dumps(steps(opened)["file"]["refused"])
    assert ask(GARDEN, "memory_get", path=f"{FOLDER}/people.md")["status"] == "ok"
    assert ask(GARDEN, "memory_get", path=f"{FOLDER}/conventions/api.md")["status"] == "ok"
    other = ask(GARDEN, "memory_get", path=f"{FOLDER}/conventions/tone.md")
    assert other["code"] == "MEMORY_LIMIT_REACHED"


def test_3_clear_on_switch(ask: Ask) -> None:
    """ "When switching group chats, clear old context first, then restart from Step 1." """
    ask(GARDEN, "memory_open", message="tasks")

    early = ask(KITCHEN, "memory_get", path="memory/groups/kitchen/attention.md")
    other = ask(KITCHEN, "memory_get", path=f"{FOLDER}/attention.md")
    fresh = ask(KITCHEN, "memory_open", message="tasks")

    assert early["code"] == "GATE_FIRST"
    assert other["code"] == "MEMORY_PATH_NOT_ALLOWED"
    assert loaded(fresh) == ["memory/groups/kitchen.md", "memory/groups/kitchen/attention.md"]


def test_3_a_conversation_that_moves_to_another_room_and_back_starts_again(root: Path) -> None:
    """ "Load two groups → clear old, reload from Step 1." """
    at = partial(open_workspace, root, background=False, conversation="one")
    with at(GARDEN) as garden:
        garden.open("tasks")
    with at(KITCHEN) as kitchen:
        kitchen.open("tasks")

    with at(GARDEN) as garden, pytest.raises(GateFirst):
        garden.get(f"{FOLDER}/attention.md")


def test_7_dm_progressive_independent_layout(ask: Ask) -> None:
    """ "DM uses simpler 3-layer (index → attention → longterm). Based on routing, load up to 2
    files." """
    first = ask("main", "memory_open", message="Is the rent for Atlas paid?")
    more = ask("main", "memory_open", message="my tasks?")

    assert loaded(first) == [
        "memory/main/index.md",
        "memory/main/projects/atlas.md",
        "memory/main/longterm.md",
    ]
    assert loaded(more) == []
    assert "two files" in json.dumps(steps(more)["file"]["refused"])
    assert ask("main", "memory_get", path="memory/main/attention.md")["status"] == "ok"
    assert "conventions" not in steps(first)


def test_7_neither_layout_reads_the_other(ask: Ask, root: Path) -> None:
    """ "The two structures are completely independent and do not interfere with each other." """
    (root / GATE).write_text("- tasks → memory/main/attention.md\n", encoding="utf-8")
    index = f"- tasks → {FOLDER}/attention.md\n"
    (root / "memory/main/index.md").write_text(index, encoding="utf-8")

    group = ask(GARDEN, "memory_open", message="tasks")
    main = ask("main", "memory_open", message="tasks")

    assert loaded(group) == [GATE]
    assert loaded(main) == ["memory/main/index.md"]
    for answer in (group, main):
        assert "MEMORY_PATH_NOT_ALLOWED" in json.dumps(steps(answer)["file"]["refused"])


def test_the_checks_above_catch_a_gate_that_is_only_prose(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an instruction alone is worth: point 1 fails on it."""
    monkeypatch.setattr(GateGuard, "refusal", lambda _self: None)

    with pytest.raises((AssertionError, KeyError)):
        test_1_entry_gate_index_is_the_only_entry(partial(by_library, root))


def test_the_checks_above_catch_limits_that_are_forgotten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.disclose.gate_guard.load_refusal", lambda *_, **__: None)
    monkeypatch.setattr("remem.disclose.open.protocol.load_refusal", lambda *_, **__: None)

    with pytest.raises((AssertionError, KeyError)):
        test_3_loading_discipline_two_and_one(partial(by_library, root))
