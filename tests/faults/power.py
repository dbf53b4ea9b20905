"""Cut off a separate file system as a power failure would: nothing may be lost.

The disk is a file, mounted through a loop device; the kernel is told to shut the file system
down without writing its journal, as if the machine had stopped. The writer is frozen first,
so that every acknowledgement it has given came before the cut. Needs root.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random

from tests.faults.ledger import Ledger

_SHUTDOWN = 0x8004587D  # FS_IOC_SHUTDOWN
_WITHOUT_JOURNAL = 2
_SIZE = 96 << 20


@dataclass
class Outcome:
    """What a number of cuts has shown."""

    seed: int
    cuts: int = 0
    acks: int = 0
    broken: list[str] = field(default_factory=list)


def missing() -> str | None:
    """Why no power can be cut here, if so."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("mkfs.ext4", "mount", "umount"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if not Path("/dev/loop-control").exists():
        return "there are no loop devices"
    return None


class Disk:
    """An ext4 file system in a file, mounted at `place`."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "mounted"
        self._image = folder / "image"
        self.place.mkdir()
        with self._image.open("wb") as image:
            image.truncate(_SIZE)
        _run("mkfs.ext4", "-q", "-F", str(self._image))
        self._mount()

    def cut(self) -> None:
        """The power goes off: what is not on the disk now never will be."""
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _WITHOUT_JOURNAL))
        finally:
            os.close(descriptor)

    def restart(self) -> None:
        """The power is back, and the kernel recovers what the journal says."""
        _run("umount", str(self.place))
        self._mount()

    def remove(self) -> None:
        _run("umount", str(self.place))
        self._image.unlink()
        self.place.rmdir()

    def _mount(self) -> None:
        _run("mount", "-o", "loop", str(self._image), str(self.place))


@contextmanager
def disk(folder: Path) -> Iterator[Disk]:
    folder.mkdir(parents=True)
    fresh = Disk(folder)
    try:
        yield fresh
    finally:
        fresh.remove()
        folder.rmdir()


def cut_writers(
    folder: Path, cuts: int, seed: int, mutant: str | None = None, until: float = inf
) -> Outcome:
    """Cut the power under a writer so often, or until a promise is broken."""
    random = Random(seed)
    outcome = Outcome(seed)
    while outcome.cuts < cuts and not outcome.broken and time.monotonic() < until:
        with disk(folder / f"{outcome.cuts}") as drive:
            ledger = Ledger(cut_short=1)
            options = ["--mutant", mutant] if mutant else []
            program = [str(drive.place / "workspace"), str(random.randrange(10**9)), *options]
            _cut_under(drive, "tests.faults.writer_program", program, random.randint(1, 20), ledger)
            outcome.broken += _checked(drive.place / "workspace", ledger)
        outcome.cuts += 1
        outcome.acks += len(ledger.acks)
    return outcome


def cut_files(
    folder: Path, cuts: int, way: str, mutant: str | None = None, until: float = inf
) -> Outcome:
    """Cut the power directly after a file was created, or swapped for another: any later
    fsync would hide that one was missing."""
    outcome = Outcome(seed=0)
    while outcome.cuts < cuts and not outcome.broken and time.monotonic() < until:
        with disk(folder / f"{outcome.cuts}") as drive:
            options = ["--mutant", mutant] if mutant else []
            program = [str(drive.place / "notes"), way, *options]
            said = _cut_under(drive, "tests.faults.file_program", program, 1, Ledger())
            path, words = said.decode().rstrip("\n").split("\t")
            found = Path(path).read_bytes() if Path(path).exists() else None
            if found != words.encode():
                outcome.broken.append(f"after {way} the file holds {found!r:.60}")
        outcome.cuts += 1
        outcome.acks += 1
    return outcome


def _cut_under(on: Disk, module: str, arguments: list[str], lines: int, ledger: Ledger) -> bytes:
    """Run a program until it has said so much, freeze it, and cut the power."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said = b"".join(process.stdout.readline() for _ in range(lines))
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.02)
    on.cut()
    process.kill()
    said += process.stdout.read()
    complaint = process.stderr.read().decode()
    process.stdout.close()
    process.stderr.close()
    process.wait()
    assert said, complaint
    ledger.record(said)
    on.restart()
    return said


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


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
