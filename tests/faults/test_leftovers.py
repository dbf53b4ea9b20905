"""A killed write leaves a temporary file. The next open clears it, wherever it lies; it takes
nothing that a live process is writing, and nothing that a person may have saved."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.files.disk import make_folder
from remem.files.edit_journal import EditJournal, FileChange
from remem.files.layout import Layout
from remem.model.scope import MAIN
from tests.conftest import Opener
from tests.learn.synthesize.knowledge import ANNA, FACTS, write_facts

pytestmark = pytest.mark.kill

HEX = "0123456789abcdef"
GROUP = "agent:main:telegram:group:-100123"

DYING = """
import os, shutil, sys
from itertools import count
from pathlib import Path
from remem.app.opening import open_workspace
from remem.files import atomic as files
from tests.faults.dying import Steps, is_killed

RULE = {"category": "instruction", "priority": "critical", "trust": "owner"}

def store_twice(step, root):
    steps = Steps(step)
    steps.around(os, "fsync")
    steps.around(files, "write_temporary", "exchange", "move_exclusive", "sync_folder")
    with open_workspace(root, background=False) as memory:
        memory.store(content="Never shout.", **RULE)
        memory.store(content="Never whisper.", **RULE)

def temporary_files(root):
    return sorted(path.name for path in root.rglob("*") if "remem-new" in path.name)

seen, empty = set(), Path(sys.argv[1])
for step in count(1):
    root = empty.with_name(str(step))
    shutil.copytree(empty, root)
    if not is_killed(lambda: store_twice(step, root)):
        break
    seen |= {name.partition(".md.")[0] for name in temporary_files(root)}
    with open_workspace(root, background=False) as memory:
        kept = {entry.content for entry in memory.recall(categories=["instruction"]).entries}
        index = memory.index().text
    assert temporary_files(root) == [], step
    assert list((root / ".remem/main").glob("conflicts/*")) == [], step
    assert all(content in index for content in kept), step
    shutil.rmtree(root)
print(*sorted(seen))
"""


def temporary_files(root: Path) -> list[str]:
    return sorted(
        path.relative_to(root).as_posix() for path in root.rglob("*") if "remem-new" in path.name
    )


def plain_workspace(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')


@pytest.mark.slow
def test_a_store_killed_at_any_step_leaves_nothing_beyond_the_next_open(tmp_path: Path) -> None:
    plain_workspace(tmp_path / "empty")

    done = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path / "empty")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert {".INDEX", ".instructions"} <= set(done.stdout.split()), "no kill met these writes"


PLACES = [
    "memory/.INDEX.md",
    "memory/.2026-11-15.md",
    "memory/.flush-state.json",
    "memory/.group_names.json",
    "memory/domains/.facts.md",
    "memory/main/.attention.md",
    "memory/main/projects/.atlas.md",
    "brain/areas/mara/.items.json",
    "brain/areas/mara/.summary.md",
    ".AGENTS.md",
    ".remem/.config.toml",
    ".remem/main/.scope",
    ".remem/main/audit/.0001.json",
    ".remem/conversations/.abc.json",
    ".remem/tokens/.abc",
]


@pytest.mark.parametrize("place", PLACES)
def test_what_a_kill_left_is_cleared_in_every_place_that_remem_writes_to(
    root: Path, opened: Opener, place: str
) -> None:
    plain_workspace(root)
    stray = root / f"{place}.{HEX}.remem-new"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"")

    opened().sync()

    assert not stray.exists()


def test_a_group_clears_its_own_places_and_no_others(root: Path, opened: Opener) -> None:
    plain_workspace(root)
    own = [
        root / f"memory/groups/.kitchen.md.{HEX}.remem-new",
        root / f"memory/groups/kitchen/.attention.md.{HEX}.remem-new",
        root / f"memory/groups/kitchen/conventions/.tone.md.{HEX}.remem-new",
    ]
    others = [
        root / f"memory/.INDEX.md.{HEX}.remem-new",
        root / f"memory/groups/.cellar.md.{HEX}.remem-new",
        root / f"memory/groups/cellar/.attention.md.{HEX}.remem-new",
    ]
    for path in (*own, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    opened(GROUP).sync()

    assert [path.exists() for path in own] == [False] * 3
    assert [path.exists() for path in others] == [True] * 3


def test_what_may_be_a_persons_save_is_kept_where_they_find_it(root: Path, opened: Opener) -> None:
    plain_workspace(root)
    (root / "MEMORY.md").write_text("# Now\n")
    stray = root / f".MEMORY.md.{HEX}.remem-new"
    stray.write_text("# What a person saved in that very moment\n")

    opened().sync()

    assert not stray.exists()
    (kept,) = (root / ".remem/main/conflicts").glob("MEMORY.md*")
    assert "What a person saved" in kept.read_text()


def test_lines_of_a_person_in_an_interrupted_summary_are_kept(root: Path, opened: Opener) -> None:
    write_facts(root, FACTS)
    opened().maintenance.synthesize()
    page = root / ANNA / "summary.md"
    stray = page.with_name(f".summary.md.{HEX}.remem-new")
    stray.write_text(f"{page.read_text()}\nMine.\n")

    opened().sync()

    assert not stray.exists()
    (kept,) = (root / ".remem/main/conflicts").glob("summary.md*")
    assert "Mine." in kept.read_text()


def test_bytes_that_a_journal_keeps_for_undo_are_removed(root: Path, opened: Opener) -> None:
    plain_workspace(root)
    (root / "MEMORY.md").write_bytes(b"# Before\n")
    change = FileChange("MEMORY.md", "a change", b"# Before\n", b"# After\n")
    EditJournal(Layout(root), MAIN).apply(change)
    stray = root / f".MEMORY.md.{HEX}.remem-new"
    stray.write_bytes(b"# Before\n")

    opened().sync()

    assert not stray.exists()
    assert not list((root / ".remem/main/conflicts").glob("MEMORY.md*"))


@pytest.mark.parametrize(
    "name", [f".notes.{HEX}.remem-newer", ".notes.remem-new", f"notes.{HEX}.remem-new", ".x.remem"]
)
def test_a_name_that_remem_does_not_give_is_left_alone(
    root: Path, opened: Opener, name: str
) -> None:
    plain_workspace(root)
    (root / "memory" / name).write_text("somebody's")

    opened().sync()

    assert (root / "memory" / name).read_text() == "somebody's"


WRITING = """
import sys, time
from pathlib import Path
from remem.files import atomic as files

def slowly(fresh, path):
    print("writing", flush=True)
    sys.stdin.readline()
    moved(fresh, path)

moved, files.move_exclusive = files.move_exclusive, slowly
print(files.create(Path(sys.argv[1]), b"the whole text"), flush=True)
"""


def test_what_a_live_process_is_writing_is_left_to_it(root: Path, opened: Opener) -> None:
    plain_workspace(root)
    note = root / "memory/2026-11-15.md"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(note)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout
    assert writer.stdout.readline() == "writing\n"

    opened().sync()
    assert len(temporary_files(root)) == 1
    said, _ = writer.communicate("\n")

    assert said == "True\n"
    assert note.read_bytes() == b"the whole text"
    assert temporary_files(root) == []


def test_a_writer_that_died_in_the_middle_is_cleared_after(root: Path, opened: Opener) -> None:
    plain_workspace(root)
    note = root / "memory/2026-11-15.md"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(note)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout
    assert writer.stdout.readline() == "writing\n"
    writer.kill()
    writer.communicate()
    assert len(temporary_files(root)) == 1

    opened().sync()

    assert temporary_files(root) == []
    (kept,) = (root / ".remem/main/conflicts").glob("2026-11-15.md*")
    assert kept.read_bytes() == b"the whole text"


def test_an_unreadable_leftover_does_not_stop_the_opening_or_the_other_files(
    root: Path, opened: Opener
) -> None:
    plain_workspace(root)
    (root / "memory" / f".b.md.{HEX}.remem-new").symlink_to("nowhere")
    other = root / "memory" / f".c.md.{HEX}.remem-new"
    other.write_bytes(b"")

    memory = opened()
    memory.sync()

    assert not other.exists()
    assert any(".b.md" in line for line in memory.problems)


def test_doctor_names_what_is_left(root: Path) -> None:
    plain_workspace(root)
    with open_workspace(root, background=False) as memory:
        memory.sync()
    make_folder(root / "memory/main")
    (root / f"memory/main/.attention.md.{HEX}.remem-new").write_bytes(b"")

    done = subprocess.run(
        [sys.executable, "-m", "remem", "--workspace", str(root), "doctor", "--json"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )

    found = [load["what"] for load in json.loads(done.stdout)["findings"]]
    assert any("temporary file" in what for what in found), done.stdout
