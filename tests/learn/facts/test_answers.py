"""Facts are listed as they are now, as of a day, and with their history."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.tools.declare import call
from remem.app.tools.facts import FACT
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.learn.facts.answers import FactAnswer, list_contradictions
from tests.samples.para import facts as sample_facts
from tests.samples.world import world
from tests.tables import each_row


@pytest.fixture
def moved(memory: Workspace) -> Workspace:
    memory.facts.record("Zoë", "Zoë lives in Bern.", timestamp="2026-01-05")
    memory.facts.record("Zoë", "Zoë sings.", timestamp="2026-02-01")
    memory.facts.supersede("zoë-001", "Zoë lives in Basel.", timestamp="2026-06-10")
    memory.facts.supersede("zoë-003", "Zoë lives in Chur.", timestamp="2026-10-01")
    memory.facts.record("Mara", "Mara rows.", timestamp="2026-03-01")
    return memory


def texts(answer: FactAnswer) -> list[str]:
    return [fact.fact for fact in answer.facts or ()]


def test_the_list_has_the_active_facts(moved: Workspace) -> None:
    assert texts(moved.facts.active("Zoë")) == ["Zoë sings.", "Zoë lives in Chur."]
    assert texts(moved.facts.active()) == ["Zoë sings.", "Mara rows.", "Zoë lives in Chur."]
    assert texts(moved.facts.active(id_="zoë-001")) == ["Zoë lives in Bern."]


@pytest.mark.parametrize(
    ("day", "wanted"),
    [
        ("2026-01-04", []),
        ("2026-01-05", ["Zoë lives in Bern."]),
        ("2026-06-09", ["Zoë lives in Bern.", "Zoë sings."]),
        ("2026-06-10", ["Zoë sings.", "Zoë lives in Basel."]),
        ("2026-12-31", ["Zoë sings.", "Zoë lives in Chur."]),
    ],
)
def test_the_list_as_of_a_day_has_the_facts_of_that_day(
    moved: Workspace, day: str, wanted: list[str]
) -> None:
    assert texts(moved.facts.active("Zoë", as_of=day)) == wanted


def test_the_history_has_all_facts_or_one_chain(moved: Workspace) -> None:
    every = ["Zoë lives in Bern.", "Zoë sings.", "Zoë lives in Basel.", "Zoë lives in Chur."]

    assert texts(moved.facts.history("Zoë")) == every
    assert texts(moved.facts.history(id_="zoë-003")) == [every[0], every[2], every[3]]
    assert texts(moved.facts.history(id_="zoë-002")) == ["Zoë sings."]


def test_a_long_list_keeps_the_latest_and_counts_the_rest(moved: Workspace) -> None:
    answer = moved.facts.history("Zoë", limit=1)

    assert texts(answer) == ["Zoë lives in Chur."]
    assert answer.left_out == 3


def test_entities_are_listed_with_their_counts(moved: Workspace) -> None:
    found = {
        entity.id: (entity.active, entity.superseded)
        for entity in moved.facts.entities().entities or ()
    }

    assert found == {"zoë": (2, 2), "mara": (1, 0)}


def test_contradictions_between_recorded_facts_are_listed(
    memory: Workspace,
) -> None:
    memory.facts.record("Boat", "The berth costs 410 euros.", timestamp="2025-10-01")
    memory.facts.record("Boat", "The berth costs 455 euros.", timestamp="2026-10-01")
    memory.facts.record("Boat", "The boat is red.", timestamp="2026-10-01")

    (clash,) = memory.facts.contradictions().contradicts or ()

    assert (clash.fact.id, clash.supersede) == ("boat-001", True)
    assert clash.by is not None
    assert clash.by.id == "boat-002"


@each_row("language", ["english", "chinese", "japanese", "russian"])
def test_the_only_contradiction_in_realistic_files_is_found(tmp_path: Path, language: str) -> None:
    for path, data in sample_facts(world(language, 1)).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)

    found = list_contradictions(FactFiles(Layout(tmp_path))())

    assert [conflict.fact.id for conflict in found.contradicts or ()] == ["car-003"]


@each_row(
    ("action", "given", "message"),
    [
        ("list", {"entity": "nobody"}, "no entity is called 'nobody'"),
        ("list", {"id": "x-1"}, "no fact has the id 'x-1'"),
        ("list", {"as_of": "soon"}, "as_of 'soon' is not a date"),
        ("list", {"limit": 0}, "limit 0 is not a whole number"),
        ("list", {"into": "x"}, "list does not take 'into'"),
        ("history", {}, "entity is missing"),
        ("history", {"id": "x-1"}, "no fact has the id 'x-1'"),
        ("record", {"entity": "Zoë"}, "record needs fact"),
        ("merge", {"entity": "Zoë"}, "merge needs into"),
        ("erase", {}, "action 'erase' is unknown"),
    ],
)
def test_invalid_requests_are_refused_with_the_value(
    moved: Workspace, action: str, given: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        call(FACT, moved, {"action": action, **given})


@each_row(
    ("action", "given"),
    [
        ("record", {"entity": "Zoë", "fact": "Zoë paints."}),
        ("supersede", {"id": "zoë-002", "fact": "Zoë sang."}),
        ("list", {"entity": "Zoë", "as_of": "2026-03-01"}),
        ("history", {"entity": "Zoë"}),
        ("entities", {}),
        ("alias", {"entity": "Zoë", "aliases": ["Z"]}),
        ("merge", {"entity": "Mara", "into": "Zoë"}),
        ("contradictions", {}),
    ],
)
def test_every_action_answers(moved: Workspace, action: str, given: dict[str, object]) -> None:
    answer = call(FACT, moved, {"action": action, **given})

    assert isinstance(answer, FactAnswer)
    assert answer.action in {action, "as_of"}
