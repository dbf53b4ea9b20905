"""A migration that is killed is finished by the next one, as if nothing had happened.

REMEM_KILLS=n kills so often; REMEM_FAULT_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remem import open_workspace
from tests.conftest import NOW
from tests.maintenance.migrate.test_run import states, write

KILLS = int(os.environ.get("REMEM_KILLS") or 4)
SEED = int(os.environ.get("REMEM_FAULT_SEED") or random.randrange(10**6))

RULE = "Never restart machine {} without telling {} first, not even at night."
WHO = ("Mara", "Pim", "Yrsa")


def files() -> dict[str, str]:
    """Notes that repeat and extend each other, so that the order of storing matters."""
    notes = {
        f"memory/{2020 + n % 7}-01-{n % 28 + 1:02}-{n}.md": "# Day\n"
        + "\n".join(f"- {RULE.format((n * 7 + k) % 300, WHO[k % 3])}" for k in range(25))
        + f"\n- Lesson: disk {n} fails when it is full. {'It smokes too.' if n % 2 else ''}\n"
        for n in range(48)
    }
    rules = "\n".join(f"- {RULE.format(k, WHO[k % 3])}" for k in range(0, 90, 3))
    return {"MEMORY.md": f"## Rules\n{rules}\n", **notes}


def run(root: Path, kill_after: float | None = None) -> float:
    """Migrate in a process of its own, perhaps killed; how long it took from its beginning."""
    command = [sys.executable, "-m", "tests.maintenance.migrate.program", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begun = time.monotonic()
        if kill_after is None:
            assert process.stdout.read().endswith("ended\n")
        else:
            time.sleep(kill_after)
            process.kill()
    return time.monotonic() - begun


def prepared(root: Path) -> Path:
    write(root, **{".remem/config.toml": 'embedder = "none"\n', **files()})
    for path in root.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return root


def stored(root: Path) -> list[tuple[object, ...]]:
    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        return states(memory)


@pytest.mark.kill
def test_killed_anywhere_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    print(f"REMEM_FAULT_SEED={SEED}")
    whole = prepared(tmp_path / "whole")
    took = run(whole)
    expected = stored(whole)
    chance = random.Random(SEED)
    half_done = 0

    for number in range(KILLS):
        root = prepared(tmp_path / f"killed-{number}")
        for _ in range(2):
            run(root, kill_after=chance.uniform(0, took))
            half_done += 0 < len(stored(root)) < len(expected)
        run(root)
        assert stored(root) == expected

    assert half_done, "no kill has met a migration half-way; make the sample larger"
