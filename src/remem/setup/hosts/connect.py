"""Connecting a host, disconnecting it, and uninstalling remem from all hosts.

A change is shown first, then recorded, then written. The record holds the earlier bytes and is on
disk before a file is changed: after a crash, `disconnect` finds either the old file, or the new
file and the old bytes in the record. If a file was edited since, only our additions are removed.
"""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from remem.errors import FileError, NotAllowed, RememError
from remem.files import atomic
from remem.files.disk import file_errors, make_folder
from remem.files.journal import Plan, PlanJournal
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import clear_strays, rewrite_in_place
from remem.files.rooms import read_rooms
from remem.files.scopes import host_records
from remem.model.scope import MAIN
from remem.setup.activate import diff_lines, is_active, roll_back
from remem.setup.hosts.targets import (
    Before,
    Target,
    Unknown,
    missing_folders,
    remove_folders,
)


@dataclass(frozen=True, slots=True)
class Written:
    """The result for one file; `exact` means that it is byte for byte what it was before."""

    path: Path
    changed: bool
    exact: bool = True
    remark: str = ""


def connect(
    layout: Layout,
    host: str,
    targets: Sequence[Target],
    approve: Callable[[str], bool] = lambda _diff: True,
) -> list[Written] | None:
    """Add remem to a host's files if `approve` agrees to the unified diff, else return None.

    All files are parsed before the first one is changed.
    """
    with _locked(layout):
        files = [(target, _read(target.path)) for target in targets]
        after = [target.added(data) for target, data in files]
        diff = "".join(
            difference(target.path, data, new)
            for (target, data), new in zip(files, after, strict=True)
        )
        if diff and not approve(diff):
            return None
        return [_connect_file(_journal(layout, host), target) for target in targets]


def disconnect(
    layout: Layout,
    host: str,
    targets: Sequence[Target],
    approve: Callable[[str], bool] = lambda _diff: True,
) -> list[Written] | None:
    """Remove remem from a host's files: the given files, and those in the record."""
    with _locked(layout):
        journal, remarks = _journal(layout, host), list[str]()
        journal.tidy()
        plans = journal.plans(remarks)
        by_path = {str(_real(target.path)): target for target in targets}
        paths = list(dict.fromkeys([*by_path, *(plan.path for plan in plans)]))
        jobs = [_Removal(journal, Path(path), by_path.get(path), plans) for path in paths]
        diff = "".join(job.difference() for job in jobs)
        if diff and not approve(diff):
            return None
        # In reverse order, so that folders created for the first file are empty when it is removed.
        done = [job.run() for job in reversed(jobs)]
        return [written for written in reversed(done) if written is not None]


def difference(path: Path, old: bytes | None, new: bytes | None) -> str:
    """The change of one file as a unified diff; empty if there is none."""
    if old == new:
        return ""
    source, target = (str(path) if data is not None else os.devnull for data in (old, new))
    before, after = (diff_lines(data or b"") for data in (old, new))
    shown = "".join(difflib.unified_diff(before, after, source, target))
    return shown or f"--- {source}\n+++ {target}\n"


def _connect_file(journal: PlanJournal, target: Target) -> Written:
    path = _real(target.path)
    plans = _plans_of(journal, path, [])
    _sweep(path, plans)
    old = atomic.read(path)

    def change(latest: bytes | None) -> bytes:
        wanted = target.added(latest)
        if wanted != latest:
            before, missing = _original(journal, plans, target, latest, path)
            journal.begin(str(path), before, wanted, missing)
        return wanted

    new = rewrite_in_place(path, change)
    for plan in plans if new != old else ():
        journal.end(plan)
    return Written(path, new != old)


def _original(
    journal: PlanJournal, plans: Sequence[Plan], target: Target, latest: bytes | None, path: Path
) -> tuple[bytes | None, int]:
    """The file before remem first added to it, and how many folders did not exist."""
    if not plans or latest is None:
        return latest, missing_folders(path)
    before = _before(journal, plans, latest)
    if isinstance(before, Unknown):
        before = target.cleared(latest, _before_last(journal, plans))
    return before, plans[-1].gap


@dataclass(frozen=True, slots=True)
class _Removal:
    """Removes our additions from one file."""

    journal: PlanJournal
    path: Path
    target: Target | None
    all_plans: Sequence[Plan]

    @property
    def plans(self) -> list[Plan]:
        return [plan for plan in self.all_plans if plan.path == str(self.path)]

    def difference(self) -> str:
        data = atomic.read(self.path)
        return difference(self.path, data, self.change(data))

    def change(self, latest: bytes | None) -> bytes | None:
        if latest is None:
            return None
        before = _before(self.journal, self.plans, latest)
        if not isinstance(before, Unknown):
            return before
        if self.target is None:
            return latest
        return self.target.cleared(latest, _before_last(self.journal, self.plans))

    def run(self) -> Written | None:
        plans = self.plans
        old = atomic.read(self.path)
        new = rewrite_in_place(self.path, self.change)
        _sweep(self.path, plans)
        if new is None and plans:
            remove_folders(self.path, plans[-1].gap)
        digest = None if new is None else atomic.digest(new)
        remark = ""
        if self.target is None and new is not None and new == old:
            remark = "edited since, so it was not changed"
        for plan in plans:
            self.journal.end(plan)
        if not plans and new == old:
            return None
        exact = not plans or digest == plans[-1].before
        return Written(self.path, new != old, exact, remark)


def _before(journal: PlanJournal, plans: Sequence[Plan], data: bytes) -> Before:
    """The recorded earlier bytes, if the file is exactly what remem wrote."""
    for plan in reversed(plans):
        if plan.after == atomic.digest(data):
            with suppress(FileError):  # the record is damaged: the additions can still be removed
                return journal.before(plan)
    return Unknown()


def _before_last(journal: PlanJournal, plans: Sequence[Plan]) -> Before:
    with suppress(RememError):
        if plans:
            return journal.before(plans[-1])
    return Unknown()


def _sweep(path: Path, plans: Sequence[Plan]) -> None:
    """Remove temporary files of an interrupted write that are empty or have known bytes."""
    known = {digest for plan in plans for digest in (plan.before, plan.after)}
    clear_strays(path, lambda data: not data or atomic.digest(data) in known)


def _plans_of(journal: PlanJournal, path: Path, remarks: list[str]) -> list[Plan]:
    return [plan for plan in journal.plans(remarks) if plan.path == str(path)]


def _real(path: Path) -> Path:
    """Resolve symbolic links: settings are often links into a dotfiles folder."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    return atomic.read(_real(path))


def _journal(layout: Layout, host: str) -> PlanJournal:
    return PlanJournal(host_records(layout) / host)


def _locked(layout: Layout) -> AbstractContextManager[None]:
    folder = layout.state_folder(MAIN)
    atomic.refuse_links(layout.root, folder)
    make_folder(folder)
    return exclusive_lock(folder / "hosts.lock")


@dataclass(frozen=True, slots=True)
class Uninstalled:
    """The result of `uninstall`: what was done, and what no longer works."""

    files: tuple[Written, ...]
    agents_file: str
    losses: tuple[str, ...]
    state: str


def uninstall(
    layout: Layout,
    targets: Mapping[str, Sequence[Target]],
    approve: Callable[[str], bool],
    *,
    purge_state: bool = False,
) -> Uninstalled | None:
    """Remove remem from every host, given with its targets; None if `approve` does not agree."""
    diffs: list[str] = []

    def collect(diff: str) -> bool:
        diffs.append(diff)
        return False

    for host, files in targets.items():
        disconnect(layout, host, files, collect)
    if is_active(layout):
        diffs.append("AGENTS.md: the section on this memory is removed\n")
    if purge_state:
        diffs.append(f"{layout.root / '.remem'}: removed\n")
    losses = tuple(_losses(layout))
    if not approve("".join(diffs)):
        return None
    done = [
        written
        for host, files in targets.items()
        for written in disconnect(layout, host, files) or ()
    ]
    rolled_back = roll_back(layout)
    return Uninstalled(
        files=tuple(done),
        agents_file=rolled_back.file if rolled_back.changed else "",
        losses=losses,
        state=_state(layout, purge_state),
    )


def _losses(layout: Layout) -> list[str]:
    """What no longer works without remem; groups lose most, because remem separated them."""
    losses = [
        "MEMORY.md, USER.md, daily notes and memory/domains/ are plain Markdown: hosts and people "
        "read them as before",
        "semantic search, token budgets and updates of the domain files stop",
    ]
    if groups := _groups(layout):
        losses.append(
            f"{groups} lose their walls: any chat whose host has tools for files or memory can "
            "read memory/groups/"
        )
    return losses


def _groups(layout: Layout) -> str:
    """The named groups; an unreadable list does not stop the uninstallation."""
    try:
        names = sorted({line.name for line in read_rooms(layout.root).lines})
    except RememError:
        return "the groups" if layout.folders_of_kind("group")[1].is_dir() else ""
    return f"the groups ({', '.join(names)})" if names else ""


def _state(layout: Layout, purge: bool) -> str:
    folder = layout.root / ".remem"
    if not purge:
        return f"{folder} stays, with entries, their history and settings; delete it if you want"
    if folder.is_symlink() or layout.state_folder(MAIN).is_symlink():
        raise NotAllowed(f"{folder} is a symbolic link", hint="remove it by hand")
    with file_errors(folder, "removed"):
        shutil.rmtree(folder)
    return f"{folder} was removed: the Markdown files keep the words, but not their history"
