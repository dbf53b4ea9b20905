"""A workspace in a bad place: read-only, full, missing or no folder at all. Reading goes on
where it can, nothing is half-written, and the error names its true cause."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import ConfigError, DiskFull, FileError
from tests.conftest import Opener
from tests.quick import borrowed_folder

pytestmark = pytest.mark.disk

AS_NOBODY = """
import json, os, sys
from remem.app.opening import open_workspace
from remem.errors import RememError

def quiet(root):
    return open_workspace(root, background=False, environment={"REMEM_MODELS": "/none"})

with quiet(sys.argv[2]) as warm:  # all modules are loaded while they can be read
    warm.store(category="fact", content="warm")
    warm.recall("warm"), warm.status(), list(warm.export()), warm.index()
    warm.maintenance.rebuild()
import heapq  # Counter imports it when it needs it
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
told = {}
def tell(name, act):
    try:
        told[name] = act()
    except RememError as error:
        told[name] = f"{type(error).__name__}: {error}"

def open_it():
    global memory
    memory = quiet(sys.argv[1])
    return "open"

tell("open", open_it)
if told["open"] == "open":
    with memory:
        tell("recall", lambda: [e.content for e in memory.recall("where is the gateway").entries])
        tell("notes", lambda: list(memory.recall("gateway").notes))
        tell("index", lambda: memory.index().text)
        tell("status", lambda: list(memory.status().health.degraded))
        tell("export", lambda: len(list(memory.export())))
        tell("store", lambda: memory.store(category="fact", content="New.").id)
        tell("rebuild", lambda: memory.maintenance.rebuild().entries)
print(json.dumps(told))
"""


def as_nobody(root: Path) -> dict[str, object]:
    with borrowed_folder() as warm:
        command = [sys.executable, "-c", AS_NOBODY, str(root), str(warm)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users of the machine can reach."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def open_to_all(root: Path, *, writable: bool = False) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod((0o777 if path.is_dir() else 0o666) if writable else 0o555)


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def quiet(root: Path) -> Workspace:
    return open_workspace(root, background=False, environment={"REMEM_MODELS": "/none"})


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@needs_root
def test_a_read_only_workspace_answers_and_says_that_it_is_read_only(public: Path) -> None:
    root = public / "workspace"
    with quiet(root) as memory:
        memory.store(category="fact", content="The gateway runs on atlas.")
    open_to_all(root)
    before = snapshot(root)

    told = as_nobody(root)

    assert told["recall"] == ["The gateway runs on atlas."]
    assert any("read-only" in str(note) for note in told["notes"])  # type: ignore[attr-defined]
    assert "Memory Index" in str(told["index"])
    assert "read-only" in str(told["status"])
    assert told["export"] == 1
    assert str(told["store"]).startswith("StoreReadOnly")
    assert str(told["rebuild"]).startswith("StoreReadOnly")
    assert snapshot(root) == before


@needs_root
def test_read_only_state_in_a_folder_that_can_be_written_is_read_all_the_same(public: Path) -> None:
    root = public / "workspace"
    with quiet(root) as memory:
        memory.store(category="fact", content="The gateway runs on atlas.")
    open_to_all(root)
    for path in (root, root / "memory"):
        path.chmod(0o777)

    told = as_nobody(root)

    assert told["recall"] == ["The gateway runs on atlas."]
    assert str(told["store"]).startswith("StoreReadOnly")


@needs_root
def test_a_workspace_that_may_not_be_looked_into_is_refused_by_name(public: Path) -> None:
    root = public / "workspace"
    with quiet(root) as memory:
        memory.store(category="fact", content="The gateway runs on atlas.")

    told = as_nobody(root)

    assert "RememError" not in str(told["open"])
    assert str(root) in str(told["open"])
    assert "atlas" not in str(told)


@needs_root
def test_a_folder_in_which_nothing_may_be_made_is_no_place_for_a_workspace(public: Path) -> None:
    told = as_nobody(public / "workspace")

    assert str(told["open"]).startswith("StoreReadOnly")
    assert list(public.iterdir()) == []


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine", encoding="utf-8")

    with pytest.raises(ConfigError, match="not a folder"):
        open_workspace(file)
    with pytest.raises(FileError, match="Not a directory"):
        open_workspace(file / "workspace")

    assert file.read_text(encoding="utf-8") == "mine"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    with quiet(tmp_path / "not/yet/there") as memory:
        memory.store(category="fact", content="One.")

    assert (tmp_path / "not/yet/there/memory/domains/facts.md").exists()


def test_folders_that_are_files_stop_no_memory(opened: Opener, root: Path) -> None:
    """A person may put anything into his folders; the record does not depend on it."""
    opened().sync()
    shutil.rmtree(root / "memory/domains")
    (root / "memory/domains").write_text("a file, of all things", encoding="utf-8")
    memory = opened()

    memory.store(category="fact", content="The gateway runs on atlas.")

    assert [entry.content for entry in memory.recall("gateway").entries]
    assert any("domains" in reason for reason in memory.problems)
    assert (root / "memory/domains").read_text(encoding="utf-8") == "a file, of all things"


@pytest.mark.parametrize("what", ["folder", "link", "pipe"])
def test_a_domain_file_that_is_none_stops_nothing_but_itself(
    opened: Opener, root: Path, tmp_path: Path, what: str
) -> None:
    memory = opened()
    memory.store(category="fact", content="The gateway runs on atlas.")
    facts, secret = root / "memory/domains/facts.md", tmp_path / "secret.md"
    secret.write_text("- not a memory\n", encoding="utf-8")
    facts.unlink()
    {"folder": facts.mkdir, "pipe": lambda: os.mkfifo(facts)}.get(
        what, lambda: facts.symlink_to(secret)
    )()

    memory.store(category="person", content="Mara keeps the books.")
    memory.store(category="fact", content="It was moved in May.")

    assert len(memory.recall("gateway books moved memory").entries) == 3
    assert "Mara" in (root / "memory/domains/people.md").read_text(encoding="utf-8")
    assert any("facts.md" in reason for reason in memory.problems)
    assert secret.read_text(encoding="utf-8") == "- not a memory\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can be mounted only by root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_loses_nothing_and_half_writes_nothing(small_disk: Path) -> None:
    root = small_disk / "workspace"
    acknowledged: dict[str, str] = {}
    with quiet(root) as memory:
        with pytest.raises(DiskFull, match="disk is full"):
            store_until_refused(memory, acknowledged)
        assert held(memory) == acknowledged
        assert memory.recall("parcel 3").entries
    assert len(acknowledged) > 10
    for path in (root / "memory").rglob("*.md"):
        assert path.read_bytes().endswith(b"\n")
    with quiet(root) as memory:
        assert held(memory) == acknowledged
        assert memory.recall("parcel 3").entries

    make_room(small_disk)
    with quiet(root) as memory:
        new = memory.store(category="fact", content="There is room again.")
        assert held(memory) == {**acknowledged, new.id: "There is room again."}
        memory.sync()
        files = "".join(p.read_text(encoding="utf-8") for p in root.glob("memory/domains/*.md"))
        assert all(f"^{id_}\n" in files for id_ in held(memory))
        memory.recall("parcel")
        assert memory.problems == [f"keyword only: {memory.services.resources.models.unavailable}"]


def store_until_refused(memory: Workspace, acknowledged: dict[str, str]) -> None:
    for i in range(10_000):
        text = f"Parcel {i} for harbour {i}: " + "stowed below. " * 40
        acknowledged[memory.store(category="fact", content=text).id] = text


def held(memory: Workspace) -> dict[str, str]:
    entries = (json.loads(line)["entry"] for line in memory.export())
    return {entry["id"]: entry["content"] for entry in entries}


def make_room(disk: Path) -> None:
    command = ["mount", "-o", "remount,size=64m", str(disk)]
    subprocess.run(command, capture_output=True, check=True)


LIMITED = """
import resource, sys
from remem.app.opening import open_workspace
from remem.errors import RememError

root, limit = sys.argv[1], int(sys.argv[2])
with open_workspace(root, background=False, environment={"REMEM_MODELS": "/none"}) as memory:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for i in range(200):
        try:
            receipt = memory.store(category="fact", content=f"Parcel {i}: " + "stowed below. " * 40)
        except RememError as error:
            print("refused", type(error).__name__, flush=True)
            break
        print("kept", receipt.id, flush=True)
    print("found", len(memory.recall("parcel 0").entries) > 0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


@pytest.mark.parametrize("limit", [4_096, 70_000, 150_001, 300_000])
def test_a_write_that_is_cut_short_is_not_acknowledged(root: Path, limit: int) -> None:
    """No file may grow beyond the limit: short writes at many places."""
    quiet(root).close()
    command = [sys.executable, "-c", LIMITED, str(root), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kept = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("kept")]
    refused = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("refused")]

    assert refused
    with quiet(root) as memory:
        assert list(held(memory)) == kept
        memory.store(category="fact", content="There is room again.")
        assert [reason for reason in memory.problems if "keyword only" not in reason] == []
