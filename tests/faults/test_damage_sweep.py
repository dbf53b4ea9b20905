"""A changed byte anywhere in a database is noticed or does no harm, and what can be healed is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from remem.entries import sync
from remem.entries.domain_sync import sync_file
from remem.store.sqlite import examine
from tests.faults import log_damage
from tests.faults.damage import Held, one_case, template
from tests.tiers import EVERYTHING

pytestmark = pytest.mark.disk

CASES = 12 if EVERYTHING else 5
GOOD = {"harmless", "healed", "reported"}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Held]:
    root = tmp_path_factory.mktemp("damage") / "workspace"
    return root, template(root)


@pytest.mark.parametrize("name", ["entries.db", "passages.db"])
def test_no_changed_byte_passes_in_silence(
    origin: tuple[Path, Held], tmp_path: Path, name: str
) -> None:
    root, before = origin
    rng = Random(f"sweep {name}")

    cases = [one_case(root, before, tmp_path / str(i), name, rng) for i in range(CASES)]

    assert [case for case in cases if case.verdict not in GOOD] == []
    assert Counter(case.verdict for case in cases)["healed"] > 0


def test_a_doctor_that_does_not_look_at_records_would_be_caught(
    origin: tuple[Path, Held], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, before = origin
    monkeypatch.setattr(examine, "is_intact", lambda _values: True)
    monkeypatch.setattr(examine, "_derived_problems", lambda _connection: ())
    monkeypatch.setattr(examine, "_file_problems", lambda _connection: ())
    rng = Random(5)

    cases = (one_case(root, before, tmp_path / str(i), "entries.db", rng) for i in range(12))

    assert any(case.verdict not in GOOD for case in cases)


@pytest.mark.slow
@pytest.mark.parametrize("name", log_damage.FILES)
@pytest.mark.parametrize("killed", [{}, {"checkpoints": 12}, {"unwritten": 4}], ids=str)
def test_no_damage_to_the_log_of_a_killed_process_passes_in_silence(
    tmp_path: Path, name: str, killed: dict[str, int]
) -> None:
    root = tmp_path / "workspace"
    acknowledged = log_damage.killed(root, **killed)
    rng = Random(f"log {name} {killed}")

    cases = [
        log_damage.one_case(root, acknowledged, tmp_path / str(i), name, rng) for i in range(5)
    ]

    assert [case for case in cases if case.verdict not in GOOD] == []


def test_an_open_that_takes_a_shorter_log_for_the_truth_would_be_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "workspace"
    acknowledged = log_damage.killed(root)
    monkeypatch.setattr(sync_file.FileSync, "_restore_unknown", lambda *_: {})
    monkeypatch.setattr(sync.Sync, "_record_loss", lambda _: None)
    rng = Random(3)

    cases = (
        log_damage.one_case(root, acknowledged, tmp_path / str(i), "entries.db-wal", rng)
        for i in range(4)
    )

    assert any(case.verdict not in GOOD for case in cases)
