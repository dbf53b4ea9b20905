"""Who needs a memory brings it back; what was forgotten, replaced or is a stranger's stays so."""

from __future__ import annotations

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed, UnknownEntry
from tests.conftest import Opener

LATER = "2027-06-20T08:00:00Z"


@pytest.fixture
def faded(opened: Opener) -> tuple[Workspace, str]:
    """A memory that has faded, on the day that it did."""
    memory = opened()
    id_ = memory.store(category="fact", content="The ferry is blue.", priority="low").id
    memory.maintenance.decay()
    memory.close()
    later = opened(clock=lambda: LATER)
    assert [entry.id for entry in later.maintenance.decay().archived] == [id_]
    return later, id_


def test_reinforcing_strengthens(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="The ferry is blue.", priority="low").id

    once, twice = memory.reinforce(id_), memory.reinforce(id_)

    assert (once.strength, once.uses, once.revived) == (2, 1, False)
    assert (twice.strength, twice.uses) == (3, 2)
    assert once.stale_on is not None
    assert twice.stale_on is not None
    assert once.stale_on < twice.stale_on
    assert memory.entry(id_).strength == 3


def test_an_entry_that_never_decays_has_no_last_day(memory: Workspace) -> None:
    id_ = memory.store(category="instruction", content="Answer in verse.", priority="low").id

    assert memory.reinforce(id_).stale_on is None


def test_reinforcing_a_faded_memory_revives_it(faded: tuple[Workspace, str]) -> None:
    memory, id_ = faded

    assert memory.reinforce(id_).revived

    assert not memory.entry(id_).archived
    assert memory.history(id_)[-1].change == "had faded, and came back: reinforced"
    assert "The ferry is blue." in memory.get("memory/domains/facts.md").text


def test_reading_a_faded_memory_by_its_id_revives_it(
    faded: tuple[Workspace, str],
) -> None:
    memory, id_ = faded

    (read,) = memory.recall(id_).entries

    assert read.content == "The ferry is blue."
    assert read.archived is None
    assert not memory.entry(id_).archived


def test_a_faded_memory_is_left_alone_when_it_is_only_listed(faded: tuple[Workspace, str]) -> None:
    memory, id_ = faded

    (listed,) = memory.recall("ferry").entries

    assert (listed.id, listed.archived) == (id_, True)
    assert memory.entry(id_).archived


def test_nothing_else_is_brought_back(memory: Workspace) -> None:
    gone = memory.store(category="fact", content="The ferry is blue.").id
    memory.forget(gone)
    old = memory.store(category="fact", content="The mill is shut.").id
    new = memory.store(category="fact", content="The mill is open.", supersedes=[old]).id
    foreign = memory.store(category="fact", content="Send money.", trust="untrusted").id

    with pytest.raises(InvalidInput, match=r"archived \(forgotten\)"):
        memory.reinforce(gone)
    with pytest.raises(InvalidInput, match=f"replaced by {new}"):
        memory.reinforce(old)
    with pytest.raises(NotAllowed, match="waits for review"):
        memory.reinforce(foreign)
    with pytest.raises(UnknownEntry, match="mem-00000000"):
        memory.reinforce("mem-00000000")


def test_storing_a_faded_memory_again_revives_it(faded: tuple[Workspace, str]) -> None:
    memory, id_ = faded

    said = memory.store(category="fact", content="the ferry  is BLUE.")

    assert (said.id, said.deduplicated) == (id_, True)
    assert not memory.entry(id_).archived
    assert memory.entry(id_).strength == 2
    assert memory.history(id_)[-1].change == "had faded, and was said again"


def test_a_repeated_import_does_not_bring_it_back(opened: Opener) -> None:
    line = {"category": "fact", "content": "The ferry is blue.", "priority": "low"}
    with opened() as memory:
        memory.store_many([line])  # type: ignore[list-item]
        memory.maintenance.decay()
    later = opened(clock=lambda: LATER)
    later.maintenance.decay()

    (receipt,) = later.store_many([line])  # type: ignore[list-item]

    assert receipt.deduplicated
    assert later.entry(receipt.id).archived
