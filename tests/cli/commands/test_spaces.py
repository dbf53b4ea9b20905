"""The owner's commands for shared spaces, and spaces in the commands over a whole workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.files.layout import Layout
from tests.cli.conftest import Run
from tests.commands import output_of, run_command

RESTART = "The gateway restarts on Sundays at 04:00."
SCOUT = "agent:research:subagent:1"


@pytest.fixture
def copy(run: Run, root: Path) -> str:
    """A space called ops with one shared memory; the id of the copy."""
    output_of(root, "init")
    assert "created the space ops, in memory/shared/ops" in run("spaces", "create", "ops").stdout
    id_ = json.loads(output_of(root, "store", "-c", "fact", RESTART, "--json"))["id"]
    return str(json.loads(output_of(root, "spaces", "share", id_, "ops", "--json"))["copy"])


def test_spaces_are_listed_with_their_grants(run: Run, copy: str) -> None:
    run("spaces", "grant", "ops", "groups")
    run("spaces", "grant", "ops", "agent:Research", "propose")
    listed = run("spaces").stdout
    assert "ops  1 entry" in listed
    assert "granted to: main write, groups read, agent:research propose" in listed

    run("spaces", "revoke", "ops", "groups")
    (space,) = json.loads(run("spaces", "list", "--json").stdout)
    assert space["grants"] == {"main": "write", "agent:research": "propose"}
    assert run("shared-recall", "gateway").stdout.startswith("0.")
    assert f"{copy}  fact  in ops by owner" in run("shared-recall", "gateway").stdout


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("grant", "ops", "groups", "write"), "can only read a shared space"),
        (("grant", "ops", "everybody"), "a space cannot be granted to 'everybody'"),
        (("grant", "none", "groups"), "no shared space is called 'none'"),
        (("revoke", "ops", "groups"), "ops is not granted to 'groups'"),
        (("create", "My Space"), "a space cannot be named 'My Space'"),
        (("share", "mem-00000000", "ops"), "no entry or fact has the id"),
        (("unshare", "mem-00000000", "ops"), "no entry or fact has the id"),
        (("log", "none"), "no shared space is called 'none'"),
    ],
)
def test_a_mistake_is_named(run: Run, copy: str, line: tuple[str, ...], reason: str) -> None:
    done = run("spaces", *line)

    assert done.exit_code == 1
    assert reason in done.stderr


def test_only_the_owner_manages_spaces_on_the_command_line(run: Run, copy: str) -> None:
    done = run("--session", "agent:main:telegram:direct:77", "spaces", "list")

    assert done.exit_code == 1
    assert "works only in the main session" in done.stderr


def test_a_proposal_that_conflicts_is_not_accepted_and_the_exit_status_says_so(
    run: Run, copy: str
) -> None:
    run("spaces", "grant", "ops", "agent:research", "propose")
    read = ("--space", "ops", "-c", "fact", "--supersedes", copy, "--expected-version", "1")
    run("--session", SCOUT, "shared-store", *read, "The gateway restarts on Mondays.")
    (waiting,) = json.loads(run("proposals", "--json").stdout)["waiting"]
    run("shared-store", *read, "The gateway restarts on Fridays.")

    done = run("proposals", "--accept", waiting["id"])

    assert done.exit_code == 1
    assert "was changed meanwhile" in done.stdout


def test_a_log_that_is_not_shown_whole_says_so(run: Run, copy: str) -> None:
    run("spaces", "grant", "ops", "groups")

    done = run("spaces", "log", "ops", "-n", "2")

    assert len(done.stdout.splitlines()) == 2
    assert "the latest 2 of 3 uses: --limit shows more" in done.stderr
    assert "--limit" not in run("spaces", "log", "ops").stderr


def test_proposals_are_listed_and_decided(run: Run, copy: str) -> None:
    run("spaces", "grant", "ops", "agent:research", "propose")
    stored = run("--session", SCOUT, "shared-store", "--space", "ops", "-c", "fact", "It is red.")
    assert stored.stdout.startswith("proposed prop-")
    assert "1 proposal waiting" in run("spaces").stdout
    listed = run("spaces", "proposals").stdout
    assert "ops  subagent:research  fact" in listed

    accepted = run("proposals", "--accept", listed.split()[0])
    assert "in ops, by subagent:research" in accepted.stdout
    assert "no proposal is waiting" in accepted.stderr


def test_a_conflict_shows_both_texts_and_ends_with_status_1(run: Run, copy: str) -> None:
    line = ("shared-store", "--space", "ops", "-c", "fact", "--supersedes", copy)
    run(*line, "--expected-version", "1", "On Mondays.")

    done = run(*line, "--expected-version", "1", "On Tuesdays.")

    assert done.exit_code == 1
    assert "now:   On Mondays." in done.stdout
    assert "yours: On Tuesdays." in done.stdout


def test_a_handle_is_printed_alone(run: Run, copy: str) -> None:
    done = run("handle", "scout", "--spaces", "ops", "--expires-in", "30m")

    assert done.stdout.startswith("rmt_")
    assert len(done.stdout.split()) == 1
    assert "scout: ops read; memory_shared_recall; 30 minutes" in done.stderr


def test_erased_words_are_refused_and_nothing_else_is_claimed(run: Run, copy: str) -> None:
    run("spaces", "unshare", copy, "ops")
    done = run("shared-store", "--space", "ops", "-c", "fact", RESTART)
    assert done.exit_code == 1
    assert "not stored: the owner has erased this text" in done.stdout
    assert "finds it" not in done.stdout + done.stderr


def test_the_log_shows_who_did_what(run: Run, copy: str) -> None:
    run("spaces", "unshare", copy, "ops")

    lines = [line.split() for line in run("spaces", "log", "ops").stdout.splitlines()]
    assert [(who, action) for _, who, action, *_ in lines] == [
        ("owner", "create"),
        ("owner", "share"),
        ("owner", "unshare"),
    ]
    assert len(json.loads(run("spaces", "log", "ops", "--json", "-n", "2").stdout)) == 2


def test_the_owner_works_on_a_space_with_any_command(run: Run, copy: str) -> None:
    run("--session", "shared:ops", "edit", copy, "The gateway restarts on Mondays.")

    assert "Mondays" in run("--session", "shared:ops", "list").stdout
    assert copy in run("--session", "shared:ops", "export").stdout
    assert "Sundays" in run("--session", "shared:ops", "history", copy).stdout
    assert "no shared space is called 'none'" in run("--session", "shared:none", "list").stderr


def test_a_backup_brings_spaces_and_their_grants_back(
    run: Run, copy: str, tmp_path: Path, root: Path
) -> None:
    run("spaces", "grant", "ops", "groups")
    before = run("shared-recall", "gateway", "--json").stdout, run("spaces", "log", "ops").stdout
    archive, elsewhere = tmp_path / "copy.tar.gz", tmp_path / "elsewhere"

    assert json.loads(output_of(root, "backup", str(archive), "--json"))["entries"] == {
        "main": 1,
        "shared:ops": 1,
    }
    output_of(elsewhere, "restore", str(archive))

    recalled = run_command(elsewhere, "shared-recall", "gateway", "--json").stdout
    assert json.loads(recalled)["entries"] == json.loads(before[0])["entries"]
    log = run_command(elsewhere, "spaces", "log", "ops").stdout
    assert log.startswith(before[1])
    (space,) = json.loads(output_of(elsewhere, "spaces", "list", "--json"))
    assert space["grants"] == {"main": "write", "groups": "read"}


def test_what_was_unshared_stays_unshared_after_a_restore(
    run: Run, copy: str, tmp_path: Path, root: Path
) -> None:
    archive = tmp_path / "copy.tar.gz"
    output_of(root, "backup", str(archive))
    run("spaces", "unshare", copy, "ops")

    output_of(root, "restore", str(archive), "--force")

    assert json.loads(run("shared-recall", "gateway", "--json").stdout)["entries"] == []


def test_spaces_are_rebuilt_from_their_files(run: Run, copy: str, root: Path) -> None:
    for file in Layout(root).own_folder.glob("shared/ops/entries*"):
        file.unlink()

    output_of(root, "rebuild", "--from-files")

    assert f"{copy}  fact  in ops by owner" in run("shared-recall", "gateway").stdout


def test_the_doctor_looks_at_spaces(run: Run, copy: str, root: Path) -> None:
    assert run("doctor").stdout.strip() == "no problems found"
    listed = Layout(root).spaces_file
    listed.write_text('{"format": 1, "spaces": {}}', encoding="utf-8")
    assert "it is not in the list of shared spaces" in run("doctor").stdout

    listed.write_text("{", encoding="utf-8")
    done = run("doctor")
    assert done.exit_code == 1
    assert "nobody can use a shared space" in done.stdout


def test_the_status_names_the_spaces_of_the_session(run: Run, copy: str, root: Path) -> None:
    assert "shared spaces       ops (write)" in run("status").stdout
    peer = ("--session", "agent:main:telegram:direct:77", "status", "--json")
    assert "spaces" not in json.loads(run(*peer).stdout)

    run("spaces", "grant", "ops", "peers")
    assert json.loads(run(*peer).stdout)["spaces"] == {"ops": "read"}

    Layout(root).spaces_file.write_text("{", encoding="utf-8")
    assert "is not a list of spaces" in run("status").stdout
    assert "spaces" not in json.loads(run(*peer).stdout)


def test_uninstalling_says_what_remains_of_spaces(run: Run, copy: str) -> None:
    assert "the shared spaces (ops) are plain Markdown" in run("uninstall", "--yes").stdout


def test_deleting_a_space_asks_first(run: Run, copy: str, root: Path) -> None:
    refused = run("spaces", "delete", "ops", input="n\n")
    assert refused.exit_code != 0
    assert "Delete ops with 1 entry, for everybody?" in refused.stderr
    assert copy in run("shared-recall", "gateway").stdout

    done = run("spaces", "delete", "ops", input="y\n")

    assert done.stdout.startswith("deleted ops with 1 entry\n")
    assert json.loads(output_of(root, "spaces", "list", "--json")) == []
    assert "no shared space is called 'ops'" in run("spaces", "delete", "ops", "--yes").stderr
    assert RESTART in run("recall", "gateway").stdout


def test_what_was_deleted_stays_deleted_after_a_restore(
    run: Run, copy: str, tmp_path: Path, root: Path
) -> None:
    archive = tmp_path / "copy.tar.gz"
    output_of(root, "backup", str(archive))
    assert json.loads(run("spaces", "delete", "ops", "--yes", "--json").stdout)["entries"] == 1

    output_of(root, "restore", str(archive), "--force")

    assert json.loads(output_of(root, "spaces", "list", "--json")) == []
    assert not (root / "memory/shared/ops").exists()
