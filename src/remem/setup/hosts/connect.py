"""Connect a host, disconnect it, and uninstall remem from all hosts.

A change is shown first, then recorded, then written. The record contains the earlier bytes and is
on disk before a file is changed: after a crash, `disconnect` finds either the old file, or the new
file and the old bytes in the record. If a file was edited since, only our additions are removed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from remem.errors import FileError, NotAllowed, RememError
from remem.files import atomic
from remem.files.disk import file_errors, make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import clear_temporary_files, rewrite_in_place
from remem.files.rooms import read_rooms
from remem.files.scopes import host_records
from remem.files.setup_journal import SetupChange, SetupJournal
from remem.model.scope import MAIN
from remem.setup.activate import is_active, roll_back
from remem.setup.hosts.targets import (
    Before,
    HostTarget,
    Unknown,
    missing_folders,
    remove_folders,
)
from remem.text.line_edits import diff_text


@dataclass(frozen=True, slots=True)
class HostFileResult:
    """The result for one file; `exact` means that it is exactly as it was before."""

    path: Path
    changed: bool
    exact: bool = True
    remark: str = ""


def connect(
    layout: Layout,
    host: str,
    targets: Sequence[HostTarget],
    approve: Callable[[str], bool] = lambda _diff: True,
) -> list[HostFileResult] | None:
    """Add remem to a host's files if `approve` accepts the unified diff; otherwise return None.

    All files are parsed before the first one is changed.
    """
    with _locked(layout):
        diffs = []
        for target in targets:
            data = atomic.read(_real(target.path))
            diffs.append(diff_text(data, target.with_additions(data), str(target.path)))
        if any(diffs) and not approve("".join(diffs)):
            return None
        journal = SetupJournal(host_records(layout) / host)
        return [_add(journal, target) for target in targets]


def disconnect(
    layout: Layout,
    host: str,
    targets: Sequence[HostTarget],
    approve: Callable[[str], bool] = lambda _diff: True,
) -> list[HostFileResult] | None:
    """Remove remem from a host's files: the given files, and those in the record."""
    with _locked(layout):
        files = _host_files(layout, host, targets)
        diff = "".join(file.removal_diff() for file in files)
        if diff and not approve(diff):
            return None
        # In reverse order, so that folders created for the first file are empty when it is removed.
        results = [file.remove() for file in reversed(files)]
        return [result for result in reversed(results) if result is not None]


def connected_files(layout: Layout, host: str, targets: Sequence[HostTarget]) -> list[Path]:
    """Return the files that `disconnect` would change."""
    with _locked(layout):
        return [file.path for file in _host_files(layout, host, targets) if file.removal_diff()]


def _host_files(layout: Layout, host: str, targets: Sequence[HostTarget]) -> list[_HostFile]:
    """Return the given files, and those in the record."""
    journal = SetupJournal(host_records(layout) / host)
    journal.tidy()
    by_path = {str(_real(target.path)): target for target in targets}
    paths = dict.fromkeys([*by_path, *(record.path for record in journal.changes([]))])
    return [_HostFile(journal, Path(path), by_path.get(path)) for path in paths]


@dataclass(frozen=True)
class _HostFile:
    """A file of a host.

    It has no target if an earlier version of remem changed it and this one would not.
    """

    journal: SetupJournal
    path: Path
    target: HostTarget | None

    @cached_property
    def records(self) -> list[SetupChange]:
        """The recorded changes to the file."""
        return [record for record in self.journal.changes([]) if record.path == str(self.path)]

    def removal_diff(self) -> str:
        data = atomic.read(self.path)
        return diff_text(data, self.without_remem(data), str(self.path))

    def without_remem(self, latest: bytes | None) -> bytes | None:
        """Return the file as it was before, if nobody has edited it since.

        Otherwise return the file without our additions.
        """
        if latest is None:
            return None
        for record in reversed(self.records):
            if record.after == atomic.digest(latest):
                with suppress(FileError):  # the record is damaged: remove the additions instead
                    return self.journal.before(record)
        return (
            latest
            if self.target is None
            else self.target.without_additions(latest, self._original())
        )

    def remove_temporary_files(self) -> None:
        """Remove files of an interrupted write, if they are empty or have recorded bytes."""
        digests = {digest for record in self.records for digest in (record.before, record.after)}
        clear_temporary_files(self.path, lambda data: not data or atomic.digest(data) in digests)

    def remove(self) -> HostFileResult | None:
        old = atomic.read(self.path)
        new = rewrite_in_place(self.path, self.without_remem)
        self.remove_temporary_files()
        last = self.records[-1] if self.records else None
        if new is None and last:
            remove_folders(self.path, last.gap)
        for record in self.records:
            self.journal.end(record)
        if last is None and new == old:
            return None
        untouched = self.target is None and new is not None and new == old
        remark = "edited since, so it was not changed" if untouched else ""
        exact = last is None or last.before == (None if new is None else atomic.digest(new))
        return HostFileResult(self.path, new != old, exact, remark)

    def _original(self) -> Before:
        """Return the recorded file from before remem added to it."""
        with suppress(RememError):
            if self.records:
                return self.journal.before(self.records[-1])
        return Unknown()


def _add(journal: SetupJournal, target: HostTarget) -> HostFileResult:
    """Add remem to a file; the record keeps the file from before the first addition."""
    file = _HostFile(journal, _real(target.path), target)
    file.remove_temporary_files()
    old = atomic.read(file.path)

    def change(latest: bytes | None) -> bytes:
        data = target.with_additions(latest)
        if data != latest:
            has_additions = bool(file.records) and latest is not None
            before = file.without_remem(latest) if has_additions else latest
            new_folders = file.records[-1].gap if has_additions else missing_folders(file.path)
            journal.begin(str(file.path), before, data, new_folders)
        return data

    new = rewrite_in_place(file.path, change)
    for record in file.records if new != old else ():
        journal.end(record)
    return HostFileResult(file.path, new != old)


def _real(path: Path) -> Path:
    """Resolve symbolic links: settings are often links into a dotfiles folder."""
    return Path(os.path.realpath(path))


def _locked(layout: Layout) -> AbstractContextManager[None]:
    folder = layout.state_folder(MAIN)
    atomic.refuse_links(layout.root, folder)
    make_folder(folder)
    return exclusive_lock(folder / "hosts.lock")


@dataclass(frozen=True, slots=True)
class UninstallResult:
    """The result of `uninstall`: what was done, and sentences on what no longer works.

    `agents_file` is empty if AGENTS.md had no section; `state` says what became of `.remem`.
    """

    files: tuple[HostFileResult, ...]
    agents_file: str
    losses: tuple[str, ...]
    state: str


def uninstall(
    layout: Layout,
    targets: Mapping[str, Sequence[HostTarget]],
    approve: Callable[[str], bool],
    *,
    spaces: str = "",
    purge_state: bool = False,
) -> UninstallResult | None:
    """Remove remem from every host, given with its targets; None if `approve` does not agree.

    `spaces` are the names of the shared spaces.
    """
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
    losses = tuple(_losses(layout, spaces))
    if not approve("".join(diffs)):
        return None
    results = [
        result
        for host, files in targets.items()
        for result in disconnect(layout, host, files) or ()
    ]
    rollback = roll_back(layout)
    return UninstallResult(
        files=tuple(results),
        agents_file=rollback.file if rollback.changed else "",
        losses=losses,
        state=_keep_or_remove_state(layout, purge_state),
    )


def _losses(layout: Layout, spaces: str) -> list[str]:
    """Return sentences on what works without remem, and what no longer does."""
    losses = [
        "MEMORY.md, USER.md, daily notes and memory/domains/ are plain Markdown: hosts and people "
        "read them as before",
        "semantic search, token budgets and updates to the domain files stop",
    ]
    if groups := _groups(layout):
        losses.append(
            f"{groups} are no longer separated: any chat whose host has tools for files or memory "
            "can read memory/groups/"
        )
    if spaces:
        losses.append(
            f"the shared spaces ({spaces}) are plain Markdown in memory/shared/; their grants are "
            "no longer enforced"
        )
    return losses


def _groups(layout: Layout) -> str:
    """Return the named groups; an unreadable list does not stop the uninstallation."""
    try:
        names = sorted({line.name for line in read_rooms(layout.root).lines})
    except RememError:
        return "the groups" if layout.folders_of_kind("group")[1].is_dir() else ""
    return f"the groups ({', '.join(names)})" if names else ""


def _keep_or_remove_state(layout: Layout, purge: bool) -> str:
    """Remove the folder `.remem` if `purge` is true; return a sentence on what became of it."""
    folder = layout.root / ".remem"
    if not purge:
        return (
            f"{folder} is kept, with settings and, unless another store has them, the entries and "
            "their history; delete it if you want"
        )
    if folder.is_symlink() or layout.state_folder(MAIN).is_symlink():
        raise NotAllowed(f"{folder} is a symbolic link", hint="remove it by hand")
    with file_errors(folder, "removed"):
        shutil.rmtree(folder)
    return f"{folder} was removed: the Markdown files keep the words, but not their history"
