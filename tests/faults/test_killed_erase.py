"""An erasure that was killed at any step is finished by the next open of its scope: no byte of
the words is left in the folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import apsw
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from remem.app.opening import open_workspace
from remem.files.locks import exclusive_lock
from tests.entries.traces import traces

pytestmark = pytest.mark.kill

GROUP = "agent:main:telegram:group:-100123"
FIRST = "The zanzibarian quetzal nests in Yucatan."
LATER = "The zanzibarian quetzal nests behind the observatory."
PROGRAM = """
import os, shutil, sys
from itertools import count
from pathlib import Path
from remem.app.opening import open_workspace
from remem.files import atomic as files
from remem.store.sqlite import erasing
from remem.store.sqlite.writer import Writer
from tests.faults.dying import Steps, is_killed
from tests.entries.traces import STEMS

workspace, session, id_ = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def erase(step, root):
    steps = Steps(step)
    memory = open_workspace(root, session, background=False)
    steps.around(os, "unlink", "rename", "replace")
    steps.around(files, "write_temporary", "exchange", "move_exclusive", "remove")
    steps.around(Writer, "_transact")
    steps.around(erasing, "open_for_writing", "_empty_log", "close")
    memory.erase(id_)
    memory.close()

def traces(root):
    return [
        f"{path.relative_to(root)} {stem}"
        for path in root.rglob("*")
        if path.is_file()
        for stem in STEMS
        if stem.encode() in path.read_bytes().lower()
    ]

finished = 0
for step in count(1):
    root = workspace.with_name(f"step-{step}")
    shutil.copytree(workspace, root)
    if not is_killed(lambda: erase(step, root)):
        break
    left = traces(root)
    with open_workspace(root, session, background=False) as memory:
        not_begun = any(id_ in line for line in memory.export())
        not_begun = not_begun or (session == "main" and memory.services.erasure.texts_to_erase(id_))
        assert memory.problems == [], (step, memory.problems)
    assert not_begun or traces(root) == [], (step, traces(root))
    finished += bool(left and not not_begun)
    shutil.rmtree(root)
print(finished)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".remem").mkdir(parents=True)
    (folder / ".remem/config.toml").write_text('embedder = "none"\n')
    (folder / "memory").mkdir()
    (folder / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')
    return folder


def with_an_entry(root: Path, session: str) -> str:
    """An entry that has left traces in its history, in files and in copies of files."""
    with open_workspace(root, session, background=False) as memory:
        memory.store(category="fact", content="Parcel seven waits.")
        id_ = memory.store(category="fact", content=FIRST, priority="critical").id
        layout = memory.services.context.layout
        facts = layout.domains(memory.scope) / "facts.md"
        facts.write_text(facts.read_text().replace(FIRST, LATER))
    with open_workspace(root, session, background=False) as memory:
        assert len(memory.history(id_)) == 2
    conflicts = layout.conflicts(memory.scope)
    conflicts.mkdir(exist_ok=True)
    (conflicts / "facts.md.0123").write_text(facts.read_text())
    (conflicts / "INDEX.md.0123").write_text(f"# Index\n- {LATER}\n- mine\n")
    return id_


def with_a_fact(root: Path) -> str:
    with open_workspace(root, background=False) as memory:
        memory.facts.record("Mara", "Mara plays the cello.")
        memory.facts.record("Mara", "Mara keeps a quetzal behind the observatory.")
        memory.maintenance.synthesize()
        memory.services.layers.record_facts()
        memory.search("quetzal")
    return "mara-002"


def finished(root: Path, session: str, id_: str) -> int:
    """How many of the kills left words behind that the next open removed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), session, id_],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("session", ["main", GROUP])
def test_the_next_open_finishes_an_erasure_that_was_killed_at_any_step(
    root: Path, session: str
) -> None:
    assert finished(root, session, with_an_entry(root, session)) > 5


@pytest.mark.slow
def test_the_next_open_finishes_the_erasure_of_a_fact(root: Path) -> None:
    assert finished(root, "main", with_a_fact(root)) > 5


def cut_short(root: Path, id_: str) -> None:
    """Kill an erasure right after its first transaction: the words are still everywhere."""
    program = [sys.executable, "-m", "tests.faults.command_program"]
    for step in range(1, 40):
        command = [*program, str(step), "--workspace", str(root), "erase", "--yes", id_]
        subprocess.run(command, capture_output=True, check=False)
        if id_ in erased(root):
            assert "entries.db" in traces(root)
            return
    pytest.fail("no kill came after the first transaction")


def erased(root: Path) -> set[str]:
    """The erased ids, read without opening the workspace."""
    raw = apsw.Connection(str(root / ".remem/main/entries.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {id_ for (id_,) in raw.execute("SELECT id FROM erased")}
    finally:
        raw.close()


def test_a_server_that_starts_after_the_kill_finishes_it(root: Path) -> None:
    id_ = with_an_entry(root, "main")
    cut_short(root, id_)
    arguments = ["-m", "remem", "--workspace", str(root), "serve"]
    server = StdioServerParameters(command=sys.executable, args=arguments)

    async def story() -> None:
        async with Client(stdio_client(server)) as client:
            status = await client.call_tool("memory_index_status", {})
            assert not status.is_error

    anyio.run(story)

    assert traces(root) == ""


def test_a_live_erasure_is_left_to_its_process(root: Path) -> None:
    id_ = with_an_entry(root, "main")
    cut_short(root, id_)

    with exclusive_lock(root / ".remem/main/erase.lock"):
        with open_workspace(root, background=False) as memory:
            memory.sync()
        assert traces(root) != ""

    with open_workspace(root, background=False) as memory:
        memory.sync()
    assert traces(root) == ""
