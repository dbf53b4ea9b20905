"""Machines that share a PostgreSQL store also share its spaces: grants, log and proposals."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest

from remem.app.opening import open_workspace
from remem.app.stores import postgres_address, space_list
from remem.app.workspace import Workspace
from remem.errors import UnknownSpace
from remem.files.layout import Layout
from remem.files.spaces import SpacesFile
from remem.ops.copying import copy_workspace
from tests.postgres import database_url

pytestmark = pytest.mark.walls

SCOUT = "agent:research:subagent:1"
RESTART = "The gateway restarts on Sundays at 04:00."
QUESTION = "when does the gateway restart?"


@pytest.fixture
def url() -> str:
    return f"{database_url()}&workspace=machines-{uuid4()}"


@pytest.fixture(autouse=True)
def store(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_STORE", url)


def opened(folder: Path, session: str = "main", trust: str = "owner") -> Workspace:
    return open_workspace(
        folder,
        session,
        trust=trust,  # type: ignore[arg-type]
        background=False,
        keywords_only=True,
        spaces_only=True,
    )


def contents(folder: Path, session: str = "main") -> list[str]:
    with opened(folder, session) as workspace:
        return [entry.content for entry in workspace.spaces.recall(QUESTION).entries]


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with one store, and a space that was created and filled on the first."""
    one, other = tmp_path / "one", tmp_path / "other"
    with opened(one) as owner:
        owner.spaces.create("ops")
        owner.spaces.share(owner.store(category="fact", content=RESTART).id, "ops")
    return one, other


def test_a_grant_on_one_machine_holds_on_the_other_and_ends_there_too(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    with opened(other, SCOUT, "agent") as scout:
        assert not scout.spaces.recall(QUESTION).entries
        with opened(one) as owner:
            owner.spaces.grant("ops", "agent:research")
        assert scout.spaces.recall(QUESTION).entries[0].content == RESTART
        with opened(one) as owner:
            owner.spaces.revoke("ops", "agent:research")
        assert not scout.spaces.recall(QUESTION).entries


def test_a_list_in_a_file_grants_nothing(machines: tuple[Path, Path]) -> None:
    other = machines[1]
    opened(other).close()
    granted = {"created_at": "2026-11-18T00:00:00Z", "grants": {"agent:research": "write"}}
    Layout(other).spaces_file.write_text(json.dumps({"format": 1, "spaces": {"ops": granted}}))

    assert contents(other, SCOUT) == []


def test_a_proposal_from_one_machine_is_accepted_on_the_other_and_both_are_logged(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    with opened(one) as owner:
        owner.spaces.grant("ops", "agent:research", "propose")
    with opened(other, SCOUT, "agent") as scout:
        proposed = scout.spaces.store("ops", category="fact", content="The gateway is red.")
    with opened(one) as owner:
        (receipt,) = owner.spaces.proposals(accept=[proposed.id]).accepted
        log = [(use.who, use.action) for use in owner.spaces.log("ops")]

    assert receipt.author == "subagent:research"
    assert log[-2:] == [("subagent:research", "propose"), ("owner", "accept")]
    with opened(other) as owner:
        assert [(use.who, use.action) for use in owner.spaces.log("ops")] == log


def test_of_two_machines_that_replace_one_entry_the_second_gets_both_texts(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    with opened(one) as owner, opened(other) as second:
        (entry,) = owner.spaces.recall(QUESTION).entries
        more = {"category": "fact", "supersedes": [entry.id], "expected_version": 1}
        assert owner.spaces.store("ops", content="It restarts on Mondays.", **more).stored
        conflict = second.spaces.store("ops", content="It restarts on Fridays.", **more).conflict

    assert conflict is not None
    assert (conflict.current, conflict.yours) == (
        "It restarts on Mondays.",
        "It restarts on Fridays.",
    )


def test_a_space_deleted_on_one_machine_leaves_the_files_of_the_other(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    assert contents(other) == [RESTART]
    page = other / "memory/shared/ops/domains/facts.md"
    assert RESTART in page.read_text()
    with opened(one) as owner:
        owner.spaces.delete("ops")

    with opened(other) as second:
        assert second.problems == [second.keyword_only]
        with pytest.raises(UnknownSpace):
            second.spaces.log("ops")
    assert not page.exists()


def test_old_files_on_another_machine_do_not_come_back_into_a_new_space_of_that_name(
    machines: tuple[Path, Path],
) -> None:
    one, other = machines
    assert contents(other) == [RESTART]
    with opened(one) as owner:
        owner.spaces.delete("ops")
        owner.spaces.create("ops")
        owner.spaces.store("ops", category="fact", content="The gateway is green.")

    assert contents(other) == ["The gateway is green."]
    page = (other / "memory/shared/ops/domains/facts.md").read_text()
    assert "The gateway is green." in page
    assert RESTART not in page
    with opened(other) as second:  # and what is written by hand on it now is kept
        second.sync()
    path = other / "memory/shared/ops/domains/facts.md"
    path.write_text(path.read_text() + "- The gateway hums.\n")
    assert set(contents(one)) == {"The gateway is green."}
    assert set(contents(other)) == {"The gateway is green.", "The gateway hums."}


def test_a_copy_takes_spaces_with_grants_log_and_tombstones_in_both_directions(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REMEM_STORE")
    layout = Layout(tmp_path)
    with opened(tmp_path) as owner:
        for name in ("ops", "gone"):
            owner.spaces.create(name)
        owner.spaces.share(owner.store(category="fact", content=RESTART).id, "ops")
        owner.spaces.grant("ops", "agent:research", "propose")
        owner.spaces.delete("gone")
        log = owner.spaces.log("ops")
    listed = SpacesFile(layout).read()

    copy_workspace(layout, url)
    monkeypatch.setenv("REMEM_STORE", url)
    assert space_list(layout, postgres_address(layout)).read() == listed
    assert contents(tmp_path, SCOUT) == [RESTART]
    with opened(tmp_path) as owner:
        assert owner.spaces.log("ops")[: len(log)] == log
        owner.spaces.grant("ops", "groups")

    report = copy_workspace(layout, "sqlite")
    monkeypatch.delenv("REMEM_STORE")
    assert report.aside[-1].startswith(".remem/before-copy")
    assert list(SpacesFile(layout).read().listed["ops"].grants) == [
        "main",
        "agent:research",
        "groups",
    ]
    assert contents(tmp_path, SCOUT) == [RESTART]
