"""A question about the past or about a change is answered with what was replaced, too."""

from __future__ import annotations

import pytest

from remem.app.workspace import Workspace
from remem.search.query.intent import asks_for_replaced
from tests.conftest import Opener
from tests.tables import each_row

OLD = "Deploys happen on Monday evening."
NEW = "Deploys happen on Thursday morning."


@pytest.fixture
def memory(opened: Opener) -> Workspace:
    memory = opened()
    old = memory.store(category="decision", content=OLD)
    memory.store(category="decision", content=NEW, supersedes=[old.id])
    forgotten = memory.store(category="fact", content="Deploys happen on a laptop.")
    memory.forget(forgotten.id)
    return memory


def answers(memory: Workspace, question: str) -> list[tuple[str, bool]]:
    return [(entry.content, bool(entry.earlier)) for entry in memory.recall(question).entries]


def test_only_the_current_statement_answers_other_questions(memory: Workspace) -> None:
    assert answers(memory, "When do deploys happen?") == [(NEW, False)]


def test_what_changed_is_answered_by_both_the_newer_one_first(memory: Workspace) -> None:
    assert answers(memory, "What changed about deploys?") == [(NEW, False), (OLD, True)]


def test_a_question_about_the_past_gets_the_older_one_first(memory: Workspace) -> None:
    assert answers(memory, "When did deploys happen before?") == [(OLD, True), (NEW, False)]


def test_what_was_forgotten_is_no_part_of_a_change_although_it_was_replaced(
    memory: Workspace,
) -> None:
    first = memory.store(category="fact", content="The flat costs 900 euros.")
    second = memory.store(category="fact", content="The rent is 950.", supersedes=[first.id])
    memory.forget(first.id)
    memory.forget(second.id)
    memory.store(category="fact", content="The flat costs 980 euros.", supersedes=[second.id])

    assert answers(memory, "What changed about the flat and the rent?") == [
        ("The flat costs 980 euros.", False)
    ]


def test_a_superseded_fact_is_part_of_a_change(memory: Workspace) -> None:
    old = memory.facts.record(entity="Mara", fact="Mara works at the harbour.", kind="person")
    assert old.facts
    memory.facts.supersede(old.facts[0].id, "Mara works at the bakery.")

    found = {e.content: e.superseded_by for e in memory.recall("What changed for Mara?").entries}

    assert found == {"Mara works at the bakery.": None, "Mara works at the harbour.": "mara-002"}


@each_row(
    "question",
    [
        "What changed about the deploys?",
        "How has her diet changed?",
        "What did we use before?",
        "Was hat sich beim Vertrag geändert?",
        "Qu'est-ce qui a changé dans le projet ?",
        "¿Qué ha cambiado en el plan?",
        "O que mudou no projeto?",
        "Что изменилось в проекте?",
        "部署有什么变化？",
        "計画は何が変わりましたか？",
    ],
)
def test_such_questions_are_recognised_in_every_language(question: str) -> None:
    assert asks_for_replaced(question)


@each_row(
    "question",
    ["When do deploys happen?", "Who is Mara?", "Wann ist der Umzug?", "部署在什么时候？"],
)
def test_other_questions_are_not(question: str) -> None:
    assert not asks_for_replaced(question)
