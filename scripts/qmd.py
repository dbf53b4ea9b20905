"""Compare the speed of `remem refresh` with that of `qmd update`.

Both read the same 1,001 generated files (4 MB), in turn, in one run; run by `make hosts`, which
installs qmd.
"""

from __future__ import annotations

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

from bench.processes import compile_remem
from bench.workload import Workload

ROUNDS = 5
NOTES = 1_000
SIZE = 3_000
SETTLING = 2.5
"""Seconds after which the first look at fresh files is over for both."""


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and those that the processors worked."""

    clock: float
    processor: float


@dataclass(frozen=True)
class Contestant:
    """One program: how it begins from nothing, and how it brings itself up to date."""

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

    def timed(self) -> Taken:
        started, before = perf_counter(), processor_time()
        self.run(self.update)
        return Taken(perf_counter() - started, processor_time() - before)

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
        ours, theirs = contestants(qmd, Path(folder), workspace)
        first: dict[str, list[Taken]] = {ours.name: [], theirs.name: []}
        again: dict[str, list[Taken]] = {ours.name: [], theirs.name: []}
        for _ in range(ROUNDS):
            for each in (ours, theirs):
                each.begin()
                first[each.name].append(each.timed())
        for each in (ours, theirs):
            each.run(each.update)
        sleep(SETTLING)
        for _ in range(ROUNDS):
            for each in (ours, theirs):
                again[each.name].append(each.timed())
    report(ours.name, theirs.name, first, again)


def report(
    ours: str, theirs: str, first: dict[str, list[Taken]], again: dict[str, list[Taken]]
) -> None:
    """A measurement, not a test: a goal that is missed on a busy machine stops nothing."""
    for what, taken, goal in (("from nothing", first, 2.0), ("nothing changed", again, 1.0)):
        we, they = (median(each.clock for each in taken[name]) for name in (ours, theirs))
        work = [median(each.processor for each in taken[name]) for name in (ours, theirs)]
        met = "ok " if they / we >= goal else "NOT"
        print(
            f"{met} {what}: {ours} {we:.2f} s, {theirs} {they:.2f} s, "
            f"{they / we:.2f} times as fast (goal {goal:g}); "
            f"processor time {work[0]:.2f} s and {work[1]:.2f} s"
        )


def contestants(qmd: str, folder: Path, workspace: Path) -> tuple[Contestant, Contestant]:
    home = folder / "home"
    places = {"XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    environment = {**os.environ, "HOME": str(home), **places}
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
    """A curated file and a thousand daily notes; returns how many bytes they have."""
    random = Random(3)  # noqa: S311 - made-up text needs no secure numbers
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
    main(sys.argv[1])
