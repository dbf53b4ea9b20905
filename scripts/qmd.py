"""Compare the speed of `remem refresh` with that of `qmd update`.

    python scripts/qmd.py QMD_PROGRAM

Both read the same 1,001 generated files (4 MB), in turn, in one run. `make hosts` installs qmd and
runs this script.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, sleep

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import compile_remem
from bench.workload import Workload

ROUNDS = 5
NOTES = 1_000
SIZE = 3_000
SETTLING_SECONDS = 2.5
"""After this time both programs have finished looking at new files."""


@dataclass(frozen=True)
class Duration:
    """Seconds of wall-clock time and of processor time."""

    clock: float
    processor: float


@dataclass(frozen=True)
class Contestant:
    """A program with its commands to start from nothing and to update its index."""

    name: str
    reset: list[Path]
    update: list[str]
    environment: dict[str, str]
    prepare: list[str] | None = None

    def begin(self) -> None:
        for path in self.reset:
            shutil.rmtree(path, ignore_errors=True)
        if self.prepare:
            self.run(self.prepare)

    def timed(self) -> Duration:
        started, before = perf_counter(), processor_time()
        self.run(self.update)
        return Duration(perf_counter() - started, processor_time() - before)

    def run(self, command: list[str]) -> str:
        done = subprocess.run(  # noqa: S603 - the two programs that are compared
            command, env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(qmd: str) -> None:
    compile_remem()
    with tempfile.TemporaryDirectory(prefix="remem-qmd-") as folder:
        workspace = Path(folder, "workspace")
        size = make_notes(workspace)
        print(f"{NOTES + 1:,} files, {size / 1e6:.1f} MB, the median of {ROUNDS} rounds")
        remem, other = both = contestants(qmd, Path(folder), workspace)
        first: dict[str, list[Duration]] = {remem.name: [], other.name: []}
        again: dict[str, list[Duration]] = {remem.name: [], other.name: []}
        for _ in range(ROUNDS):
            for contestant in both:
                contestant.begin()
                first[contestant.name].append(contestant.timed())
        for contestant in both:
            contestant.run(contestant.update)
        sleep(SETTLING_SECONDS)
        for _ in range(ROUNDS):
            for contestant in both:
                again[contestant.name].append(contestant.timed())
    report(remem.name, other.name, first, again)


def report(
    remem: str, other: str, first: dict[str, list[Duration]], again: dict[str, list[Duration]]
) -> None:
    """Print the medians. A missed goal is not an error: the machine may be busy."""
    for what, durations, goal in (("from nothing", first, 2.0), ("nothing changed", again, 1.0)):
        ours, theirs = (median(run.clock for run in durations[name]) for name in (remem, other))
        work = [median(run.processor for run in durations[name]) for name in (remem, other)]
        met = "ok " if theirs / ours >= goal else "NOT"
        print(
            f"{met} {what}: {remem} {ours:.2f} s, {other} {theirs:.2f} s, "
            f"{theirs / ours:.2f} times as fast (goal {goal:g}); "
            f"processor time {work[0]:.2f} s and {work[1]:.2f} s"
        )


def contestants(qmd: str, folder: Path, workspace: Path) -> tuple[Contestant, Contestant]:
    home = folder / "home"
    xdg = {"XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    environment = {**os.environ, "HOME": str(home), **xdg}
    home.mkdir()
    remem = [sys.executable, "-m", "remem", "--workspace", str(workspace)]
    ours = Contestant(
        "remem refresh",
        [workspace / ".remem"],
        [*remem, "refresh"],
        environment,
        prepare=[*remem, "init"],
    )
    theirs = Contestant("qmd update", [home / "cache"], [qmd, "update"], environment)
    theirs.run([qmd, "collection", "add", str(workspace), "--name", "ws", "--mask", "**/*.md"])
    return ours, theirs


def make_notes(workspace: Path) -> int:
    """Write a curated file and a thousand daily notes; return their size in bytes."""
    random = Random(3)
    sentences = iter(Workload().texts(60_000))

    def note(title: str, size: int) -> str:
        lines = [f"# {title}", ""]
        length = 0
        while length < size:
            kind = random.random()
            text = next(sentences)
            if kind < 0.08:
                lines += ["", f"## {text[:40]}", ""]
            elif kind < 0.7:
                lines.append(f"- {text}")
            else:
                lines += ["", f"{text}. {next(sentences)}.", ""]
            length += len(text)
        return "\n".join(lines) + "\n"

    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(note("Memory", 20_000), encoding="utf-8")
    for number in range(NOTES):
        day = date(2024, 1, 1) + timedelta(days=number)
        text = note(str(day), random.randrange(SIZE // 2, SIZE + SIZE // 2))
        (workspace / "memory" / f"{day}.md").write_text(text, encoding="utf-8")
    return sum(path.stat().st_size for path in workspace.rglob("*.md"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("qmd", metavar="QMD_PROGRAM", help="path of the qmd program")
    main(parser.parse_args().qmd)
