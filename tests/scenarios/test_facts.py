"""“Facts are never deleted. When reality changes, mark the old fact superseded and point
supersededBy to the new record.” And: `brain/` belongs to main."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.tools.declare import call
from remem.app.tools.facts import FACT
from remem.app.tools.table import tools_of
from remem.app.workspace import Workspace
from remem.errors import NotAllowed, RememError, UnknownEntry
from tests.conftest import Opener, through_the_gate

GROUP = "agent:main:telegram:group:-100"
PEER = "agent:main:telegram:direct:77"
ACTIONS = [
    ("record", {"entity": "Zoë", "fact": "Zoë sings."}),
    ("supersede", {"id": "zoë-001", "fact": "Zoë sings."}),
    ("list", {}),
    ("list", {"entity": "Zoë", "as_of": "2026-11-01"}),
    ("history", {"id": "zoë-001"}),
    ("entities", {}),
    ("alias", {"entity": "Zoë", "aliases": ["Z"]}),
    ("merge", {"entity": "Zoë", "into": "Mara"}),
    ("unmerge", {"entity": "Zoë"}),
    ("distinct", {"entity": "Zoë", "into": "Mara"}),
    ("contradictions", {}),
]


def refusals(opened: Opener, session: str) -> list[str]:
    workspace = opened(session)
    told = []
    for action, given in ACTIONS:
        with pytest.raises(RememError) as caught:
            call(FACT, workspace, {"action": action, **given})
        assert isinstance(caught.value, NotAllowed)
        told.append(str(caught.value))
    workspace.close()
    return told


@pytest.mark.walls
@pytest.mark.parametrize("session", [GROUP, PEER])
def test_any_other_session_is_refused_whatever_exists(
    opened: Opener, root: Path, session: str
) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    before = refusals(opened, session)
    with opened() as main:
        main.facts.record("Zoë", "Zoë sings.")
        main.facts.record("Mara", "Mara rows.")
        main.facts.merge("Mara", "Zoë")

    assert refusals(opened, session) == before
    assert set(before) == {"facts belong to main (hint: use the main session, without --session)"}


@pytest.mark.walls
@pytest.mark.parametrize("session", [GROUP, PEER])
def test_no_fact_of_main_is_found_elsewhere(opened: Opener, root: Path, session: str) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    with opened() as main:
        main.facts.record("Zoë", "Zoë keeps a zeppelin.")
    other = through_the_gate(opened(session))

    assert other.search("zeppelin").results == ()
    assert other.recall("who keeps a zeppelin?").entries == ()
    assert other.recall("zoë-001").entries == ()


def test_a_fact_just_recorded_is_found_by_the_next_search(memory: Workspace, root: Path) -> None:
    memory.search("anything")
    memory.facts.record("Zoë", "Zoë keeps a zeppelin.")

    assert memory.search("zeppelin").results[0].path == "brain/areas/zoë/items.json"
    (root / "brain/areas/zoë/summary.md").write_text("# Zoë\n")
    memory.facts.record("Zoë", "Zoë keeps a walrus.")
    assert memory.search("walrus").results[0].path == "brain/areas/zoë/items.json"


def test_nothing_is_ever_deleted_or_reworded(memory: Workspace, root: Path) -> None:
    path = root / "brain/areas/zoë/items.json"
    seen: dict[str, str] = {}
    memory.facts.record("Zoë", "Zoë lives in Bern.", timestamp="2026-01-01")
    steps = [
        lambda: memory.facts.record("Zoë", "Zoë sings."),
        lambda: memory.facts.supersede("zoë-001", "Zoë lives in Basel."),
        lambda: memory.facts.add_aliases("Zoë", ["Z"]),
        lambda: memory.facts.record("Mara", "Mara rows."),
        lambda: memory.facts.merge("Zoë", "Mara"),
        lambda: memory.facts.supersede("zoë-003", "Zoë lives in Chur."),
        lambda: memory.facts.record("Zoë", "Zoë paints."),
        lambda: memory.facts.unmerge("Zoë"),
        memory.maintenance.rebuild,
    ]
    for step in steps:
        seen |= {load["id"]: load["fact"] for load in json.loads(path.read_text())}
        step()
        now = {load["id"]: load["fact"] for load in json.loads(path.read_text())}
        assert {id_: now.get(id_) for id_ in seen} == seen


@pytest.mark.parametrize(
    "mistake",
    [
        lambda memory: memory.store(category="fact", content="No.", supersedes=["mara-001"]),
        lambda memory: memory.reinforce("mara-001"),
        lambda memory: memory.forget("mara-001"),
        lambda memory: memory.history("mara-001"),
    ],
)
def test_a_fact_id_given_as_an_entry_id_is_explained(
    opened: Opener, memory: Workspace, mistake: Callable[[Workspace], object]
) -> None:
    memory.facts.record("Mara", "Mara lives in Porto.")

    with pytest.raises(UnknownEntry, match="'mara-001' is a fact, not an entry") as told:
        mistake(memory)

    assert "remem fact supersede mara-001" in str(told.value.hint)
    with opened(PEER) as peer:
        with pytest.raises(UnknownEntry, match="no entry has the id") as untold:
            mistake(peer)
        assert untold.value.hint == "`remem recall` shows ids"


def test_the_tool_is_part_of_the_full_profile() -> None:
    assert "memory_fact" in {tool.name for tool in tools_of("full")}
    assert "memory_fact" not in {tool.name for tool in tools_of("core")}


def test_entities_that_may_be_the_same_are_proposed_until_the_owner_decides(
    memory: Workspace,
) -> None:
    memory.facts.record("Ana Sá", "Ana plays the cello.")
    memory.facts.record("Ana Sa", "Ana lives in Faro.")
    (pair,) = memory.facts.entities().same or ()
    assert {pair.entity, pair.other} == {"ana-sá", "ana-sa"}
    memory.facts.merge("ana-sa", "ana-sá")
    assert memory.facts.entities().same is None
    memory.facts.record("Ana Sa", "Ana swims.")
    memory.facts.unmerge("ana-sa")
    apart = memory.facts.active("ana-sa").facts
    assert [fact.fact for fact in apart or ()] == ["Ana lives in Faro.", "Ana swims."]
    memory.facts.keep_apart("ana-sa", "ana-sá")
    assert memory.facts.entities().same is None
