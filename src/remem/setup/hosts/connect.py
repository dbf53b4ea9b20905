"""How does remem leave, and what stays? Hosts get their settings back, the owner his Markdown.

How is a host connected, and how is that undone? Shown first, recorded, then written.

The record (the bytes from before) is safe on the disk before a file is touched: whatever a kill
interrupts, `disconnect` finds either the old bytes in their place, or the new ones and the old in
the record. Where a person has edited a file since, only what is ours is taken out of it.
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
from remem.files.disk import explained
from remem.files.journal import Journal, Plan
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rooms import read_rooms
from remem.files.scopes import record_folder
from remem.model.scope import MAIN
from remem.setup.activate import is_active, roll_back
from remem.setup.hosts.targets import (
    Before,
    Target,
    Unknown,
    missing_folders,
    remove_folders,
    rewrite,
    strays,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one file; `exact` says that it is, byte for byte, what it was before."""

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
    """Put remem into a host's files if `approve` agrees to the change, a unified diff.

    Every file is understood before the first is touched. None if it was not agreed to.
    """
    with _alone(layout):
        wanted = [(target, _read(target.path)) for target in targets]
        after = [each.added(data) for each, data in wanted]
        diff = "".join(
            difference(each.path, data, new)
            for (each, data), new in zip(wanted, after, strict=True)
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
    """Take remem out of a host's files: those named, and those that the record names."""
    with _alone(layout):
        journal, remarks = _journal(layout, host), list[str]()
        journal.tidy()
        plans = journal.plans(remarks)
        by_path = {str(_real(target.path)): target for target in targets}
        paths = list(dict.fromkeys([*by_path, *(plan.path for plan in plans)]))
        jobs = [_Undoing(journal, Path(path), by_path.get(path), plans) for path in paths]
        diff = "".join(job.difference() for job in jobs)
        if diff and not approve(diff):
            return None
        # the last first: folders that were made for the first file are empty only then
        done = [job.run() for job in reversed(jobs)]
        return [written for written in reversed(done) if written is not None]


def difference(path: Path, old: bytes | None, new: bytes | None) -> str:
    """The change of one file as a unified diff; empty for none."""
    if old == new:
        return ""
    source, target = (str(path) if data is not None else os.devnull for data in (old, new))
    before, after = (_shown(data or b"") for data in (old, new))
    shown = "".join(difflib.unified_diff(before, after, source, target))
    return shown or f"--- {source}\n+++ {target}\n"


def _connect_file(journal: Journal, target: Target) -> Written:
    path = _real(target.path)
    plans = _plans_of(journal, path, [])
    _sweep(path, plans)
    old = atomic.read(path)

    def change(latest: bytes | None) -> bytes:
        wanted = target.added(latest)
        if wanted != latest:
            before, missing = _origin(journal, plans, target, latest, path)
            journal.begin(str(path), before, wanted, missing)
        return wanted

    new = rewrite(path, change)
    for plan in plans if new != old else ():
        journal.end(plan)
    return Written(path, new != old)


def _origin(
    journal: Journal, plans: Sequence[Plan], target: Target, latest: bytes | None, path: Path
) -> tuple[bytes | None, int]:
    """What the file was before any of ours was in it, and how many folders were missing."""
    if not plans or latest is None:
        return latest, missing_folders(path)
    before = _before(journal, plans, latest)
    if isinstance(before, Unknown):
        before = target.cleared(latest, _before_last(journal, plans))
    return before, plans[-1].gap


@dataclass(frozen=True, slots=True)
class _Undoing:
    """One file that is to lose what is ours."""

    journal: Journal
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
        new = rewrite(self.path, self.change)
        _sweep(self.path, plans)
        if new is None and plans:
            remove_folders(self.path, plans[-1].gap)
        digest = None if new is None else atomic.digest(new)
        remark = ""
        if self.target is None and new is not None and new == old:
            remark = "it was edited since, and stays as it is"
        for plan in plans:
            self.journal.end(plan)
        if not plans and new == old:
            return None
        exact = not plans or digest == plans[-1].before
        return Written(self.path, new != old, exact, remark)


def _before(journal: Journal, plans: Sequence[Plan], data: bytes) -> Before:
    """The bytes from before, if the file holds exactly what we have written."""
    for plan in reversed(plans):
        if plan.after == atomic.digest(data):
            with suppress(FileError):  # damaged bytes: what is ours can be taken out all the same
                return journal.before(plan)
    return Unknown()


def _before_last(journal: Journal, plans: Sequence[Plan]) -> Before:
    with suppress(RememError):
        if plans:
            return journal.before(plans[-1])
    return Unknown()


def _sweep(path: Path, plans: Sequence[Plan]) -> None:
    """Remove what a killed write has left, if we know its bytes or it has none; others stay."""
    known = {digest for plan in plans for digest in (plan.before, plan.after)}
    known.add(atomic.digest(b""))
    for stray in strays(path):
        data = atomic.read(stray)
        if data is not None and atomic.digest(data) in known:
            atomic.settle(stray, atomic.digest(data))


def _plans_of(journal: Journal, path: Path, remarks: list[str]) -> list[Plan]:
    return [plan for plan in journal.plans(remarks) if plan.path == str(path)]


def _real(path: Path) -> Path:
    """People keep settings as links into another folder: the file itself is changed."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    return atomic.read(_real(path))


def _journal(layout: Layout, host: str) -> Journal:
    return Journal(record_folder(layout) / host)


def _shown(data: bytes) -> list[str]:
    """The lines of a file for a diff; the last one may have no line end, and says so."""
    lines = data.decode(errors="replace").replace("\r\n", "\n").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _alone(layout: Layout) -> AbstractContextManager[None]:
    folder = layout.state_folder(MAIN)
    atomic.refuse_links(layout.root, folder)
    atomic.make_folder(folder)
    return alone(folder / "hosts.lock")


@dataclass(frozen=True, slots=True)
class Left:
    """What was done, and what is different from now on."""

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
) -> Left | None:
    """Take remem out of every host; `targets` are those of each. None if it was not agreed to."""
    diffs: list[str] = []

    def only_look(diff: str) -> bool:
        diffs.append(diff)
        return False

    for host, files in targets.items():
        disconnect(layout, host, files, only_look)
    if is_active(layout):
        diffs.append("AGENTS.md: the section on this memory goes\n")
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
    undone = roll_back(layout)
    return Left(
        files=tuple(done),
        agents_file=undone.file if undone.changed else "",
        losses=losses,
        state=_state(layout, purge_state),
    )


def _losses(layout: Layout) -> list[str]:
    """What nobody does any more. A group loses most: its walls were remem's."""
    told = [
        "MEMORY.md, USER.md, daily notes and memory/domains/ are plain Markdown: hosts and people "
        "read them as before",
        "nobody searches by meaning, keeps budgets or updates the domain files any more",
    ]
    if groups := _groups(layout):
        told.append(
            f"{groups} lose their walls: what lies in memory/groups/ can be read by any chat whose "
            "host has tools for files or memory"
        )
    return told


def _groups(layout: Layout) -> str:
    """Those that have a name; a list that cannot be read does not keep remem from leaving."""
    try:
        names = sorted({line.name for line in read_rooms(layout.root).lines})
    except RememError:
        return "the groups" if layout.all_of("group")[1].is_dir() else ""
    return f"the groups ({', '.join(names)})" if names else ""


def _state(layout: Layout, purge: bool) -> str:
    folder = layout.root / ".remem"
    if not purge:
        return f"{folder} stays: entries, their history, settings. remove it if you want"
    if folder.is_symlink() or layout.state_folder(MAIN).is_symlink():
        raise NotAllowed(f"{folder} is a link, and is not followed", hint="remove it yourself")
    with explained(folder, "removed"):
        shutil.rmtree(folder)
    return f"{folder} is gone: the words are in the Markdown, their history is not"
