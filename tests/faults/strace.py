"""Fail, or kill at, every system call in turn: nothing may be lost.

strace lets the Nth call of a kind fail, or kills the program there. It counts per thread, so
each kind is swept twice: as it is, and looking only at the files of the database, which the
writer's thread alone writes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.faults.ledger import Ledger

CALLS = ("pwrite64", "fdatasync", "fsync", "write", "ftruncate", "unlink", "mkdir", "renameat2")
FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
_OPS = 3
_HARMLESS = frozenset({("write", "error=EIO"), ("write", "error=ENOSPC")})
"""Python's own output goes through `write`; the files are swept by their other calls."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Which calls, which fault, and whether only those on the database count."""

    call: str
    fault: str
    database_only: bool

    def __str__(self) -> str:
        where = " on the database" if self.database_only else ""
        return f"{self.call}{where}, {self.fault}"


@dataclass
class Outcome:
    """What the sweeps have shown; `cut_off` names those that time did not allow."""

    points: int = 0
    acks: int = 0
    broken: list[str] = field(default_factory=list)
    cut_off: list[str] = field(default_factory=list)


def missing() -> str | None:
    return None if shutil.which("strace") else "strace is not installed"


def sweeps() -> Iterator[Sweep]:
    for fault in FAULTS:
        for call in CALLS:
            if (call, fault) not in _HARMLESS:
                yield Sweep(call, fault, database_only=False)
        for call in ("pwrite64", "fdatasync", "openat", "ftruncate"):
            yield Sweep(call, fault, database_only=True)


def run(folder: Path, until: float, most: int | None = None) -> Outcome:
    """Every sweep, until its calls are used up, time is over, or a promise is broken.

    The first call of each kind, then the second of each: a time that is too short leaves out late
    calls, and no kind of call.
    """
    outcome, going = Outcome(), list(sweeps())
    for number in count(1) if most is None else range(1, most + 1):
        went_on = []
        for sweep in going:
            if time.monotonic() > until or outcome.broken:
                outcome.cut_off.append(f"{sweep} from {number} on")
                continue
            injected, acks, problems = _point(folder / "point", sweep, number)
            outcome.acks += acks
            outcome.broken += [f"{sweep} number {number}: {problem}" for problem in problems]
            outcome.points += injected
            if injected:
                went_on.append(sweep)
        going = went_on
        if not going:
            break
    return outcome


def _point(folder: Path, sweep: Sweep, number: int) -> tuple[bool, int, list[str]]:
    """One program with one fault: whether the fault came, the acks, and what is broken."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    workspace, log = folder / "workspace", folder / "trace.log"
    database = workspace / ".remem" / "main" / "entries.db"
    only = [f"-P{database}{end}" for end in ("", "-wal", "-shm")] if sweep.database_only else []
    result = subprocess.run(
        [
            *("strace", "-f", "-qq", "-o", str(log), *only),
            *("-e", f"trace={sweep.call}"),
            *("-e", f"inject={sweep.call}:{sweep.fault}:when={number}"),
            *(sys.executable, "-m", "tests.faults.writer_program", str(workspace), "1"),
            *("--count", str(_OPS)),
        ],
        capture_output=True,
        check=False,
    )
    traced = log.read_text(errors="replace")
    injected = "INJECTED" in traced or "killed by SIGKILL" in traced
    ledger = Ledger(cut_short=1)
    acks = ledger.record(result.stdout)
    problems = list(_complaints(result, injected=injected))
    problems += _checked(workspace, ledger)
    return injected, acks, problems


def _complaints(result: subprocess.CompletedProcess[bytes], *, injected: bool) -> Iterator[str]:
    """A program may fail where a call has failed, but only with an error of ours."""
    if result.returncode == 0 or result.returncode == -9 or result.returncode == 137:
        return
    last = result.stderr.decode(errors="replace").strip().splitlines()[-1:]
    if not injected or not last or not last[0].startswith("remem.errors."):
        yield f"exit status {result.returncode}: {last}"


def _checked(workspace: Path, ledger: Ledger) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.faults.checker", str(workspace)],
        input=ledger.dumps(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = result.stdout.splitlines()
    return found or ([result.stderr[-300:]] if result.returncode else [])
