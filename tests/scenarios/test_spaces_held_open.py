"""Sessions that have a space open while the owner deletes it, creates it again or takes it back."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener
from tests.postgres import database_url

pytestmark = pytest.mark.walls

SCOUT = "agent:research:subagent:1"
OLD = "The gateway restarts on Sundays at 04:00."
NEW = "The gateway hums on Mondays."


@pytest.fixture(params=["sqlite", "postgres"], autouse=True)
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "postgres":
        monkeypatch.setenv("REMEM_STORE", f"{database_url()}&workspace=held-{uuid4()}")
    return str(request.param)


def contents(workspace: Workspace) -> list[str]:
    return [entry.content for entry in workspace.spaces.recall("gateway").entries]


def test_a_session_that_stays_open_sees_the_new_space_and_nothing_of_the_old(
    opened: Opener, root: Path
) -> None:
    owner = opened()
    scout = opened(SCOUT, trust="agent", spaces_only=True)

    def create() -> None:
        owner.spaces.create("ops")
        owner.spaces.grant("ops", "agent:research", "write")

    create()
    scout.spaces.store("ops", category="fact", content=OLD)
    assert contents(scout) == contents(owner) == [OLD]

    owner.spaces.delete("ops")
    assert contents(scout) == contents(owner) == []
    create()
    assert contents(scout) == contents(owner) == []
    assert scout.spaces.store("ops", category="fact", content=NEW).stored
    assert contents(scout) == contents(owner) == [NEW]
    assert NEW in (root / "memory/shared/ops/domains/facts.md").read_text()
    for workspace in (scout, owner):  # closing rescues nothing either
        workspace.close()
    files = [path for path in root.rglob("*") if path.is_file()]
    assert not [path for path in files if OLD.encode() in path.read_bytes()]
