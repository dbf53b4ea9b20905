"""A heartbeat or a consolidation may be killed at any of its writes: everything is there once."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.ports.records import Where
from tests.conftest import NOW
from tests.faults import crowd
from tests.mutants import flush as mutants
from tests.samples.talks import talk

OSLO = "I moved to Oslo in May."
MARA = "Mara is our new designer."
BOAT = "I'm thinking of buying a small sailing boat."
TASK = "call the harbour on Friday."
_FURTHER = 2
"""Each run dies so many writes later than the one before, whose work it goes on with."""


@pytest.fixture(autouse=True)
def said(root: Path, home: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    settings = 'timezone = "UTC"\nembedder = "none"\ntranscripts = ["main"]\n'
    (root / ".remem/config.toml").write_text(settings)
    talk(home, root, "one", [OSLO, BOAT, f"Please remind me to {TASK}"], day="2026-11-09")
    talk(home, root, "two", [MARA, BOAT], day="2026-11-10")


def opened(root: Path) -> Workspace:
    return open_workspace(root, background=False, counter=EstimatedCounter(), clock=lambda: NOW)


def learn(root: Path) -> None:
    with opened(root) as memory:
        memory.maintenance.heartbeat()
        memory.maintenance.consolidate()


def killed_at(root: Path, write: int, spoil: Callable[[], None] = lambda: None) -> bool:
    """Learn in a process that dies when it syncs a file for the n-th time; whether it died."""
    real, left = os.fsync, [write]

    def dying(descriptor: int) -> None:
        real(descriptor)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def act(_say: crowd.Say) -> None:
        os.fsync = dying
        spoil()
        learn(root)

    return crowd.start(act).end() == -signal.SIGKILL


def test_a_kill_at_any_write_loses_nothing_and_doubles_nothing(root: Path) -> None:
    points = 1
    while killed_at(root, points):
        points += _FURTHER
    learn(root)

    assert points > 2 * _FURTHER
    with opened(root) as memory, memory.services.store.read() as snapshot:
        assert sorted(entry.content for entry in snapshot.select(Where(state="any"))) == sorted(
            [OSLO, BOAT]
        )
        assert {entry.strength for entry in snapshot.select(Where(state="any"))} == {1}
    facts = json.loads((root / "brain/areas/mara/items.json").read_text())
    assert [fact["fact"] for fact in facts] == [MARA]
    notes = "".join(path.read_text() for path in (root / "memory").glob("2026-*.md"))
    assert (notes.count(OSLO), notes.count(MARA), notes.count(TASK)) == (1, 1, 1)
    assert (root / "memory/main/attention.md").read_text().count(TASK) == 1


def test_a_change_that_is_forgotten_before_it_is_made_would_be_caught(root: Path) -> None:
    points = 1
    while killed_at(root, points, mutants.without_intents):
        points += _FURTHER

    notes = "".join(path.read_text() for path in (root / "memory").glob("2026-*.md"))
    facts = root / "brain/areas/mara/items.json"
    told = notes + (facts.read_text() if facts.exists() else "")
    assert min(told.count(OSLO), told.count(TASK), told.count(MARA) - 1) < 1
