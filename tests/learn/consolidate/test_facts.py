"""RecurringStatement statements about a known entity become facts; contradictions are reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remem.app.workspace import Workspace
from remem.learn.flush import state
from remem.ports.records import Where
from tests.conftest import Opener
from tests.samples.talks import talk

pytestmark = pytest.mark.usefixtures("conversations_allowed")

HARBOUR = "Mara moved her workshop to the old harbour."
AGAIN = "Mara moved her workshop to the old harbour, by the way."
ITEMS = "brain/areas/mara/items.json"


@pytest.fixture
def mara(memory: Workspace) -> Workspace:
    memory.facts.record("Mara", "Mara is our designer.", kind="person", timestamp="2026-10-01")
    memory.facts.add_aliases("Mara", ["Mara Lindqvist"])
    return memory


@pytest.fixture
def harbour(mara: Workspace, home: Path, root: Path) -> Workspace:
    """Two conversations on two days that say in passing what nobody asked to be kept."""
    talk(home, root, "one", [HARBOUR], day="2026-11-03")
    talk(home, root, "two", [AGAIN], day="2026-11-10")
    return mara


def items(root: Path, file: str = ITEMS) -> list[dict[str, Any]]:
    return list(json.loads((root / file).read_text()))


def entries(memory: Workspace) -> list[str]:
    with memory.services.store.read() as snapshot:
        return [entry.content for entry in snapshot.select(Where(state="any"))]


def test_a_repeated_statement_about_a_known_entity_becomes_a_fact(
    harbour: Workspace, root: Path
) -> None:
    done = harbour.maintenance.consolidate()

    (taken,) = done.taken
    assert (taken.verdict, taken.entry, taken.fact) == ("stored", None, "mara-002")
    assert taken.reason == "said in 2 conversations on 2 days"
    fact = items(root)[-1]
    assert (fact["fact"], fact["timestamp"], fact["status"]) == (AGAIN, "2026-11-10", "active")
    assert fact["origin"] == "sessions/claude-code/two.jsonl#L1"
    assert entries(harbour) == []


def test_a_conversation_confirms_a_fact_once(mara: Workspace, home: Path, root: Path) -> None:
    mara.facts.record("Mara", HARBOUR, timestamp="2026-11-01")
    before = items(root)
    talk(home, root, "one", [HARBOUR], day="2026-11-03")
    talk(home, root, "two", ["Mara Lindqvist moved her workshop to the harbour."], day="2026-11-10")

    first, second = mara.maintenance.consolidate(), mara.maintenance.consolidate(explain=True)

    assert [(fact.verdict, fact.fact) for fact in first.taken] == [("reinforced", "mara-002")]
    assert second.taken == ()
    assert [item.reason for item in second.left] == ["already known from these conversations"]
    assert items(root) == before


def test_a_second_run_records_no_fact_twice(harbour: Workspace, root: Path) -> None:
    harbour.maintenance.consolidate()
    before = items(root)

    assert harbour.maintenance.consolidate().run is None
    harbour.maintenance.heartbeat(days=30)
    assert items(root) == before


def test_statements_about_unknown_entities_are_left_out(
    memory: Workspace, home: Path, root: Path
) -> None:
    talk(home, root, "one", [HARBOUR], day="2026-11-03")
    talk(home, root, "two", [HARBOUR], day="2026-11-10")

    done = memory.maintenance.consolidate(explain=True)

    assert (done.statements, done.taken, done.left) == (0, (), ())
    assert not (root / "brain").exists()


def test_once_is_not_enough_for_a_fact(mara: Workspace, home: Path, root: Path) -> None:
    talk(home, root, "one", [HARBOUR], day="2026-11-03")

    done = mara.maintenance.consolidate(explain=True)

    assert [item.reason for item in done.left] == ["said in one conversation; 2 are needed"]
    assert len(items(root)) == 1


def test_undoing_ends_the_fact_and_keeps_its_text(harbour: Workspace, root: Path) -> None:
    harbour.maintenance.consolidate()
    before = items(root)

    undone = harbour.maintenance.undo_consolidation()
    again = harbour.maintenance.consolidate(explain=True)

    assert undone.retracted == ("mara-002",)
    assert items(root) == [before[0], {**before[1], "status": "superseded"}]
    assert [fact.fact for fact in harbour.facts.active("Mara").facts or ()] == [
        "Mara is our designer."
    ]
    assert again.taken == ()
    assert again.left[0].reason == "the owner undid an earlier run that used it"
    found = harbour.recall("where is the workshop of Mara?").entries
    assert "mara-002" not in [fact.id for fact in found]


def test_undoing_leaves_a_superseded_fact_alone(harbour: Workspace, root: Path) -> None:
    harbour.maintenance.consolidate()
    harbour.facts.supersede("mara-002", "Mara moved her workshop to the mill.")
    before = items(root)

    undone = harbour.maintenance.undo_consolidation()

    assert (undone.retracted, undone.kept) == ((), (ITEMS,))
    assert items(root) == before


def test_undoing_a_confirmation_changes_no_file(mara: Workspace, home: Path, root: Path) -> None:
    mara.facts.record("Mara", HARBOUR, timestamp="2026-11-01")
    before = (root / ITEMS).read_bytes()
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10")):
        talk(home, root, name, [HARBOUR], day=day)
    mara.maintenance.consolidate()

    undone = mara.maintenance.undo_consolidation()

    assert undone.weakened == ("mara-002",)
    assert (root / ITEMS).read_bytes() == before


def test_a_fact_for_a_broken_file_is_pending_until_it_is_undone(
    harbour: Workspace, root: Path
) -> None:
    whole = (root / ITEMS).read_text()
    (root / ITEMS).write_text(whole[:-3])

    done = harbour.maintenance.consolidate()
    undone = harbour.maintenance.undo_consolidation()
    (root / ITEMS).write_text(whole)
    harbour.services.unfinished.finish_flush()

    assert "cannot be written" in " ".join(done.problems)
    assert undone.retracted == (ITEMS,)
    assert (root / ITEMS).read_text() == whole
    with harbour.services.store.read() as snapshot:
        assert state.pending_changes(snapshot) == []


def test_the_next_opening_writes_pending_facts(
    harbour: Workspace, opened: Opener, root: Path
) -> None:
    whole = (root / ITEMS).read_text()
    (root / ITEMS).write_text(whole[:-3])
    harbour.maintenance.consolidate()
    (root / ITEMS).write_text(whole)

    opened().sync()

    assert items(root)[-1]["fact"] == AGAIN
    assert harbour.maintenance.undo_consolidation().retracted == ("mara-002",)


def test_superseded_and_erased_facts_are_not_restored(
    mara: Workspace, home: Path, root: Path
) -> None:
    mara.facts.record("Mara", HARBOUR, timestamp="2026-10-02")
    mara.facts.supersede("mara-002", "Mara moved her workshop to the mill.")
    mara.facts.record("Mara", "Mara owns a red sailing boat.")
    mara.erase("mara-004")
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10")):
        talk(home, root, name, [HARBOUR, "Mara owns a red sailing boat."], day=day)

    done = mara.maintenance.consolidate(explain=True)

    assert done.taken == ()
    assert {item.reason for item in done.left} == {
        "a fact with these words is no longer true",
        "the owner has erased this text",
    }


def test_untrusted_sessions_record_no_facts(harbour: Workspace, opened: Opener, root: Path) -> None:
    before = items(root)

    opened(trust="untrusted").maintenance.consolidate()

    assert items(root) == before


def test_superseding_a_contradicted_fact_is_only_proposed(
    mara: Workspace, home: Path, root: Path
) -> None:
    mara.facts.record("Mara", "Mara lives in Porto.", timestamp="2026-10-01")
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10")):
        talk(home, root, name, ["Mara lives in Lisbon."], day=day)

    done = mara.maintenance.consolidate()

    assert [fact.fact for fact in done.taken] == ["mara-003"]
    (found,) = done.contradictions
    assert (found.earlier.fact, found.later.fact) == ("mara-002", "mara-003")
    assert found.command == "remem fact supersede mara-002 'Mara lives in Lisbon.'"
    assert [item["status"] for item in items(root)] == ["active"] * 3


def test_resolved_contradictions_are_not_reported_again(
    mara: Workspace, home: Path, root: Path
) -> None:
    mara.facts.record("Mara", "Mara lives in Porto.", timestamp="2026-10-01")
    for name, day in (("one", "2026-11-03"), ("two", "2026-11-10")):
        talk(home, root, name, ["Mara lives in Lisbon."], day=day)
    mara.maintenance.consolidate()

    mara.facts.supersede("mara-002", "Mara lives in Lisbon.")

    assert mara.maintenance.consolidate().contradictions == ()


def test_groups_have_no_facts_and_no_contradictions(
    mara: Workspace, opened: Opener, home: Path, root: Path
) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    before = items(root)

    done = opened("agent:main:telegram:group:-100").maintenance.consolidate(explain=True)

    assert (done.taken, done.contradictions) == ((), ())
    assert items(root) == before
