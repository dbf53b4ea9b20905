"""Kill flushes at random moments, two at a time: no lesson may be lost or doubled.

    python -m tests.faults.flush_kills FOLDER --kills N --seed S [--seconds T] [--mutant NAME]

Prints one JSON line: how many kills, how many acknowledgements, and what was broken.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random

from remem.app.opening import open_workspace
from tests.faults import crowd, flush_checker
from tests.faults.flush_program import GROUP, MAIN, flush_on, prepare
from tests.faults.kills import Outcome, found_by_another, main

_PER_WORKSPACE = 4


def run(folder: Path, kills: int, seed: int, until: float) -> Outcome:
    random = Random(seed)
    outcome = Outcome(seed)
    while (outcome.kills < kills or time.monotonic() < until) and not outcome.broken:
        workspace = folder / f"workspace-{outcome.kills}"
        prepare(workspace)
        session = random.choice([MAIN, GROUP])
        story = random.randrange(10**6)
        acked: set[tuple[str, str, str]] = set()
        for _ in range(_PER_WORKSPACE):
            acked |= killed(workspace, session, story, random)
            outcome.kills += 1
            outcome.broken += checked(workspace, session, acked)
        outcome.acks += len(acked)
        if not outcome.broken:
            shutil.rmtree(workspace)
    return outcome


def killed(workspace: Path, session: str, story: int, random: Random) -> set[tuple[str, str, str]]:
    """Two that tell the same story at the same time, neither of whom lives long."""
    children = [
        crowd.start(lambda say, n=n: flush_on(workspace, session, story, say, teller=n))
        for n in range(2)
    ]
    lines = random.choice([0, 1, random.randint(2, 60)])
    while children[0].heard.count(b"\n") < lines and children[0].listen():
        pass
    time.sleep(random.uniform(0, 0.15))
    acked: set[tuple[str, str, str]] = set()
    for child in children:
        child.kill()
    for child in children:
        child.end()
        for line in child.heard.split(b"\n")[:-1]:
            if line != b"open":
                word, kind, home = json.loads(line)
                acked.add((word, kind, home))
    return acked


def checked(workspace: Path, session: str, acked: set[tuple[str, str, str]]) -> list[str]:
    """What a process finds after the memory was opened once more."""

    def look() -> Iterable[object]:
        with open_workspace(workspace, session, background=False) as memory:
            memory.sync()
        return flush_checker.problems(workspace, session, acked)

    return found_by_another(look)


if __name__ == "__main__":
    main(run, __doc__)
