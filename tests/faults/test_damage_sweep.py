"""A changed byte anywhere in a database is noticed or does no harm, and what can be healed is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from remem.stores.sqlite import examine
from tests.faults.damage import Held, one_case, template

pytestmark = pytest.mark.disk

CASES = 12
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

    assert [each for each in cases if each.verdict not in GOOD] == []
    assert Counter(each.verdict for each in cases)["healed"] > 0


def test_a_doctor_that_does_not_look_at_records_would_be_caught(
    origin: tuple[Path, Held], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, before = origin
    monkeypatch.setattr(examine, "is_sound", lambda _values: True)
    monkeypatch.setattr(examine, "_derived", lambda _connection: ())
    monkeypatch.setattr(examine, "_structure", lambda _connection: ())
    rng = Random(5)

    cases = [one_case(root, before, tmp_path / str(i), "entries.db", rng) for i in range(CASES)]

    assert any(each.verdict not in GOOD for each in cases)
