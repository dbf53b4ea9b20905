"""Due work is done in order, once, in every scope; a kill or a failure costs nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, StoreError
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.logs import TaskLog
from remem.ops.maintain import TASKS, Interval, MaintenanceReport, MaintenanceTask, maintain
from tests.conftest import Opener

GROUP = "agent:main:telegram:group:-100123"


class Killed(BaseException):
    """What no program can answer."""


class Diary:
    """Works that write down that they were done, and may fail."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self.failing: set[str] = set()
        self.killing: set[str] = set()

    def works(self) -> tuple[MaintenanceTask, ...]:
        return (
            self.work("learn", "daily"),
            self.work("summarise", "weekly", main_only=True),
            self.work("tidy", "always"),
        )

    def work(self, name: str, often: Interval, *, main_only: bool = False) -> MaintenanceTask:
        def run(memory: Workspace) -> str:
            if name in self.failing:
                raise StoreError("the disk is full")
            if name in self.killing:
                raise Killed
            self.done.append((str(memory.scope), name))
            return "done so"

        return MaintenanceTask(name, often, run, main_only)


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture(autouse=True)
def scopes(root: Path, opened: Opener) -> None:
    """Main and a group, both closed."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')
    for key in ("main", GROUP):
        with opened(key) as memory:
            memory.store(category="fact", content="The oven is hot.")


def run(root: Path, diary: Diary, now: str, **wish: object) -> MaintenanceReport:
    works = diary.works()
    return maintain(Layout(root), tasks=works, clock=lambda: now, **wish)  # type: ignore[arg-type]


ALL = [
    ("main", "learn"),
    ("main", "summarise"),
    ("main", "tidy"),
    ("group:kitchen", "learn"),
    ("group:kitchen", "tidy"),
]


def test_all_of_it_is_done_the_first_time_in_order(root: Path, diary: Diary) -> None:
    done = run(root, diary, "2026-11-01T03:17:00Z")

    assert diary.done == ALL
    assert [step.state for step in done.steps] == ["done"] * 5
    assert done.healthy


@pytest.mark.parametrize(
    ("later", "due"),
    [
        ("2026-11-01T09:00:00Z", ["tidy"]),
        ("2026-11-02T02:50:00Z", ["learn", "tidy"]),
        ("2026-11-08T02:50:00Z", ["learn", "summarise", "tidy"]),
        ("2026-10-01T00:00:00Z", ["learn", "summarise", "tidy"]),
    ],
)
def test_later_only_what_is_due(root: Path, diary: Diary, later: str, due: list[str]) -> None:
    """A timer rings a little early or late; a clock that has gone back stops nothing."""
    run(root, diary, "2026-11-01T03:17:00Z")
    diary.done.clear()

    done = run(root, diary, later)

    assert [work for scope, work in diary.done if scope == "main"] == due
    waiting = [step for step in done.steps if step.state == "not due"]
    assert all(task.last == "2026-11-01T03:17:00Z" for task in waiting)


def test_a_kill_is_resumed_where_it_happened(root: Path, diary: Diary) -> None:
    diary.killing = {"summarise"}
    with pytest.raises(Killed):
        run(root, diary, "2026-11-01T03:17:00Z")
    assert diary.done == ALL[:1]
    diary.killing = set()

    run(root, diary, "2026-11-01T03:18:00Z")

    assert diary.done == ALL, "nothing twice, nothing left out"


def test_a_killed_process_leaves_no_lock_and_no_half_a_log(root: Path, diary: Diary) -> None:
    program = f"""
import os, signal
from pathlib import Path
from remem.ops.maintain import maintain
from remem.ops.maintain import MaintenanceTask
from remem.files.layout import Layout
die = lambda memory: os.kill(os.getpid(), signal.SIGKILL)
works = (
    MaintenanceTask("learn", "daily", lambda memory: ""),
    MaintenanceTask("summarise", "weekly", die),
)
maintain(Layout(Path({str(root)!r})), tasks=works, clock=lambda: "2026-11-01T03:17:00Z")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL

    run(root, diary, "2026-11-01T03:18:00Z")

    assert diary.done == [step for step in ALL if step != ("main", "learn")]


def test_a_failure_is_reported_stays_due_and_does_not_stop_the_others(
    root: Path, diary: Diary
) -> None:
    diary.failing = {"learn"}
    done = run(root, diary, "2026-11-01T03:17:00Z")

    failed = [step for step in done.steps if step.state == "failed"]
    assert [(failure.scope, failure.summary) for failure in failed] == [
        ("main", "the disk is full"),
        ("group:kitchen", "the disk is full"),
    ]
    assert not done.healthy
    assert ("main", "tidy") in diary.done

    diary.failing = set()
    run(root, diary, "2026-11-01T03:18:00Z")
    assert ("main", "learn") in diary.done


def test_a_scope_that_cannot_be_opened_stops_no_other(root: Path, diary: Diary) -> None:
    (root / ".remem/main/entries.db").write_bytes(b"no database at all " * 400)

    done = run(root, diary, "2026-11-01T03:17:00Z")

    assert ("group:kitchen", "learn") in diary.done
    assert len(done.steps) == 5


def test_two_runs_do_not_meet(root: Path, diary: Diary) -> None:
    with exclusive_lock(TaskLog(Layout(root)).lock):
        done = run(root, diary, "2026-11-01T03:17:00Z")

    assert done.busy
    assert diary.done == []


def test_a_dry_run_only_says_what_is_due(root: Path, diary: Diary) -> None:
    done = run(root, diary, "2026-11-01T03:17:00Z", dry_run=True)

    assert diary.done == []
    assert {step.state for step in done.steps} == {"due"}


def test_some_or_all_can_be_wanted_due_or_not(root: Path, diary: Diary) -> None:
    run(root, diary, "2026-11-01T03:17:00Z")
    diary.done.clear()

    run(root, diary, "2026-11-01T03:18:00Z", only=("summarise",))
    assert diary.done == [("main", "summarise")]
    run(root, diary, "2026-11-01T03:19:00Z", every=True)
    assert diary.done[1:] == ALL
    with pytest.raises(InvalidInput, match="magic"):
        run(root, diary, "2026-11-01T03:20:00Z", only=("magic",))


def test_the_real_works_leave_the_workspace_as_it_should_be(root: Path) -> None:
    first = maintain(Layout(root))
    second = maintain(Layout(root))

    assert first.healthy, [step for step in first.steps if step.state == "failed"]
    assert [work.name for work in TASKS if work.interval != "always"] == [
        step.task for step in second.steps if step.scope == "main" and step.state == "not due"
    ]


def test_a_page_that_could_not_be_written_is_reported(root: Path, tmp_path: Path) -> None:
    folder = root / "brain/areas/ada"
    folder.mkdir(parents=True)
    (folder / "items.json").write_text('[{"id": "ada-001", "fact": "Ada sails."}]')
    (folder / "summary.md").symlink_to(tmp_path / "elsewhere.md")

    (step,) = [
        step for step in maintain(Layout(root), only=("synthesize",)).steps if step.state == "done"
    ]

    assert "problem: brain/areas/ada/summary.md: " in step.summary
    assert not (tmp_path / "elsewhere.md").exists()


@pytest.mark.walls
def test_what_main_holds_changes_nothing_in_a_groups_files(root: Path, opened: Opener) -> None:
    """The owner's command opens each scope by itself."""
    maintain(Layout(root))
    group = root / ".remem/groups/kitchen"
    before = {path.name: path.stat().st_mtime_ns for path in group.glob("*.toml")}
    with opened() as memory:
        memory.store(category="fact", content="A secret of main.")

    maintain(Layout(root), every=True)

    assert {path.name: path.stat().st_mtime_ns for path in group.glob("*.toml")} == before
    held = b"".join(path.read_bytes() for path in group.glob("*.log"))
    assert b"secret" not in held
    texts = [path.read_text() for path in (root / "memory/groups").rglob("*.md")]
    assert not any("secret" in text for text in texts)
