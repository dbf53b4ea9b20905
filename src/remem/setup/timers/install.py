"""How is a timer set, and taken back? Shown first; then its files, then the program that minds
them is told. Where that one fails, the files stand, and the command that is missing is named."""

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
from remem.files.journal import Journal
from remem.files.layout import Layout
from remem.files.scopes import SCHEDULE, record_folder
from remem.model.scope import MAIN
from remem.setup.hosts.connect import Written, connect, difference, disconnect
from remem.setup.hosts.recipes import Command
from remem.setup.timers.recipes import (
    Crontab,
    Kind,
    Recipe,
    added,
    cron_lines,
    crontab_at,
    launchd,
    systemd,
)

Approve = Callable[[str], bool]
_PATIENCE: Final = 60.0
_TABLE: Final = Path("crontab")
_KEEPERS: Final[tuple[tuple[str, Kind], ...]] = (("systemctl", "systemd"), ("crontab", "cron"))
_ASKED: Final = ("--user", "show-environment")
"""A question that a person's own systemd answers, and that changes nothing."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What became of the files; `undone` are commands that the owner has to run himself."""

    files: tuple[Written, ...]
    undone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scheduling:
    """Which timer, for which workspace."""

    layout: Layout
    kind: Kind
    command: Command
    folders: HostFolders

    def recipe(self) -> Recipe:
        made = launchd if self.kind == "launchd" else systemd
        return made(self.command, self.folders)

    def crontab(self) -> Crontab:
        return crontab_at(_cron_record(self.layout), self.folders.programs)


def usual_kind(folders: HostFolders, platform: str = sys.platform) -> Kind:
    """What keeps the time on this machine. A systemd that minds nothing for this person, as in a
    container or a bare login, is passed over where there is cron."""
    if platform == "darwin":
        return "launchd"
    found = {
        kind: path
        for program, kind in _KEEPERS
        if (path := shutil.which(program, path=folders.programs or None))
    }
    if "cron" in found and "systemd" in found and _failure([found["systemd"], *_ASKED]):
        return "cron"
    if found:
        return next(iter(found))
    raise ConfigError(
        "neither systemd nor cron was found on this machine",
        hint="run `remem maintain` once a day by other means",
    )


def installed(layout: Layout) -> list[Kind]:
    """The timers that the record of this workspace names."""
    plans = Journal(record_folder(layout) / SCHEDULE).plans([])
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


def install(job: Scheduling, approve: Approve) -> Scheduled | None:
    """None if it was not agreed to."""
    if job.kind == "cron":
        return _cron_on(job, approve)
    recipe = job.recipe()
    done = connect(job.layout, SCHEDULE, recipe.targets, approve)
    if done is None:
        return None
    return Scheduled(tuple(done), _told(recipe.begin, job.folders))


def uninstall(job: Scheduling, approve: Approve) -> Scheduled | None:
    """The timer stops before its files go."""
    if job.kind == "cron":
        return _cron_off(job, approve)
    recipe, undone = job.recipe(), list[str]()

    def agreed(diff: str) -> bool:
        if not approve(diff):
            return False
        undone.extend(_told(recipe.end, job.folders))
        return True

    done = disconnect(job.layout, SCHEDULE, recipe.targets, agreed)
    if done is None:
        return None
    if done:
        undone.extend(_told(recipe.forget, job.folders))
    return Scheduled(tuple(done), tuple(undone))


def _cron_on(job: Scheduling, approve: Approve) -> Scheduled | None:
    table, lines = job.crontab(), cron_lines(job.command)
    data = table.read()
    after = added(data, lines)
    if after != data:
        if not approve(difference(_TABLE, data, after)):
            return None
        table.install(lines, data)
    return Scheduled((Written(_TABLE, after != data),))


def _cron_off(job: Scheduling, approve: Approve) -> Scheduled | None:
    table, lines = job.crontab(), cron_lines(job.command)
    data = table.read()
    after, _ = table.without(lines, data)
    if after == data:
        return Scheduled(())
    if not approve(difference(_TABLE, data, after)):
        return None
    exact = table.uninstall(lines, data)
    return Scheduled((Written(_TABLE, True, exact),))


def _told(commands: Sequence[Sequence[str]], folders: HostFolders) -> tuple[str, ...]:
    """Run each command; those that fail are for the owner, with the reason."""
    undone = []
    for line in commands:
        program = shutil.which(line[0], path=folders.programs or None)
        reason = "it is not on this machine" if program is None else _failure([program, *line[1:]])
        if reason:
            undone.append(f"{' '.join(line)}  ({reason})")
    return tuple(undone)


def _failure(line: Sequence[str]) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the system's own program, without a shell
            line, capture_output=True, check=False, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return ""
    told = done.stderr.decode(errors="replace").strip().splitlines()
    return told[-1] if told else f"exit status {done.returncode}"
