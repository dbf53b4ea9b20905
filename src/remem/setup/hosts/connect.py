"""How is a host connected, and how is that undone? Shown first, recorded, then written.

The record (the bytes from before) is safe on the disk before a file is touched: whatever a kill
interrupts, `disconnect` finds either the old bytes in their place, or the new ones and the old in
the record. Where a person has edited a file since, only what is ours is taken out of it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from remem.core.scope import MAIN
from remem.errors import FileError, RememError
from remem.hosts.targets import Before, Target, Unknown
from remem.hosts.writing import missing_folders, remove_folders, rewrite, strays
from remem.maintenance.activation.journal import Journal, Plan
from remem.notes import files
from remem.notes.connected_hosts import record_folder
from remem.notes.layout import Layout
from remem.notes.locks import alone


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
        wanted = [(each, _read(each.path)) for each in targets]
        after = [each.added(data) for each, data in wanted]
        diff = "".join(
            difference(each.path, data, new)
            for (each, data), new in zip(wanted, after, strict=True)
        )
        if diff and not approve(diff):
            return None
        return [_connect_file(_journal(layout, host), each) for each in targets]


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
        by_path = {str(_real(each.path)): each for each in targets}
        paths = list(dict.fromkeys([*by_path, *(plan.path for plan in plans)]))
        jobs = [_Undoing(journal, Path(each), by_path.get(each), plans) for each in paths]
        diff = "".join(each.difference() for each in jobs)
        if diff and not approve(diff):
            return None
        # the last first: folders that were made for the first file are empty only then
        done = [each.run() for each in reversed(jobs)]
        return [each for each in reversed(done) if each is not None]


def difference(path: Path, old: bytes | None, new: bytes | None) -> str:
    """The change of one file as a unified diff; empty for none."""
    if old == new:
        return ""
    source, target = (str(path) if each is not None else os.devnull for each in (old, new))
    before, after = (_shown(each or b"") for each in (old, new))
    shown = "".join(difflib.unified_diff(before, after, source, target))
    return shown or f"--- {source}\n+++ {target}\n"


def _connect_file(journal: Journal, target: Target) -> Written:
    path = _real(target.path)
    plans = _plans_of(journal, path, [])
    _sweep(path, plans)
    old = files.read(path)

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
        return [each for each in self.all_plans if each.path == str(self.path)]

    def difference(self) -> str:
        data = files.read(self.path)
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
        old = files.read(self.path)
        new = rewrite(self.path, self.change)
        _sweep(self.path, plans)
        if new is None and plans:
            remove_folders(self.path, plans[-1].gap)
        digest = None if new is None else files.digest(new)
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
        if plan.after == files.digest(data):
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
    known.add(files.digest(b""))
    for stray in strays(path):
        data = files.read(stray)
        if data is not None and files.digest(data) in known:
            files.settle(stray, files.digest(data))


def _plans_of(journal: Journal, path: Path, remarks: list[str]) -> list[Plan]:
    return [each for each in journal.plans(remarks) if each.path == str(path)]


def _real(path: Path) -> Path:
    """People keep settings as links into another folder: the file itself is changed."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    return files.read(_real(path))


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
    files.refuse_links(layout.root, folder)
    files.make_folder(folder)
    return alone(folder / "hosts.lock")
