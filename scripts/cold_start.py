"""Compare how long cold commands take with two installations of remem, in interleaved runs.

python scripts/cold_start.py OLD_PYTHON NEW_PYTHON [COMMAND ...]

Each installation gets its own workspace with the same files, migrated and refreshed. The ratio is
the median over pairs of runs, first of the processor time, which other programs hardly change, then
of the time on the clock. Byte code is cached, as it is on a user's machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

PEOPLE: Final = ("Mara", "Ines", "Tom", "Ada", "Noor")
ROOMS: Final = ("garden", "kitchen", "office")
COMMANDS: Final = ("index", "status")
Times = tuple[float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old", help="the interpreter of the environment to compare with")
    parser.add_argument("new", help="the interpreter of the other environment")
    parser.add_argument("commands", nargs="*", default=COMMANDS, help="by default index and status")
    parser.add_argument("--pairs", type=int, default=15, help="pairs of runs for each command")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="remem-cold-") as folder:
        old = prepared(given.old, Path(folder) / "old")
        new = prepared(given.new, Path(folder) / "new")
        for command in given.commands:
            report(command, old, new, given.pairs)


def prepared(python: str, root: Path) -> list[str]:
    """The command line of an installation, with a workspace in which nothing is left to do."""
    write_notes(root)
    line = [python, "-m", "remem", "--workspace", str(root)]
    run([python, "-m", "remem", "init", str(root)])
    for words in (["migrate"], ["refresh", "--vectors"], ["index"], ["status"]):
        run([*line, *words])
    return line


def write_notes(root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    wishes = [
        f"- {PEOPLE[n % 5]} prefers tool {n} for the {ROOMS[n % 3]} on day {n}." for n in range(60)
    ]
    rules = [f"- Never ship project {n} without a review by {PEOPLE[n % 5]}." for n in range(30)]
    lines = ["# Memory", "", "## Preferences", "", *wishes, "", "## Rules", "", *rules]
    (root / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for day in range(1, 21):
        done = [f"- Worked on part {day}-{n} with {PEOPLE[(day + n) % 5]}." for n in range(15)]
        note = root / "memory" / f"2026-10-{day:02d}.md"
        note.write_text("\n".join([f"# 2026-10-{day:02d}", "", *done]) + "\n", encoding="utf-8")


def report(command: str, old: list[str], new: list[str], pairs: int) -> None:
    words = command.split()
    times: list[tuple[Times, Times]] = []
    for number in range(pairs):
        if number % 2:
            first = run([*old, *words])
            times.append((first, run([*new, *words])))
        else:
            second = run([*new, *words])
            times.append((run([*old, *words]), second))
    for at, what in enumerate(("processor", "clock")):
        ratio = statistics.median(new[at] / old[at] for old, new in times)
        before = statistics.median(old[at] for old, _ in times)
        after = statistics.median(new[at] for _, new in times)
        print(
            f"{command}: {what} {before * 1000:.0f} -> {after * 1000:.0f} ms, ratio {ratio:.2f}",
            flush=True,
        )


def run(line: list[str]) -> Times:
    """Run a command; return its processor time and its time on the clock, in seconds."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, check=True, capture_output=True, env=environment)  # noqa: S603 - our own program
    duration = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, duration


if __name__ == "__main__":
    main()
