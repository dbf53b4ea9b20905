"""Give up the right of root to ignore file modes, for tests that run as root: this thread, and
the threads and processes that it starts, are then treated as any owner of those files."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_PASS_OVER_MODES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of capabilities(7)."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def can_be_given_up() -> bool:
    return os.geteuid() != 0 or hasattr(ctypes.CDLL(None), "capset")


@contextmanager
def of_an_owner() -> Iterator[None]:
    """Inside, a mode that forbids something forbids it to root too."""
    if os.geteuid() != 0:
        yield
        return
    sets = (_Sets * 2)()
    _call("capget", sets)
    had = sets[0].effective
    sets[0].effective = had & ~_PASS_OVER_MODES
    _call("capset", sets)
    try:
        yield
    finally:
        sets[0].effective = had
        _call("capset", sets)


def _call(name: str, sets: ctypes.Array[_Sets]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(ctypes.byref(_Header(_VERSION_3, 0)), sets):
        raise OSError(ctypes.get_errno(), f"{name} failed")
