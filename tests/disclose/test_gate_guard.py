"""Nothing of a group is read before its gate, by any tool or path."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, GateFirst, InvalidInput
from remem.search.answer.answer import plain
from tests.conftest import Opener
from tests.tables import each_row

KEY = "agent:main:telegram:group:-100"
GATE = "memory/groups/garden.md"
FILE = "memory/groups/garden/attention.md"


@pytest.fixture
def group(root: Path, opened: Opener) -> Workspace:
    (root / "memory/groups/garden").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    (root / GATE).write_text("# Garden\n\n- todo → attention.md\n")
    (root / FILE).write_text("- Order seeds\n")
    return opened(KEY)


def code(workspace: Workspace, path: str) -> str | None:
    return workspace.services.files.get_for_host(path).code


DISGUISES = [
    FILE,
    f"./{FILE}",
    FILE.replace("/", "//"),
    "memory/./groups/garden/./attention.md",
    "memory/groups/garden/none.md",
    "memory/groups/garden/conventions/api.md",
    "memory/groups/garden/domains/facts.md",
    "memory/groups/garden/attentio\u006e.md",
]


@each_row("path", DISGUISES)
def test_get_answers_gate_first_whether_or_not_the_file_exists(
    group: Workspace, root: Path, path: str
) -> None:
    told = group.services.files.get_for_host(path)

    assert (told.status, told.code, told.text) == ("error", "GATE_FIRST", "")
    assert GATE in (told.error or "")
    assert code(group, str(root / path)) == "GATE_FIRST"


@each_row(
    "path",
    [
        "memory/groups/garden/../garden/attention.md",
        "memory/groups/GARDEN/attention.md",
        "memory/groups/garden/attention.md/",
        "memory%2Fgroups%2Fgarden%2Fattention.md",
        "memory\\groups\\garden\\attention.md",
        "memory/groups/garden ./attention.md",
        "MEMORY.md",
        "memory/groups/kitchen.md",
    ],
)
def test_a_path_with_dots_does_not_bypass_the_gate(group: Workspace, path: str) -> None:
    assert code(group, path) == "MEMORY_PATH_NOT_ALLOWED"
    assert code(group, FILE) == "GATE_FIRST"


@pytest.mark.parametrize("alias", [os.symlink, os.link])
def test_a_link_to_a_file_does_not_bypass_the_gate(
    group: Workspace, root: Path, alias: Any
) -> None:
    alias(root / FILE, root / "memory/groups/garden/x.md")

    assert code(group, "memory/groups/garden/x.md") == "GATE_FIRST"


def test_search_and_recall_answer_gate_first_too(group: Workspace) -> None:
    group.store(category="fact", content="Seeds are in the shed.")

    found = group.services.files.search_for_host("seeds")
    with pytest.raises(GateFirst, match=r"GATE_FIRST.*garden\.md"):
        group.search("seeds")
    with pytest.raises(GateFirst, match=r"GATE_FIRST.*garden\.md"):
        group.recall("seeds")

    assert found.results == ()
    assert found.unavailable
    assert GATE in (found.error or "")
    assert "seeds" not in json.dumps(plain(found)).casefold()


def test_invalid_arguments_are_refused_before_the_gate(group: Workspace) -> None:
    with pytest.raises(InvalidInput, match="query required"):
        group.search("")
    with pytest.raises(InvalidInput):
        group.recall("seeds", token_budget=1)


@pytest.mark.parametrize("way", ["get", "open"])
def test_reading_the_gate_opens_the_rest(group: Workspace, way: str) -> None:
    group.store(category="fact", content="Seeds are in the shed.")

    group.get(GATE) if way == "get" else group.open("good morning")

    assert group.get(FILE).text == "- Order seeds"
    assert group.search("seeds").results
    assert group.recall("seeds").entries


def test_reading_past_the_end_of_the_gate_does_not_count(group: Workspace) -> None:
    group.get(GATE, from_line=90)

    assert code(group, FILE) == "GATE_FIRST"


def test_the_start_text_does_not_count_as_reading_the_gate(group: Workspace) -> None:
    group.start()

    assert code(group, FILE) == "GATE_FIRST"


def test_looking_for_a_missing_gate_is_enough(group: Workspace, root: Path) -> None:
    (root / GATE).unlink()
    assert code(group, FILE) == "GATE_FIRST"

    with pytest.raises(FileError):
        group.get(GATE)

    assert group.get(FILE).status == "ok"
    (root / GATE).write_text("# Garden\n")
    assert code(group, FILE) == "GATE_FIRST"


def test_a_gate_that_cannot_be_trusted_opens_nothing(group: Workspace, root: Path) -> None:
    (root / GATE).unlink()
    (root / "MEMORY.md").write_text("a secret of main\n")
    os.link(root / "MEMORY.md", root / GATE)

    assert code(group, GATE) == "MEMORY_PATH_NOT_ALLOWED"
    assert code(group, FILE) == "GATE_FIRST"


def test_main_and_peers_are_not_gated(root: Path, opened: Opener) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("- Order seeds\n")

    assert opened().search("seeds").results
    assert opened("agent:main:telegram:direct:7").recall("seeds").entries == ()


def test_another_conversation_has_to_read_the_gate_again(group: Workspace, opened: Opener) -> None:
    group.get(GATE)

    other = opened(KEY, conversation="another")

    assert code(other, FILE) == "GATE_FIRST"
    other.get(GATE)
    other.end_conversation()
    assert code(other, FILE) == "GATE_FIRST"
