"""A writer is killed at random moments; what it had acknowledged is there, once and whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.killing import SEED, killed, wanted


@pytest.mark.kill
def test_nothing_acknowledged_is_lost_to_a_kill(tmp_path: Path) -> None:
    outcome = killed("kills", tmp_path, wanted(8), SEED)

    assert outcome["broken"] == []
    assert outcome["kills"] >= wanted(8)
    assert outcome["acks"] > 0


@pytest.mark.slow  # CI plants the same with scripts/faults.py
@pytest.mark.kill
@pytest.mark.parametrize(("mutant", "says"), [("M7", "lost"), ("M8", "stands in 0 bullets")])
def test_a_store_that_speaks_too_soon_or_forgets_its_outbox_is_caught(
    tmp_path: Path, mutant: str, says: str
) -> None:
    outcome = killed("kills", tmp_path, 600, 1, "--mutant", mutant)

    assert says in " ".join(outcome["broken"])
