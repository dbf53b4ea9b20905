"""Test kills, failing disks and power cuts for a long time.

    python scripts/faults.py --minutes 30 [--walls 60] [--seed N]
    python scripts/faults.py --sample

Each checker must first detect a store that was broken on purpose; otherwise its result would prove
nothing. Twin worlds, in which no session may notice what the others do, always run for 20,000
steps; --walls adds that many minutes. Tests that cannot run on this machine are listed. The seed
repeats a run. The exit status is 1 if a promise was broken, or a broken store was not detected.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.faults import power, strace  # noqa: E402 - the tests are in a sibling folder


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table at the end."""

    part: str
    tries: int = 0
    acks: int = 0
    verdict: str = "kept"
    seconds: float = 0.0

    @property
    def bad(self) -> bool:
        return self.verdict.startswith(("BROKEN", "NOT CAUGHT"))


@dataclass(frozen=True, slots=True)
class Programme:
    """How much is done.

    A part that has no end of its own gets its share of the time; no part before it can use that up,
    however slow the machine is.
    """

    folder: Path
    seed: int
    started: float
    seconds: float
    sample: bool
    walls: float = 0.0
    """Seconds for the twin worlds beyond their steps."""

    def lasting(self, share: float) -> float:
        """When a part has to end that begins now."""
        return time.monotonic() + share * self.seconds

    def place(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder


Part = Callable[[Programme], Row]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--walls", type=float, default=0, help="minutes for the twin worlds")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--sample", action="store_true", help="a few tries of each, for CI")
    options = parser.parse_args()
    minutes = min(options.minutes, 2) if options.sample else options.minutes
    folder = Path(tempfile.mkdtemp(prefix="remem-faults-"))
    print(f"seed {options.seed}, {minutes:g} minutes", flush=True)
    walls = 0.0 if options.sample else options.walls * 60
    programme = Programme(
        folder, options.seed, time.monotonic(), minutes * 60, options.sample, walls
    )
    rows = []
    with ThreadPoolExecutor(2 if options.sample else 1) as pool:
        for row in pool.map(lambda part: timed(part, programme), PARTS):
            rows.append(row)
            print(line(row), flush=True)
    print("\n" + "\n".join([*HEAD, *map(line, rows)]))
    if any(row.bad for row in rows):
        print(f"what was broken is kept in {folder}; --seed {options.seed} repeats it")
        sys.exit(1)
    shutil.rmtree(folder)


def timed(part: Part, programme: Programme) -> Row:
    begun = time.monotonic()
    row = part(programme)
    return Row(row.part, row.tries, row.acks, row.verdict, time.monotonic() - begun)


HEAD = (
    f"{'part':44} {'tries':>7} {'acks':>8} {'seconds':>8}  verdict",
    f"{'-' * 44} {'-' * 7:>7} {'-' * 8:>8} {'-' * 8:>8}  {'-' * 30}",
)


def line(row: Row) -> str:
    return f"{row.part:44} {row.tries:>7,} {row.acks:>8,} {row.seconds:>8.1f}  {row.verdict}"


def run_program(module: str, folder: Path, *options: object) -> dict[str, Any]:
    """What one of the fault programs says; it runs in a process of its own."""
    command = [sys.executable, "-m", f"tests.faults.{module}", str(folder), *map(str, options)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)  # noqa: S603 - our own programs
    return dict(json.loads(result.stdout))


def kept(broken: list[str], note: str = "") -> str:
    return f"BROKEN: {'; '.join(broken[:3])}" if broken else f"kept{note}"


def caught(broken: list[str]) -> str:
    return "caught" if broken else "NOT CAUGHT"


def mutant_by_kills(name: str, program: str = "kills") -> Part:
    def part(programme: Programme) -> Row:
        report = run_program(
            program, programme.place(name), "--kills", 240, "--seed", 1, "--mutant", name
        )
        title = f"mutant {name} under kills"
        return Row(title, report["kills"], report["acks"], caught(report["broken"]))

    return part


def mutant_by_sweep(name: str) -> Part:
    def part(programme: Programme) -> Row:
        report = run_program("sweep", programme.place(name), "--seed", 0, "--mutant", name)
        return Row(f"mutant {name} on failing disks", report["runs"], 0, caught(report["broken"]))

    return part


def mutant_by_cut(name: str, way: str | None = None) -> Part:
    def part(programme: Programme) -> Row:
        title = f"mutant {name} under power cuts{f', {way}' if way else ''}"
        if reason := power.missing():
            return Row(title, verdict=f"SKIPPED: {reason}")
        place = programme.folder / f"{name}-{way}"
        outcome = (
            power.cut_files(place, 5, way, name) if way else power.cut_writers(place, 20, 1, name)
        )
        return Row(title, outcome.cuts, outcome.acks, caught(outcome.broken))

    return part


def mutant_by_walls(name: str) -> Part:
    def part(programme: Programme) -> Row:
        report = run_program("walls", programme.folder, "--mutant", name)
        return Row(f"mutant {name} in twin worlds", report["steps"], 0, caught(report["broken"]))

    return part


def twin_worlds(programme: Programme) -> Row:
    """Last: it takes its own time, and none from the others."""
    steps, outside = (500, 10) if programme.sample else (20_000, 200)
    report = run_program(
        *("walls", programme.folder, "--steps", steps, "--outside", outside),
        *("--seconds", programme.walls, "--seed", programme.seed),
    )
    note = f", {report['outside']} of them through commands and a server"
    title = "twin worlds: steps of eight sessions"
    return Row(title, report["steps"] + report["outside"], 0, kept(report["broken"], note))


def disks(programme: Programme) -> Row:
    """Every operation of SQLite on the disk fails in turn."""
    stride = 40 if programme.sample else 1
    report = run_program(
        "sweep", programme.place("sweep"), "--stride", stride, "--seed", programme.seed
    )
    note = f", every {stride}. operation" if stride > 1 else ""
    return Row("failing disks: each operation", report["runs"], 0, kept(report["broken"], note))


def system_calls(programme: Programme) -> Row:
    """Every system call fails in turn, or is the last one."""
    title = "system calls: EIO, ENOSPC, SIGKILL at each"
    if reason := strace.missing():
        return Row(title, verdict=f"SKIPPED: {reason}")
    most = 1 if programme.sample else None
    outcome = strace.run(programme.place("strace"), programme.lasting(0.25), most)
    late = outcome.cut_off
    note = f"; no time for the end of {len(late)} sweeps ({late[-1]})" if late else ""
    return Row(title, outcome.points, outcome.acks, kept(outcome.broken, note))


def power_under_writers(programme: Programme) -> Row:
    title = "power cuts under a writer (ext4, frozen)"
    if reason := power.missing():
        return Row(title, verdict=f"SKIPPED: {reason}")
    cuts = 3 if programme.sample else 10_000
    place = programme.folder / "power"
    outcome = power.cut_writers(place, cuts, programme.seed, until=programme.lasting(0.2))
    return Row(title, outcome.cuts, outcome.acks, kept(outcome.broken))


def power_after_files(way: str) -> Part:
    def part(programme: Programme) -> Row:
        title = f"power cuts right after a file's {way}"
        if reason := power.missing():
            return Row(title, verdict=f"SKIPPED: {reason}")
        place = programme.folder / f"files-{way}"
        outcome = power.cut_files(place, 2 if programme.sample else 50, way)
        return Row(title, outcome.cuts, outcome.acks, kept(outcome.broken))

    return part


def flush_kills(programme: Programme) -> Row:
    """Two that flush the same conversation die together."""
    count = 6 if programme.sample else 500
    return killed(programme, "flush_kills", "kills of two racing flushes", count)


def kills(programme: Programme) -> Row:
    """Whatever time is left, and thousands in any case."""
    if programme.sample:
        return killed(programme, "kills", "kills at random moments", 10)
    left = max(programme.started + programme.seconds - time.monotonic(), 0)
    return killed(programme, "kills", "kills at random moments", 1_000, "--seconds", left)


def killed(programme: Programme, program: str, title: str, count: int, *options: object) -> Row:
    """So many kills each by two that run side by side: the one computes, the other waits."""

    def run(seed: int) -> dict[str, Any]:
        place = programme.place(f"{program}-{seed}")
        return run_program(program, place, "--kills", count, "--seed", seed, *options)

    with ThreadPoolExecutor(2) as pool:
        report = list(pool.map(run, (programme.seed, programme.seed + 1)))
    broken = [promise for one in report for promise in one["broken"]]
    tries, acks = (sum(one[name] for one in report) for name in ("kills", "acks"))
    return Row(title, tries, acks, kept(broken))


PARTS: tuple[Part, ...] = (
    mutant_by_kills("M7"),
    mutant_by_kills("M8"),
    mutant_by_kills("flush-no-marks", "flush_kills"),
    mutant_by_kills("flush-no-intent", "flush_kills"),
    mutant_by_sweep("M9-pragma"),
    mutant_by_sweep("M9-commit"),
    *(mutant_by_walls(name) for name in ("M10", "M11", "M12", "M13")),
    mutant_by_cut("M1-normal"),
    mutant_by_cut("M1-off"),
    mutant_by_cut("M2", "create"),
    mutant_by_cut("M2", "swap"),
    mutant_by_cut("M3", "create"),
    mutant_by_cut("M3", "swap"),
    disks,
    power_after_files("create"),
    power_after_files("swap"),
    system_calls,
    power_under_writers,
    flush_kills,
    kills,
    twin_worlds,
)

if __name__ == "__main__":
    os.chdir(ROOT)
    main()
