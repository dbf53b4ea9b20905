"""The system call that exchanges two names or keeps one free: counted, or not supported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.files import disk

Call = Callable[..., object]


def rename_with_flags(source: Path, target: Path, flags: int) -> None:
    disk._rename(source, target, flags)


def wrap_rename(patch: pytest.MonkeyPatch, wrapped: Callable[[Call], Call]) -> None:
    """Every call goes through what `wrapped` makes of the present one."""
    patch.setattr(disk, "_rename", wrapped(disk._rename))


def unsupported_rename(patch: pytest.MonkeyPatch) -> None:
    """The file system can neither exchange two names nor keep one free."""

    def refuse(_source: Path, _target: Path, _flags: int) -> None:
        raise disk.Unsupported

    patch.setattr(disk, "_rename", refuse)
