"""Search is brought up to date by hand, and what could not be read is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.search.refresh.ground import write

GROUP = "agent:main:telegram:group:-100123"


def test_it_says_what_was_read(run: Run, root: Path) -> None:
    write(root, {"MEMORY.md": "- one\n- two\n", "memory/a.md": "tea\n"})

    first, second = run("refresh"), run("refresh")

    assert first.stdout.splitlines()[0] == "2 files read, 0 unchanged, 0 removed: 3 passages"
    assert second.stdout.splitlines()[0] == "0 files read, 2 unchanged, 0 removed: 3 passages"
    assert first.exit_code == second.exit_code == 0


def test_it_says_who_makes_the_vectors(run: Run, root: Path) -> None:
    """Or nobody knows whether to wait."""
    settings = (
        'embedder = "endpoint"\nendpoint_url = "http://127.0.0.1:9/v1"\nendpoint_model = "m"\n'
    )
    write(root, {"MEMORY.md": "- one\n", ".remem/config.toml": settings})

    done = run("refresh")

    assert done.stdout.splitlines()[1:] == ["1 passage without a vector"]
    assert "`remem maintain`" in done.stderr
    assert "`remem refresh --vectors`" in done.stderr


@pytest.mark.parametrize("options", [(), ("--vectors",)])
def test_without_a_model_refresh_says_how_to_get_one(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(root / "no models"))
    write(root, {"MEMORY.md": "- one\n", ".remem/config.toml": ""})

    done = run("refresh", *options)

    assert "`remem models fetch minilm`" in done.stderr
    assert "--vectors" not in done.stderr


def test_an_owner_who_chose_no_model_gets_no_message_about_vectors(run: Run, root: Path) -> None:
    write(root, {"MEMORY.md": "- one\n"})

    assert "vector" not in run("refresh").stderr


def test_unreadable_files_are_named_on_stderr(run: Run, root: Path) -> None:
    write(root, {"memory/a.md": b"tea \0\n"})

    done = run("refresh")

    assert "memory/a.md: NUL character in line 1" in done.stderr
    assert "memory/a.md" not in done.stdout
    assert done.exit_code == 0


def test_json_is_exactly_the_result(run: Run, root: Path) -> None:
    write(root, {"memory/a.md": b"tea \xff\n", "memory/b.md": "cake\n"})

    shown = json.loads(run("refresh", "--json").stdout)

    assert shown == {
        "read": 2,
        "unchanged": 0,
        "forgotten": 0,
        "files": 2,
        "passages": 2,
        "without_vector": 2,
        "waiting": 0,
        "problems": [
            {
                "path": "memory/a.md",
                "reason": "not UTF-8 at byte 4; the rest is searched",
            }
        ],
    }


def test_only_the_sessions_own_scope_is_read(run: Run, root: Path) -> None:
    run("rooms", "map", "telegram:-100123", "garden")
    write(root, {"MEMORY.md": "- one\n", "memory/groups/garden.md": "- gate\n"})

    done = json.loads(run("--session", GROUP, "refresh", "--json").stdout)

    assert (done["read"], done["files"]) == (1, 1)


def test_the_status_counts_files_and_passages_and_names_problems(run: Run, root: Path) -> None:
    write(root, {"MEMORY.md": "- one\n- two\n", "memory/a.md": b"tea \0\n", "USER.md": "- me\n"})

    status = json.loads(run("status", "--json").stdout)

    assert status["legacy"] == {
        "files": 3,
        "chunks": 4,
        "total_tokens_estimated": status["legacy"]["total_tokens_estimated"],
        "memory_md_size": 12,
        "memory_dir_files": 1,
    }
    assert status["legacy"]["total_tokens_estimated"] > 6
    assert status["health"]["passages_without_vector"] == 4
    assert status["health"]["files_with_problems"] == [
        "memory/a.md: NUL character in line 1; the rest is searched"
    ]
    screen = run("status").stdout
    assert "4 passages" in screen
    assert "memory/a.md" in screen


@pytest.mark.walls
def test_the_status_of_a_group_covers_only_its_own_files(run: Run, root: Path) -> None:
    run("rooms", "map", "telegram:-100123", "garden")
    before = run("--session", GROUP, "status", "--json").stdout

    write(root, {"MEMORY.md": "- one\n", "memory/a.md": b"\0", "memory/groups/x.md": "- x\n"})

    assert run("--session", GROUP, "status", "--json").stdout == before
