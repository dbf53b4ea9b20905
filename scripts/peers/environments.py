"""The environments of the peers: each has its own, made once and measured.

`PEER_PYTHON` names interpreters (as PATH does) for those that need another than the one that runs
remem: a build that can load SQLite extensions, or Python 3.12.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_TOOLS = ("pip", "setuptools", "wheel")


class CannotInstall(Exception):
    """A peer's packages cannot be had here; the message says which, and why."""


def environment(place: Path, packages: Sequence[str], able_to: str = "pass") -> Path:
    """The programs of an environment that holds the packages; made if it is not there.

    `able_to` is a line of Python that its interpreter must be able to run.
    """
    programs = place / "bin"
    stamp = place / ".installed"
    wanted = "\n".join(packages)
    if stamp.exists() and stamp.read_text() == wanted:
        return programs
    _run([_python(able_to), "-m", "venv", "--clear", str(place)])
    _run([str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check", *packages])
    stamp.write_text(wanted)
    return programs


def _python(able_to: str) -> str:
    named = os.environ.get("PEER_PYTHON", "").split(os.pathsep)
    for python in (sys.executable, *filter(None, named)):
        tried = subprocess.run([python, "-c", able_to], capture_output=True, check=False)  # noqa: S603 - the owner's
        if tried.returncode == 0:
            return python
    raise CannotInstall(f"no Python here can `{able_to}`; name one in PEER_PYTHON")


def installed_megabytes(place: Path) -> float:
    """What the packages take, without the tools that every environment has."""
    files = (
        path
        for folder in place.glob("lib/python*/site-packages/*")
        if folder.name.split("-")[0] not in _TOOLS
        for path in ([folder] if folder.is_file() else folder.rglob("*"))
    )
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line] or [done.stderr]
        raise CannotInstall(f"{' '.join(command[-2:])}: {errors[-1].strip()[:200]}")
