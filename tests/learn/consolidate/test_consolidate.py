"""Statements that recur in several conversations are stored; a run can be undone as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.errors import InvalidInput
from remem.model.entry import Entry
from remem.ports.records import Where
from tests.conftest import NOW, Opener
from tests.faults import crowd
from tests.samples.talks import talk

pytestmark = pytest.mark.usefixtures("conversations_allowed")

BOAT = "I'm thinking of buying a small sailing boat."
BOAT_AGAIN = "I'm still thinking about buying a small sailing boat."
TEA = "I prefer green tea in the morning."


@pytest.fixture
def boats(home: Path, root: Path) -> None:
    """Two conversations on two days in which somebody thinks of the same thing."""
    talk(home, root, "one", [BOAT], day="2026-11-03")
    talk(home, root, "two", [BOAT_AGAIN], day="2026-11-10")


def entries(memory: Workspace) -> list[Entry]:
    with memory.services.store.read() as snapshot:
        return snapshot.select(Where(state="any"))


@pytest.mark.usefixtures("boats")
def test_a_statement_repeated_on_another_day_becomes_an_entry(memory: Workspace) -> None:
    done = memory.maintenance.consolidate()

    (taken,) = done.taken
    assert (taken.verdict, taken.text) == ("stored", BOAT_AGAIN)
    assert taken.reason == "said in 2 conversations on 2 days"
    assert len(taken.said_at) == 2
    (entry,) = entries(memory)
    assert entry.id == taken.entry
    assert {origin.source.rpartition("/")[2] for origin in entry.origins} == {
        "one.jsonl",
        "two.jsonl",
    }


@pytest.mark.usefixtures("boats")
def test_a_second_run_changes_nothing(memory: Workspace) -> None:
    memory.maintenance.consolidate()
    before = entries(memory)

    again = memory.maintenance.consolidate(explain=True)

    assert (again.run, again.taken) == (None, ())
    assert "known" in again.left[0].reason
    assert entries(memory) == before


@pytest.mark.parametrize(
    ("days", "because"),
    [
        (["2026-11-03"], "said in one conversation; 2 are needed"),
        (["2026-11-03", "2026-11-03"], "said on one day; 2 are needed"),
    ],
)
def test_a_rejected_statement_has_a_reason(
    memory: Workspace, home: Path, root: Path, days: list[str], because: str
) -> None:
    for number, day in enumerate(days):
        talk(home, root, f"talk{number}", [BOAT], day=day)

    done = memory.maintenance.consolidate(explain=True)

    assert done.taken == ()
    assert [item.reason for item in done.left] == [because]
    assert memory.maintenance.consolidate().left == ()
    assert entries(memory) == []


def test_statements_of_the_agent_alone_do_not_count(
    memory: Workspace, home: Path, root: Path
) -> None:
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10")):
        talk(home, root, name, ["Decision: keep the small server."], day=day, role="assistant")

    done = memory.maintenance.consolidate(explain=True)

    assert [item.reason for item in done.left] == ["only the agent said it"]


def test_repetition_reinforces_the_entry(memory: Workspace, home: Path, root: Path) -> None:
    talk(home, root, "one", [TEA], day="2026-11-03")
    memory.maintenance.heartbeat(days=30)
    talk(home, root, "two", ["I prefer green tea every morning."], day="2026-11-10")

    (taken,) = memory.maintenance.consolidate().taken

    assert taken.verdict == "reinforced"
    entry = memory.entry(taken.entry or "")
    assert entry.strength == 2
    assert memory.maintenance.consolidate().taken == ()


@pytest.mark.usefixtures("boats")
def test_undoing_archives_stored_entries_for_good(memory: Workspace) -> None:
    run = memory.maintenance.consolidate().run

    undone = memory.maintenance.undo_consolidation()
    again = memory.maintenance.consolidate(explain=True)

    (entry,) = entries(memory)
    assert (undone.run, undone.archived) == (run, (entry.id,))
    assert entry.archived
    assert again.taken == ()
    assert again.left[0].reason == "the owner undid an earlier run that used it"


def test_undoing_takes_back_reinforcement(memory: Workspace, home: Path, root: Path) -> None:
    talk(home, root, "one", [TEA], day="2026-11-03")
    memory.maintenance.heartbeat(days=30)
    (before,) = entries(memory)
    talk(home, root, "two", [TEA], day="2026-11-10")
    memory.maintenance.consolidate()

    undone = memory.maintenance.undo_consolidation()

    assert undone.weakened == (before.id,)
    assert memory.entry(before.id) == before


@pytest.mark.usefixtures("boats")
def test_undoing_leaves_later_changes_alone(memory: Workspace) -> None:
    (taken,) = memory.maintenance.consolidate().taken
    memory.store(category="project", content=taken.text, tags=["boats"], trust="agent")

    undone = memory.maintenance.undo_consolidation()

    assert (undone.archived, undone.kept) == ((), (taken.entry,))
    assert not memory.entry(taken.entry or "").archived


@pytest.mark.usefixtures("boats")
def test_a_run_is_undone_once(memory: Workspace) -> None:
    memory.maintenance.consolidate()
    memory.maintenance.undo_consolidation()

    with pytest.raises(InvalidInput, match="there is no consolidation to undo"):
        memory.maintenance.undo_consolidation()


@pytest.mark.usefixtures("boats")
def test_concurrent_runs_store_a_statement_once(root: Path) -> None:
    def act(_say: crowd.Say) -> None:
        with open_workspace(
            root, background=False, counter=EstimatedCounter(), clock=lambda: NOW
        ) as memory:
            memory.maintenance.consolidate()

    crowd.together([act, act, act])

    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        (entry,) = entries(memory)
        assert entry.strength == 1
        memory.maintenance.undo_consolidation()
        with pytest.raises(InvalidInput):
            memory.maintenance.undo_consolidation()


@pytest.mark.usefixtures("boats")
def test_erased_statements_are_not_stored_again(memory: Workspace) -> None:
    (taken,) = memory.maintenance.consolidate().taken
    memory.erase(taken.entry or "")

    again = memory.maintenance.consolidate(explain=True)

    assert again.taken == ()
    assert [item.reason for item in again.left] == ["the owner has erased this text"]


def test_a_repeated_correction_becomes_a_rule(memory: Workspace, home: Path, root: Path) -> None:
    talk(home, root, "one", ["Please don't use tabs in the scripts."], day="2026-11-03")
    assert memory.maintenance.consolidate().taken == ()
    talk(home, root, "two", ["No, don't use tabs in the scripts."], day="2026-11-10")

    (taken,) = memory.maintenance.consolidate().taken

    assert memory.entry(taken.entry or "").category == "instruction"


def test_a_repeated_decision_is_reinforced(memory: Workspace, home: Path, root: Path) -> None:
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10"), ("three", "2026-11-12")):
        talk(home, root, name, ["We decided to keep the small server."], day=day)

    (taken,) = memory.maintenance.consolidate().taken

    assert taken.verdict == "reinforced"
    assert memory.entry(taken.entry or "").strength == 3


def test_a_group_reads_only_its_own_conversations(opened: Opener, home: Path, root: Path) -> None:
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    (root / ".remem/config.toml").write_text('transcripts = ["main", "group:garden"]\n')
    talk(home, root, "one", [BOAT], day="2026-11-03")
    talk(home, root, "two", [BOAT_AGAIN], day="2026-11-10")

    done = opened("agent:main:telegram:group:-100").maintenance.consolidate(explain=True)

    assert (done.conversations, done.statements, done.taken) == (0, 0, ())
