"""Defects in the writing of files, each planted in this process by one function."""

from __future__ import annotations

from pathlib import Path

from remem.entries.sync import Sync
from remem.files import atomic, disk


def no_folder_fsync() -> None:
    """A rename may be undone by a power cut."""

    def forget(_folder: Path) -> None:
        pass

    disk.sync_folder = forget
    atomic.sync_folder = forget  # type: ignore[attr-defined]


def no_file_fsync() -> None:
    """A name may lead to an empty file after a power cut."""
    sync = disk.sync

    def forget_files(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").is_dir():
            sync(descriptor)

    disk.sync = forget_files


def no_replay() -> None:
    """What waited to be written when a process died is not written by the next one."""
    Sync.start = lambda self: None
