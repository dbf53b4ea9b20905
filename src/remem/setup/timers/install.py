"""Installing and removing the timer of a workspace.

The change is shown first; then the files are written and the service manager is called. If that
fails, the files stay and the result names the commands that the owner has to run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import ConfigError
from remem.files.host_folders import HostFolders
from remem.files.journal import PlanJournal
from remem.files.layout import Layout
from remem.files.scopes import SCHEDULE, host_records
from remem.model.scope import MAIN
from remem.setup.hosts.connect import Written, connect, difference, disconnect
from remem.setup.hosts.recipes import Command
from remem.setup.timers.recipes import (
    Crontab,
    Kind,
    Recipe,
    cron_lines,
    find_crontab,
    launchd,
    systemd,
    with_lines,
)

Approve = Callable[[str], bool]
_TIMEOUT_SECONDS: Final = 60.0
_CRONTAB: Final = Path("crontab")
_PROGRAMS: Final[tuple[tuple[str, Kind], ...]] = (("systemctl", "systemd"), ("crontab", "cron"))
_PROBE: Final = ("--user", "show-environment")
"""A harmless command that succeeds only if the user has a running systemd."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The files of a timer; `undone` are commands that the owner still has to run."""

    files: tuple[Written, ...]
    undone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimerJob:
    """A timer of one kind for one workspace."""

    layout: Layout
    kind: Kind
    command: Command
    folders: HostFolders

    def recipe(self) -> Recipe:
        make = launchd if self.kind == "launchd" else systemd
        return make(self.command, self.folders)

    def crontab(self) -> Crontab:
        return find_crontab(_cron_record(self.layout), self.folders.programs)


def default_kind(folders: HostFolders, platform: str = sys.platform) -> Kind:
    """The kind of timer for this machine.

    Cron is preferred over a systemd that does not run for this user, as in a container.
    """
    if platform == "darwin":
        return "launchd"
    found = {
        kind: path
        for program, kind in _PROGRAMS
        if (path := shutil.which(program, path=folders.programs or None))
    }
    if "cron" in found and "systemd" in found and _failure([found["systemd"], *_PROBE]):
        return "cron"
    if found:
        return next(iter(found))
    raise ConfigError(
        "neither systemd nor cron was found on this machine",
        hint="run `remem maintain` once a day by other means",
    )


def installed(layout: Layout) -> list[Kind]:
    """The kinds of timer that are recorded for this workspace."""
    plans = PlanJournal(host_records(layout) / SCHEDULE).plans([])
    found: list[Kind] = []
    if any(plan.path.endswith(".timer") for plan in plans):
        found.append("systemd")
    if any(plan.path.endswith(".plist") for plan in plans):
        found.append("launchd")
    if _cron_record(layout).exists():
        found.append("cron")
    return found


def _cron_record(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "crontab.json"


def install(job: TimerJob, approve: Approve) -> Scheduled | None:
    """Install the timer if `approve` agrees to the diff; None if it does not."""
    if job.kind == "cron":
        return _install_cron(job, approve)
    recipe = job.recipe()
    done = connect(job.layout, SCHEDULE, recipe.targets, approve)
    if done is None:
        return None
    return Scheduled(tuple(done), _run_all(recipe.begin, job.folders))


def uninstall(job: TimerJob, approve: Approve) -> Scheduled | None:
    """Stop the timer, then remove its files; None if `approve` does not agree."""
    if job.kind == "cron":
        return _uninstall_cron(job, approve)
    recipe, undone = job.recipe(), list[str]()

    def agreed(diff: str) -> bool:
        if not approve(diff):
            return False
        undone.extend(_run_all(recipe.end, job.folders))
        return True

    done = disconnect(job.layout, SCHEDULE, recipe.targets, agreed)
    if done is None:
        return None
    if done:
        undone.extend(_run_all(recipe.forget, job.folders))
    return Scheduled(tuple(done), tuple(undone))


def _install_cron(job: TimerJob, approve: Approve) -> Scheduled | None:
    crontab, lines = job.crontab(), cron_lines(job.command)
    before = crontab.read()
    after = with_lines(before, lines)
    if after != before:
        if not approve(difference(_CRONTAB, before, after)):
            return None
        crontab.install(lines, before)
    return Scheduled((Written(_CRONTAB, after != before),))


def _uninstall_cron(job: TimerJob, approve: Approve) -> Scheduled | None:
    crontab, lines = job.crontab(), cron_lines(job.command)
    before = crontab.read()
    after, _ = crontab.without(lines, before)
    if after == before:
        return Scheduled(())
    if not approve(difference(_CRONTAB, before, after)):
        return None
    exact = crontab.uninstall(lines, before)
    return Scheduled((Written(_CRONTAB, True, exact),))


def _run_all(commands: Sequence[Sequence[str]], folders: HostFolders) -> tuple[str, ...]:
    """Run the commands; return those that failed, each with the reason."""
    failed = []
    for line in commands:
        program = shutil.which(line[0], path=folders.programs or None)
        reason = "not found" if program is None else _failure([program, *line[1:]])
        if reason:
            failed.append(f"{' '.join(line)}  ({reason})")
    return tuple(failed)


def _failure(line: Sequence[str]) -> str:
    try:
        completed = subprocess.run(  # noqa: S603 - the system's own program, without a shell
            line, capture_output=True, check=False, timeout=_TIMEOUT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not completed.returncode:
        return ""
    errors = completed.stderr.decode(errors="replace").strip().splitlines()
    return errors[-1] if errors else f"exit status {completed.returncode}"
