"""A killed migration is finished by the next one, with the result of an undisturbed run.

The step at which it dies is chosen beforehand, so that the speed of the machine does not matter.
REMEM_KILLS=n sets the number of kills; REMEM_FAULT_SEED=n chooses other steps.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from remem.app.opening import open_workspace
from tests.conftest import NOW
from tests.faults.killing import SEED, wanted
from tests.setup.migrate.test_migrate import states, write
from tests.tiers import EVERYTHING

RULE = "Never restart machine {} without telling {} first, not even at night."
WHO = ("Mara", "Pim", "Yrsa")


def files() -> dict[str, str]:
    """Notes that repeat and extend each other, so that the order of storing matters."""
    notes = {
        f"memory/{2020 + n % 7}-01-{n % 28 + 1:02}-{n}.md": "# Day\n"
        + "\n".join(f"- {RULE.format((n * 4 + k) % 60, WHO[k % 3])}" for k in range(12))
        + f"\n- Lesson: disk {n} fails when it is full. {'It smokes too.' if n % 2 else ''}\n"
        for n in range(18 if EVERYTHING else 8)
    }
    rules = "\n".join(f"- {RULE.format(k, WHO[k % 3])}" for k in range(0, 30, 3))
    return {"MEMORY.md": f"## Rules\n{rules}\n", **notes}


def run(root: Path, last: int | None = None) -> int | None:
    """Migrate in a process of its own: how many steps it took, or None if it was killed."""
    command = [sys.executable, "-m", "tests.setup.migrate.program", str(root)]
    if last is not None:
        command.append(str(last))
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0
    return int(done.stdout)


def prepared(root: Path) -> Path:
    write(root, **{".remem/config.toml": 'embedder = "none"\n', **files()})
    for path in root.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return root


def stored(root: Path) -> list[tuple[object, ...]]:
    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        return states(memory)


@pytest.mark.kill
def test_a_killed_migration_is_finished_by_the_next_run(tmp_path: Path) -> None:
    print(f"REMEM_FAULT_SEED={SEED}")
    whole = prepared(tmp_path / "whole")
    steps = run(whole)
    expected = stored(whole)
    assert steps is not None
    chance = Random(SEED)
    half_done = 0

    for number in range(wanted(1)):
        root = prepared(tmp_path / f"killed-{number}")
        # The very first is half-way for sure: some files are stored by then, and some are not.
        first = chance.randint(1, steps) if number else steps // 2
        for last in (first, chance.randint(1, steps)):
            run(root, last)
            half_done += 0 < len(stored(root)) < len(expected)
        run(root)
        assert stored(root) == expected

    assert half_done, "no kill has met a migration half-way; make the sample larger"


@pytest.mark.slow
@pytest.mark.kill
def test_the_test_program_dies_where_it_should(tmp_path: Path) -> None:
    root = prepared(tmp_path / "killed")

    assert run(root, 100) is None
