"""Recall returns facts together with entries: active ones, or those valid at a given time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from tests.conftest import Opener

OLD, NEW = "Zoë lives in Bern.", "Zoë lives in Basel."


@pytest.fixture
def moved(memory: Workspace) -> Workspace:
    memory.facts.record("Zoë Müller", OLD, kind="person", timestamp="2026-01-05")
    memory.facts.supersede("zoë-müller-001", NEW, timestamp="2026-06-10")
    memory.store(category="person", content="Mara lives in Porto.")
    return memory


def told(memory: Workspace, query: str, **wishes: object) -> list[tuple[str, str, str]]:
    answer = memory.recall(query, **wishes)  # type: ignore[arg-type]
    return [(entry.id, entry.category, entry.content) for entry in answer.entries]


def test_a_fact_is_shown_with_its_id_and_the_category_of_its_entity(moved: Workspace) -> None:
    answer = moved.recall("Where does Zoë live?")

    fact = answer.entries[0]
    assert (fact.id, fact.category, fact.content) == ("zoë-müller-002", "person", NEW)
    assert (fact.stored_at, fact.tags) == ("2026-06-10T00:00:00Z", ("Zoë Müller",))
    assert OLD not in [entry.content for entry in answer.entries]


def test_entries_and_facts_are_ranked_together(moved: Workspace) -> None:
    found = [content for _, _, content in told(moved, "who lives in Basel or Porto?")]

    assert {NEW, "Mara lives in Porto."} <= set(found)
    assert told(moved, "Where does Mara live?")[0][2] == "Mara lives in Porto."


@pytest.mark.parametrize(
    ("day", "wanted"), [("2026-01-04", None), ("2026-03-01", OLD), ("2026-06-10", NEW)]
)
def test_as_of_a_day_the_fact_that_was_valid_then_is_shown(
    moved: Workspace, day: str, wanted: str | None
) -> None:
    found = [content for _, _, content in told(moved, "Where does Zoë live?", as_of=day)]

    assert [shown for shown in found if "Zoë" in shown] == ([wanted] if wanted else [])


@pytest.mark.parametrize(("day", "wanted"), [("2026-03-01", OLD), ("2026-06-20", NEW)])
def test_a_fact_comes_before_later_notes_that_mention_its_subject(
    moved: Workspace, root: Path, day: str, wanted: str
) -> None:
    (root / "memory").mkdir(exist_ok=True)
    for noted in ("2026-02-10", "2026-02-20", "2026-06-15", "2026-07-01"):
        (root / f"memory/{noted}.md").write_text(f"# {noted}\n\n- Talked to Zoë about Bern.\n")

    first = moved.recall("Where does Zoë live?", as_of=day).entries[0]

    assert (first.content, first.earlier) == (wanted, None)


def test_an_id_reads_active_and_superseded_facts(moved: Workspace) -> None:
    assert told(moved, "zoë-müller-001") == [("zoë-müller-001", "person", OLD)]
    both = told(moved, "zoë-müller-002, zoë-müller-001")
    assert [content for _, _, content in both] == [NEW, OLD]
    answer = moved.recall("zoë-müller-001")
    assert answer.entries[0].superseded_by == "zoë-müller-002"
    assert answer.entries[0].source == "conversation:main"


def test_filters_apply_to_facts(moved: Workspace) -> None:
    assert told(moved, "Zoë", categories=["person"])[0][2] == NEW
    assert told(moved, "Zoë", categories=["project"]) == []
    assert told(moved, "Zoë", priority_min="high") == []
    assert told(moved, "lives", tags=["zoë müller"]) == [("zoë-müller-002", "person", NEW)]
    assert (OLD in [c for _, _, c in told(moved, "Zoë Bern", include_archived=True)]) is True
    listed = [content for _, _, content in told(moved, "", categories=["person"])]
    assert set(listed) == {NEW, "Mara lives in Porto."}


def test_a_fact_in_a_summary_is_shown_once(moved: Workspace) -> None:
    moved.maintenance.synthesize()

    found = told(moved, "Where does Zoë live?")

    assert [shown for shown in found if NEW in shown[2]] == [("zoë-müller-002", "person", NEW)]


def test_a_question_about_the_past_omits_summaries_and_later_notes(
    moved: Workspace, root: Path
) -> None:
    moved.maintenance.synthesize()
    (root / "memory/2026-08-01.md").write_text("- Zoë lives in a blue house.\n")

    found = told(moved, "Where does Zoë live?", as_of="2026-03-01")

    assert [content for _, _, content in found] == [OLD]


def test_a_fact_that_an_entry_contains_is_not_repeated(moved: Workspace) -> None:
    moved.store(category="person", content=NEW)

    assert [content for _, _, content in told(moved, "Where does Zoë live?")].count(NEW) == 1


def test_facts_in_every_file_format_are_found(memory: Workspace, root: Path) -> None:
    place = root / "life/projects"
    place.mkdir(parents=True)
    fact = {"id": "abc-006", "fact": "The boat is moored at pier nine.", "status": "completed"}
    (place / "boat-facts.json").write_text(json.dumps({"_metadata": {}, "facts": [fact]}))

    assert told(memory, "where is the boat moored?") == [
        ("abc-006", "project", "The boat is moored at pier nine.")
    ]


def test_entries_are_shown_as_they_were(opened: Opener) -> None:
    times = iter(["2026-03-01T08:00:00Z", "2026-07-01T08:00:00Z"])
    now = [next(times)]
    memory = opened(clock=lambda: now[0])
    old = memory.store(category="person", content="Mara lives in Porto.").id
    now[0] = next(times)
    memory.store(category="person", content="Mara lives in Lisbon.", supersedes=[old])

    def then(day: str | None) -> list[str]:
        return [content for _, _, content in told(memory, "Where does Mara live?", as_of=day)]

    assert then("2026-02-01") == []
    assert then("2026-04-01") == ["Mara lives in Porto."]
    assert then("2026-08-01") == then(None) == ["Mara lives in Lisbon."]


def test_an_entry_is_shown_as_of_a_day_before_it_was_archived(opened: Opener) -> None:
    now = ["2026-03-01T08:00:00Z"]
    memory = opened(clock=lambda: now[0])
    id_ = memory.store(category="fact", content="The pump is in the shed.").id
    now[0] = "2026-07-01T08:00:00Z"
    memory.forget(id_)

    assert told(memory, "where is the pump?", as_of="2026-05-01")[0][0] == id_
    assert told(memory, "where is the pump?", as_of="2026-08-01") == []


def test_an_entry_that_was_stored_later_counts_from_its_own_date(memory: Workspace) -> None:
    old = memory.store(category="fact", content="The fee is 4 euros.", created_at="2026-01-01").id
    memory.store(
        category="fact",
        content="The fee is 5 euros.",
        created_at="2026-05-01",
        supersedes=[old],
    )

    assert told(memory, "what is the fee?", as_of="2026-02-01")[0][2] == "The fee is 4 euros."
    assert told(memory, "what is the fee?", as_of="2026-06-01")[0][2] == "The fee is 5 euros."


def test_an_invalid_date_is_refused(memory: Workspace) -> None:
    with pytest.raises(InvalidInput, match="as_of 'soon' is not a date"):
        memory.recall("anything", as_of="soon")
