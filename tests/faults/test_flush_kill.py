"""A flush is killed at random moments, two at a time; what it had acknowledged stands in its one
home, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.killing import SEED, killed, wanted


@pytest.mark.kill
def test_no_lesson_is_lost_or_doubled_by_a_kill(tmp_path: Path) -> None:
    outcome = killed("flush_kills", tmp_path, wanted(8), SEED)

    assert outcome["broken"] == []
    assert outcome["kills"] >= wanted(8)


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.parametrize("mutant", ["flush-no-marks", "flush-no-intent"])
def test_a_flush_without_marks_or_without_intents_is_caught(tmp_path: Path, mutant: str) -> None:
    outcome = killed("flush_kills", tmp_path, 600, 1, "--mutant", mutant)

    assert outcome["broken"]
