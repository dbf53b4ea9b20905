"""Seed 001: "summary stays current, facts preserve history, daily notes preserve the raw timeline."

A month is lived once; each test looks at what it left behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.scenarios.month import CHANGE, CHATTER, DAYS, HABITS, Month

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Month:
    folder = tmp_path_factory.mktemp("month")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_MODELS", str(folder / "none"))
        lived = Month(folder / "workspace", folder / "openclaw")
        lived.settle_in()
        lived.live()
    return lived


@pytest.fixture
def memory(month: Month) -> Iterator[Workspace]:
    with month.opened() as opened:
        yield opened


def files_of(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".remem" not in path.parts
    }


def test_a_summary_tells_what_is_true_now(month: Month) -> None:
    page = (month.root / "brain/areas/falcon/summary.md").read_text()

    assert "Falcon is released on Mondays." in page
    assert "Fridays" not in page


def test_what_a_person_wrote_into_a_summary_is_still_there(month: Month) -> None:
    page = (month.root / "brain/areas/falcon/summary.md").read_text()

    assert page.count("Falcon is named after a bird.") == 1


def test_facts_keep_their_history(memory: Workspace) -> None:
    first, second = memory.facts.history("Falcon").facts[:2]

    assert (first.fact, first.status) == ("Falcon is released on Fridays.", "superseded")
    assert first.superseded_by == second.id
    assert (second.fact, second.status) == ("Falcon is released on Mondays.", "active")


def test_notes_keep_every_line_once_and_in_order(month: Month) -> None:
    assert len(month.noted) == DAYS
    for day, lines in month.noted.items():
        note = (month.root / f"memory/{day}.md").read_text()
        places = [note.index(line) for line in lines]
        assert places == sorted(places)
        assert all(note.count(line) == 1 for line in lines)


def test_a_line_typed_into_a_note_is_left_as_it_is(month: Month) -> None:
    note = (month.root / f"memory/{month.date_of(8)}.md").read_text()

    assert note.count("- typed by hand\n") == 1


def test_memory_md_has_only_what_a_person_wrote(month: Month) -> None:
    assert (month.root / "MEMORY.md").read_text() == (
        "# Memory\n\n## Rules\n\n- Be kind.\n- Never use the word synergy.\n"
    )


def test_a_question_two_weeks_back_gets_the_old_answer(month: Month, memory: Workspace) -> None:
    then = month.date_of(CHANGE - 1)

    facts = memory.facts.active("Falcon", as_of=then).facts
    released = memory.recall("When is Falcon released?", as_of=then)
    drink = memory.recall("What does David drink in the morning?", as_of=then)

    assert [fact.fact for fact in facts] == ["Falcon is released on Fridays."]
    assert "Fridays" in released.entries[0].content
    assert "green tea" in drink.entries[0].content
    assert not any("coffee" in entry.content for entry in drink.entries)


def test_a_question_of_today_gets_the_new_answer(memory: Workspace) -> None:
    released = memory.recall("When is Falcon released?")
    drink = memory.recall("What does David drink in the morning?")

    assert "Mondays" in released.entries[0].content
    assert "black coffee" in drink.entries[0].content
    assert not any("green tea" in entry.content for entry in drink.entries)


@pytest.mark.parametrize("habit", HABITS)
def test_what_was_said_to_last_is_kept_once(memory: Workspace, habit: str) -> None:
    words = habit.removesuffix(".")
    answer = memory.recall(words, token_budget=4000)
    structured = [entry for entry in answer.entries if entry.category != "passage"]

    assert (
        len(
            [
                structured_entry
                for structured_entry in structured
                if _says(structured_entry.content, words)
            ]
        )
        == 1
    )


def test_chatter_is_kept_nowhere_but_in_the_conversations(month: Month, memory: Workspace) -> None:
    kept = Counter(
        path
        for path, data in files_of(month.root).items()
        for statement in CHATTER
        if statement.encode() in data
    )

    assert not kept


def test_another_round_of_maintenance_changes_nothing(month: Month) -> None:
    before = files_of(month.root)

    assert month.maintained().healthy
    assert files_of(month.root) == before


def _says(content: str, words: str) -> bool:
    """Whether a text says the same, perhaps in the third person or without its opening."""
    openings = ("decided", "remember")
    telling = [part for part in words.lower().split() if len(part) > 4 and part not in openings]
    return all(word in content.lower() for word in telling)
