"""Where the memory is, and which rooms have one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from remem.cli.main import remem
from tests.cli.conftest import Run


def test_a_folder_becomes_a_workspace_and_nothing_in_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MEMORY.md").write_text("mine")

    first = CliRunner().invoke(remem, ["init"])
    second = CliRunner().invoke(remem, ["init"])

    assert "created" in first.stdout
    assert second.stdout == f"{tmp_path} is already a workspace\n"
    assert second.stderr.endswith("status   shows what is in it\n")
    assert (tmp_path / "MEMORY.md").read_text() == "mine"
    assert CliRunner().invoke(remem, ["status"]).exit_code == 0


def test_two_different_folders_are_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(remem, ["--workspace", str(tmp_path), "init", str(tmp_path / "b")])

    assert result.exit_code == 1
    assert "two folders were given" in result.stderr


def test_a_room_gets_a_name_and_a_memory(run: Run, root: Path) -> None:
    group = ("--session", "agent:main:telegram:group:-100123")
    assert run(*group, "status").exit_code == 1

    mapped = run("rooms", "map", "telegram:-100123", "kitchen")

    assert mapped.exit_code == 0
    assert run("rooms").stdout == "telegram:-100123\tkitchen\n"
    assert run(*group, "status").exit_code == 0
    assert json.loads((root / "memory/group_names.json").read_text()) == {
        "telegram:-100123": "kitchen"
    }


def test_an_id_may_begin_with_a_minus(run: Run) -> None:
    assert run("rooms", "map", "-100123", "kitchen").exit_code == 0
    assert run("rooms").stdout == "-100123\tkitchen\n"


def test_mapping_keeps_what_the_file_says_already(run: Run, root: Path) -> None:
    file = root / "memory/group_names.json"
    file.parent.mkdir(parents=True)
    old = {"5": {"name": "office", "channel": "slack"}}
    file.write_text(json.dumps(old))

    run("rooms", "map", "7", "kitchen")
    run("rooms", "map", "7", "kitchen")

    assert json.loads(file.read_text()) == {**old, "7": "kitchen"}


@pytest.mark.parametrize(
    ("room", "name", "reason"),
    [
        ("7", "cellar", "is already called 'kitchen'"),
        ("8", "Kitchen", "also the name of another room"),
        ("9", "", "for a name"),
        ("", "attic", "no room id"),
    ],
)
def test_a_name_that_could_mix_rooms_up_is_refused(
    run: Run, room: str, name: str, reason: str
) -> None:
    run("rooms", "map", "7", "kitchen")

    result = run("rooms", "map", room, name)

    assert result.exit_code == 1
    assert reason in result.stderr
    assert run("rooms").stdout == "7\tkitchen\n"


def test_a_contradiction_in_the_file_is_shown(run: Run, root: Path) -> None:
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"7": "kitchen", "8": "kitchen"}')

    assert run("rooms").stdout.count("has no memory: its name 'kitchen' is also") == 2


def test_no_rooms_is_not_an_error(run: Run) -> None:
    result = run("rooms")

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "no room has a name; `remem rooms map ROOM NAME` gives it one\n"


@pytest.mark.parametrize(
    "command",
    [
        ("recall", "tea"),
        ("doctor",),
        ("doctor", "--repair"),
        ("backup", "kept.tar"),
        ("rebuild",),
        ("rooms",),
        ("rooms", "map", "telegram:-100123", "kitchen"),
        ("rooms", "rename", "telegram:-100123", "pantry"),
    ],
    ids=" ".join,
)
def test_a_mistyped_workspace_is_refused_and_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """A doctor who finds nothing wrong there, or a backup of it, would be a false comfort."""
    monkeypatch.chdir(tmp_path)
    typo, before = tmp_path / "agnet", set(tmp_path.rglob("*"))

    result = CliRunner().invoke(remem, ["--workspace", str(typo), *command])

    assert result.exit_code == 1
    assert f"{typo} is not a remem workspace" in result.stderr
    assert f"remem init {typo}" in result.stderr
    assert set(tmp_path.rglob("*")) == before


def test_a_room_gets_another_name_and_keeps_its_memory(run: Run) -> None:
    key = "agent:main:telegram:group:-100123"
    run("rooms", "map", "telegram:-100123", "kitchen")
    run("--session", key, "store", "-c", "fact", "The oven is hot.")

    renamed = run("rooms", "rename", "telegram:-100123", "pantry")

    assert renamed.exit_code == 0
    assert "was called kitchen and is now called pantry" in renamed.stderr
    assert run("rooms").stdout == "telegram:-100123\tpantry\n"
    run("--session", key, "open", "hello")
    assert "The oven is hot." in run("--session", key, "recall", "oven").stdout


def test_programs_can_read_the_list_of_rooms(run: Run) -> None:
    run("rooms", "map", "telegram:-100123", "kitchen")

    assert json.loads(run("rooms", "--json").stdout) == [
        {"room": "telegram:-100123", "name": "kitchen", "problem": ""}
    ]
