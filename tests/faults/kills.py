"""Kill a writer at random moments, repeatedly: nothing may be lost.

    python -m tests.faults.kills FOLDER --kills N --seed S [--seconds T] [--mutant NAME]

It ends when both are used up: the kills and, where any are given, the seconds.

Prints one JSON line: how many kills, how many acknowledgements, and what was broken.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from tests.faults import checker, crowd
from tests.faults.ledger import Ledger
from tests.faults.writer_program import write
from tests.mutants import apply

_PER_WORKSPACE = 5
"""Kills that one workspace must live through before a new one is taken."""


@dataclass
class Outcome:
    """What a number of kills has shown."""

    seed: int
    kills: int = 0
    acks: int = 0
    broken: list[str] = field(default_factory=list)


def run(folder: Path, kills: int, seed: int, until: float) -> Outcome:
    """Kill so often, and until the clock says so, or until a promise is broken."""
    random = Random(seed)
    outcome = Outcome(seed)
    while (outcome.kills < kills or time.monotonic() < until) and not outcome.broken:
        workspace = folder / f"workspace-{outcome.kills}"
        ledger = Ledger()
        for _ in range(_PER_WORKSPACE):
            outcome.acks += killed(workspace, random, ledger)
            outcome.kills += 1
            outcome.broken += checked(workspace, ledger)
        if not outcome.broken:
            shutil.rmtree(workspace, ignore_errors=True)
    return outcome


def killed(workspace: Path, random: Random, ledger: Ledger) -> int:
    """One writer that does not live long; how much it acknowledged.

    It dies while it opens, or right after it has said something, or at any time.
    """
    seed = random.randrange(10**9)
    child = crowd.start(lambda say: write(workspace, seed, say))
    lines, pause = random.choice(
        [
            (0, random.uniform(0, 0.1)),
            (random.randint(1, 6), 0.0),
            (1, random.uniform(0, 0.2)),
        ]
    )
    while child.heard.count(b"\n") < lines and child.listen():
        pass
    time.sleep(pause)
    child.kill()
    child.end()
    ledger.cut_short += 1
    return ledger.record(child.heard)


def checked(workspace: Path, ledger: Ledger) -> list[str]:
    """What a process finds that has never seen the workspace before."""
    return found_by_another(lambda: checker.problems(workspace, ledger))


def found_by_another(look: Callable[[], Iterable[object]]) -> list[str]:
    """The problems that a new process finds."""

    def report(say: crowd.Say) -> None:
        for problem in look():
            say(f"{problem}\n".encode())

    child = crowd.start(report)
    status = child.end()
    found = child.heard.decode().splitlines()
    return found if status == 0 else [*found, f"the checker ended with {status}"]


def main(run: Callable[[Path, int, int, float], Outcome], description: str | None) -> None:
    """Run a programme with the options of the command line, and print what it has shown."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--mutant")
    options = parser.parse_args()
    if options.mutant:
        apply(options.mutant)
    until = time.monotonic() + options.seconds
    print(json.dumps(asdict(run(options.folder, options.kills, options.seed, until))))


if __name__ == "__main__":
    main(run, __doc__)
