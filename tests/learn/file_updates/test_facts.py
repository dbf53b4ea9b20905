"""A statement is a fact about the entity that its first words name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.files.layout import Layout
from remem.learn.file_updates.facts import Subjects, record_change
from remem.learn.file_updates.routing import TargetScope
from remem.model.arguments import LessonKind
from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.model.scope import MAIN, Scope
from tests.conftest import Opener


def change_of(root: Path, text: str, kind: LessonKind = "fact", scope: Scope = MAIN) -> str | None:
    layout = Layout(root)
    lesson = Lesson(kind, text, origin=Origin("talk.jsonl", 3))
    change = Subjects(layout).change_for(lesson, TargetScope(layout, scope, "2026-11-15"))
    return change.entity if change else None


@pytest.fixture
def mara(memory: Workspace) -> Workspace:
    memory.facts.record("Mara", "Mara is our designer.", kind="person")
    memory.facts.add_aliases("Mara", ["Mara Lindqvist"])
    return memory


@pytest.mark.usefixtures("mara")
@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("Mara moved to the harbour.", "Mara"),
        ("mara likes tea", "Mara"),
        ("Mara's desk is by the window.", "Mara"),
        ("Mara Lindqvist is on leave.", "Mara"),
        ("Marat moved to the harbour.", None),
        ("We gave Mara the blue room.", None),
        ("The harbour is closed.", None),
    ],
)
def test_a_statement_is_about_the_entity_it_begins_with(
    root: Path, text: str, entity: str | None
) -> None:
    assert change_of(root, text) == entity


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("Jonas Berg is my brother.", "Jonas Berg"),
        ("李小梅是我们的设计师。", "李小梅"),
        ("Анна — моя сестра.", "Анна"),
        ("She is my sister.", None),
        ("This is our new car.", None),
    ],
)
def test_an_introduced_person_becomes_an_entity(
    memory: Workspace, root: Path, text: str, entity: str | None
) -> None:
    assert memory.scope == MAIN
    assert change_of(root, text, "person") == entity


@pytest.mark.usefixtures("mara")
def test_rules_tasks_and_groups_give_no_facts(root: Path) -> None:
    assert change_of(root, "Mara must be asked first.", "rule") is None
    assert change_of(root, "Mara has to be called.", "task") is None
    assert change_of(root, "Mara moved.", scope=Scope("group", "garden")) is None


def test_a_superseded_fact_is_not_recorded_again(mara: Workspace, root: Path) -> None:
    layout = Layout(root)
    lesson = Lesson("fact", "Mara sits in room 2.", origin=Origin("talk.jsonl", 3))
    change = Subjects(layout).change_for(lesson, TargetScope(layout, MAIN, "2026-11-15"))
    assert change is not None
    record_change(layout, change)
    (fact,) = [fact for fact in mara.facts.active("Mara").facts if fact.fact == lesson.text]
    mara.facts.supersede(fact.id, "Mara sits in room 3.")

    record_change(layout, change)

    told = json.loads((root / "brain/areas/mara/items.json").read_text())
    assert [recorded["fact"] for recorded in told].count(lesson.text) == 1
    assert told[1]["origin"] == "talk.jsonl#L3"


def test_a_fact_for_a_broken_file_is_pending(mara: Workspace, root: Path) -> None:
    items = root / "brain/areas/mara/items.json"
    whole = items.read_text()
    items.write_text(whole[:-3])

    done = mara.flush([{"kind": "fact", "text": "Mara sits in room 2."}])
    items.write_text(whole)
    mara.services.unfinished.finish_flush()

    (waiting,) = done.waiting
    assert "cannot be written" in (waiting.reason or "")
    assert [load["fact"] for load in json.loads(items.read_text())][-1] == "Mara sits in room 2."


def test_an_active_fact_is_known(mara: Workspace, root: Path) -> None:
    done = mara.flush([{"kind": "person", "text": "mara is our designer."}])

    assert (done.written, len(done.known)) == ((), 1)
    assert len(json.loads((root / "brain/areas/mara/items.json").read_text())) == 1
    assert not list((root / "memory").glob("2026-*.md"))


@pytest.mark.parametrize(
    ("conversation", "origin"), [("talk-7", "conversation:talk-7"), ("", "conversation:main")]
)
def test_a_fact_from_the_agent_has_the_conversation_as_its_origin(
    root: Path, opened: Opener, conversation: str, origin: str
) -> None:
    memory = opened(conversation=conversation)
    memory.flush([{"kind": "person", "text": "Mara is our designer."}])
    memory.facts.record("Mara", "Mara sits in room 2.")
    memory.facts.record("Mara", "Mara likes tea.", origin=conversation or None)

    facts = json.loads((root / "brain/areas/mara/items.json").read_text())
    assert [fact["origin"] for fact in facts] == [origin] * 3


def test_a_cited_conversation_is_written_in_the_same_form(opened: Opener) -> None:
    memory = opened(conversation="talk-7")
    item = {"kind": "fact", "text": "The gate opens at nine.", "source": "talk-7", "position": 4}
    (kept,) = memory.flush([item]).written

    (origin,) = memory.entry(kept.home).origins
    assert (origin.source, origin.position) == ("conversation:talk-7", 4)


def test_repeating_a_flush_does_not_restore_superseded_facts(memory: Workspace, root: Path) -> None:
    layout = Layout(root)
    lesson = Lesson("person", "Mara is our designer.")
    change = Subjects(layout).change_for(lesson, TargetScope(layout, MAIN, "2026-11-15"))
    assert change is not None
    record_change(layout, change)
    memory.facts.supersede("mara-001", "Mara is our lead designer.")

    record_change(layout, change)

    assert [fact.fact for fact in memory.services.facts.known().facts if fact.active] == [
        "Mara is our lead designer."
    ]


def test_a_flush_reports_contradicted_facts(mara: Workspace) -> None:
    mara.flush([{"kind": "fact", "text": "Mara lives in Bern."}])

    (kept,) = mara.flush([{"kind": "fact", "text": "Mara lives in Basel."}]).written
    (again,) = mara.flush([{"kind": "fact", "text": "Mara lives in Basel."}]).known

    assert kept.contradicts == ("mara-002: Mara lives in Bern.",)
    assert again.contradicts is None
    assert [fact.fact for fact in mara.facts.active("Mara").facts or () if fact.status == "active"][
        1:
    ] == [
        "Mara lives in Bern.",
        "Mara lives in Basel.",
    ], "both stand until somebody says which one does"
