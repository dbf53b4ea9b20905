"""Fork a program and kill it at its n-th call."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.faults.dying import is_killed
from tests.faults.renames import unsupported_rename, wrap_rename

STRIDES = [5, pytest.param(1, marks=pytest.mark.slow)]
"""Kill at every fifth call; the slow variant kills at every one."""

CALLS = ["open", "write", "fsync", "fchmod", "link", "mkdir", "rename", "unlink"]


def killed_at(number: int, act: Callable[[], object], *, after: bool, best: bool = True) -> bool:
    """Whether the process died at, or right after, the call with this number; else it ended.

    Without `best`, the file system can neither exchange two names nor keep one free.
    """

    def run() -> None:
        made = 0
        if not best:
            unsupported_rename(pytest.MonkeyPatch())

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def wrapped(*args: object, **more: object) -> object:
                nonlocal made
                made += 1
                mine = made == number
                if mine and not after:
                    os.kill(os.getpid(), signal.SIGKILL)
                try:
                    return call(*args, **more)
                finally:
                    if mine:
                        os.kill(os.getpid(), signal.SIGKILL)

            return wrapped

        for name in CALLS:
            setattr(os, name, counted(getattr(os, name)))
        wrap_rename(pytest.MonkeyPatch(), counted)
        act()

    return is_killed(run)
