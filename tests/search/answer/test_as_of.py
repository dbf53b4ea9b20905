"""A question about the past finds entries in their wording of that time."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener

THEN = "2026-10-20T12:00:00Z"
BETWEEN = "2026-11-01"
OLD = "The archive is kept in a cellar below the bakery."
NEW = "All papers were brought to Lindholm street 4."


class Clock:
    now = THEN

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(opened: Opener, clock: Clock) -> Workspace:
    return opened(clock=clock)


def reword(memory: Workspace, root: Path, old: str, new: str) -> None:
    """A person changes a line of a domain file."""
    memory.sync()
    path = next(path for path in (root / "memory/domains").glob("*.md") if old in path.read_text())
    path.write_text(path.read_text().replace(old, new))
    memory.sync()


@pytest.fixture
def reworded(memory: Workspace, root: Path, clock: Clock) -> str:
    """An entry whose wording of today shares no word with that of October."""
    id_ = memory.store(category="fact", content=OLD).id
    memory.store(category="fact", content="The bakery opens at seven.")
    clock.now = "2026-11-10T12:00:00Z"
    reword(memory, root, OLD, NEW)
    assert memory.entry(id_).content == NEW
    return id_


def found(memory: Workspace, query: str, **asked: str) -> dict[str, str]:
    return {entry.id: entry.content for entry in memory.recall(query, **asked).entries}


def test_a_reworded_entry_is_found_by_its_earlier_words(memory: Workspace, reworded: str) -> None:
    assert found(memory, "which cellar?", as_of=BETWEEN)[reworded] == OLD
    assert found(memory, "cellars", as_of=BETWEEN)[reworded] == OLD


def test_a_question_about_today_only_matches_the_present_words(
    memory: Workspace, reworded: str
) -> None:
    assert reworded not in found(memory, "which cellar?")
    assert found(memory, "Lindholm")[reworded] == NEW


def test_earlier_words_only_match_while_they_were_valid(memory: Workspace, reworded: str) -> None:
    assert reworded not in found(memory, "which cellar?", as_of="2026-10-01")
    assert reworded not in found(memory, "which cellar?", as_of="2026-11-12")


def test_an_entry_that_both_wordings_match_is_shown_once(memory: Workspace, reworded: str) -> None:
    answer = memory.recall("cellar or Lindholm", as_of=BETWEEN)

    assert [entry.id for entry in answer.entries].count(reworded) == 1


def test_earlier_words_in_chinese_are_found(memory: Workspace, root: Path, clock: Clock) -> None:
    id_ = memory.store(category="fact", content="仓库的钥匙在花盆下面。").id
    clock.now = "2026-11-10T12:00:00Z"
    reword(memory, root, "仓库的钥匙在花盆下面。", "现在改用指纹开门。")

    assert id_ in found(memory, "花盆", as_of=BETWEEN)
    assert id_ not in found(memory, "花盆")


def test_filters_apply_to_the_past(memory: Workspace, reworded: str) -> None:
    answer = memory.recall("which cellar?", categories=["decision"], as_of=BETWEEN)

    assert reworded not in [entry.id for entry in answer.entries]
