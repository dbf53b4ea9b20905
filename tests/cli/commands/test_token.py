"""Hooks get tokens on the owner's command line, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens
from remem.model.session import TokenSubject
from tests.cli.conftest import Run

GROUP = "agent:main:telegram:group:-100"


def test_a_hook_issues_a_token_for_a_conversation(run: Run, root: Path) -> None:
    line = (
        "token",
        "issue",
        "--session",
        GROUP,
        "--conversation",
        "7f3a",
        "--ttl",
        "30m",
        "--json",
    )

    issued = json.loads(run(*line).stdout)

    assert {**issued, "token": ""} == {
        "token": "",
        "session": GROUP,
        "conversation": "7f3a",
        "expires_in": 1800,
    }
    assert SessionTokens(Layout(root)).subject_of(issued["token"]) == TokenSubject(GROUP, "7f3a")


def test_without_json_the_token_alone_is_printed(run: Run, root: Path) -> None:
    result = run("token", "issue", "--session", "main")

    assert result.stderr.startswith("next: ")
    assert SessionTokens(Layout(root)).subject_of(result.stdout.removesuffix("\n")) == TokenSubject(
        "main"
    )


def test_the_list_shows_who_holds_tokens_and_no_token(run: Run) -> None:
    tokens = [
        run("token", "issue", "--session", GROUP, "--conversation", "7f3a").stdout.strip(),
        run("token", "issue", "--session", "main").stdout.strip(),
    ]

    lines = [line.split("\t")[:2] for line in run("token", "list").stdout.splitlines()]

    assert sorted(lines) == [[GROUP, "7f3a"], ["main", "-"]]
    assert not any(token in run("token", "list").stdout for token in tokens)
    for command in (("status", "--json"), ("doctor",), ("token", "list")):
        result = run(*command)
        assert not any(token in result.stdout + result.stderr for token in tokens)


def test_an_empty_list_of_tokens_is_reported(run: Run) -> None:
    result = run("token", "list")

    assert (result.stdout, result.stderr) == ("", "no token is valid now\n")


def test_tokens_are_revoked_by_session_conversation_or_all(run: Run, root: Path) -> None:
    tokens = SessionTokens(Layout(root))
    for conversation in ("one", "two", "three"):
        tokens.issue(GROUP, conversation)
    tokens.issue("main")

    revoke = ("token", "revoke")
    assert run(*revoke, "--session", GROUP, "--conversation", "one").stdout == "revoked: 1\n"
    assert run(*revoke, "--session", GROUP).stdout == "revoked: 2\n"
    assert run(*revoke, "--all").stdout == "revoked: 1\n"
    assert tokens.valid_tokens() == []


@pytest.mark.parametrize("line", [(), ("--all", "--session", "main")])
def test_revoking_needs_a_session_or_all(run: Run, line: tuple[str, ...]) -> None:
    result = run("token", "revoke", *line)

    assert result.exit_code == 1
    assert "use exactly one of --session and --all" in result.stderr


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("issue", "--session", ""), "the session key is empty"),
        (("issue", "--session", "main", "--ttl", "soon"), "--ttl 'soon' is not a duration"),
        (("issue", "--session", "main", "--idle", "0s"), "--idle '0s' is not a duration"),
    ],
)
def test_a_bad_lifetime_is_refused_and_nothing_is_issued(
    run: Run, root: Path, line: tuple[str, ...], reason: str
) -> None:
    result = run("token", *line)

    assert result.exit_code == 1
    assert reason in result.stderr
    assert SessionTokens(Layout(root)).valid_tokens() == []


def test_tokens_are_issued_only_in_main(run: Run, root: Path) -> None:
    result = run("--session", GROUP, "token", "issue", "--session", "main")

    assert result.exit_code == 1
    assert "`remem token` works only in the main session" in result.stderr
    assert not (root / ".remem/tokens").exists()


def test_a_folder_that_is_not_a_workspace_is_refused(run: Run, root: Path) -> None:
    (root / ".remem/config.toml").unlink()
    (root / ".remem").rmdir()

    result = run("token", "issue", "--session", "main")

    assert result.exit_code == 1
    assert "is not a remem workspace" in result.stderr
    assert not (root / ".remem").exists()


def test_a_backup_carries_no_tokens(run: Run, root: Path, tmp_path: Path) -> None:
    """Or a restore would bring revoked ones back."""
    run("store", "-c", "fact", "The gate is red.")
    run("token", "issue", "--session", "main")

    assert run("backup", str(tmp_path / "kept")).exit_code == 0

    assert (tmp_path / "kept/.remem/main/entries.db").is_file()
    assert not (tmp_path / "kept/.remem/tokens").exists()


def test_programs_can_read_the_list_of_tokens(run: Run) -> None:
    run("token", "issue", "--session", "agent:main:main", "--conversation", "7f3a")

    (found,) = json.loads(run("token", "list", "--json").stdout)

    assert (found["session"], found["conversation"]) == ("agent:main:main", "7f3a")
    assert found["issued_at"] < found["until"]
