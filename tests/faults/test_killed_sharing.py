"""Sharing, unsharing, accepting and deleting that were killed at any step: after the next open of
main it was done completely or not at all, and it can be done again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from tests.tiers import first_quick

pytestmark = pytest.mark.kill

WORDS = "The zanzibarian quetzal nests behind the observatory."
SCOUT = "agent:research:subagent:1"
PROGRAM = """
import json, os, shutil, sys
from itertools import count
from pathlib import Path
from remem.app.opening import open_workspace
from remem.entries.spaces.shares import SHARES
from remem.files import atomic as files
from remem.store.sqlite import erasing
from remem.store.sqlite.writer import Writer
from tests.faults.dying import Steps, is_killed

workspace, what, id_ = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
ACTS = {
    "share": lambda memory: memory.spaces.share(id_, "ops"),
    "unshare": lambda memory: memory.spaces.unshare(id_, "ops"),
    "accept": lambda memory: memory.spaces.proposals(accept=[id_]),
    "delete": lambda memory: memory.spaces.delete("ops"),
}

def act(step, root):
    steps = Steps(step)
    memory = open_workspace(root, background=False)
    memory.status()
    steps.around(os, "unlink", "rename", "replace")
    steps.around(files, "write_temporary", "exchange", "move_exclusive", "remove")
    steps.around(Writer, "_transact")
    steps.around(erasing, "open_for_writing", "_empty_log", "close")
    ACTS[what](memory)
    memory.close()

def seen(root):
    # what main has recorded, what waits, what recall finds, and what is in the file
    with open_workspace(root, background=False) as memory:
        found = memory.spaces.recall("quetzal", include_archived=True).entries
        with memory.services.store.read() as snapshot:
            states = [share.state for share in snapshot.records(SHARES).values()]
        waiting = len(memory.spaces.proposals().waiting)
        assert memory.problems == [], memory.problems
    page = root / "memory/shared/ops/domains/facts.md"
    written = page.read_text().count("quetzal") if page.exists() else 0
    return [states, waiting, len(found), written]

before, kills, outcomes, again = seen(workspace), 0, [], []
for step in count(1):
    root = workspace.with_name(f"step-{step}")
    shutil.copytree(workspace, root)
    killed = is_killed(lambda: act(step, root))
    after = seen(root)
    if after not in outcomes:
        outcomes.append(after)
    if after == before:
        with open_workspace(root, background=False) as memory:
            ACTS[what](memory)
        if seen(root) not in again:
            again.append(seen(root))
    shutil.rmtree(root)
    if not killed:
        break
    kills += 1
print(json.dumps([before, outcomes, again, kills]))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".remem").mkdir(parents=True)
    (folder / ".remem/config.toml").write_text('embedder = "none"\n')
    with open_workspace(folder, background=False) as memory:
        memory.spaces.create("home")
        memory.spaces.create("ops")
        memory.spaces.grant("ops", "agent:research", "propose")
    return folder


def prepared(root: Path, what: str) -> str:
    """Everything that comes before; returns the id of the memory or proposal."""
    if what == "accept":
        with open_workspace(root, SCOUT, trust="agent", background=False) as scout:
            return scout.spaces.store("ops", category="fact", content=WORDS).id
    with open_workspace(root, background=False) as memory:
        id_ = memory.store(category="fact", content=WORDS).id
        if what in ("unshare", "delete"):
            memory.spaces.share(id_, "ops")
    return id_


DONE = {
    "share": [["shared"], 0, 1, 1],
    "unshare": [[], 0, 0, 0],
    "accept": [[], 0, 1, 1],
    "delete": [[], 0, 0, 0],
}
"""The state of main, proposals, entries found, and lines in the space's file."""


@pytest.mark.parametrize("what", first_quick(["unshare", "share", "accept", "delete"]))
def test_what_was_killed_is_done_completely_or_not_at_all(root: Path, what: str) -> None:
    id_ = prepared(root, what)

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), what, id_],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    before, outcomes, again, kills = json.loads(done.stdout)
    assert sorted(outcomes, key=str) == sorted([before, DONE[what]], key=str)
    assert again == [DONE[what]]
    assert kills > 2
