"""Decay reorders; it never hides the only right answer."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.app.workspace import Workspace
from remem.model.entry import CATEGORIES, PRIORITIES, Category, Entry, Priority
from remem.search.query.question import parse_question
from remem.search.rank.ranking import Candidate, rank
from tests.conftest import NOW, Opener

TODAY = date(2026, 11, 15)
FRESH = "The committee met in the harbour office and talked about the budget number {n}."


def candidate(row: int, *, keyword: float, days: int, **more: object) -> Candidate:
    when = f"{TODAY - timedelta(days=days)}T00:00:00Z"
    values: dict[str, object] = {
        "id": f"mem-{row:08d}",
        "category": "fact",
        "content": "x",
        "created_at": when,
        "updated_at": when,
        **more,
    }
    return Candidate(Entry(**values), keyword)  # type: ignore[arg-type]


@given(
    days=st.integers(0, 20_000),
    priority=st.sampled_from(PRIORITIES),
    category=st.sampled_from(CATEGORIES),
    others=st.integers(1, 40),
)
def test_the_only_match_comes_first_whatever_its_age(
    days: int, priority: Priority, category: Category, others: int
) -> None:
    right = candidate(1, keyword=8.0, days=days, priority=priority, category=category)
    wrong = [candidate(n + 2, keyword=0.5, days=0) for n in range(others)]

    ranked = rank([*wrong, right], parse_question("where is the lantern", TODAY), NOW)

    assert ranked[0].entry.id == right.entry.id


def test_of_two_equal_matches_the_newer_one_comes_first() -> None:
    old, new = candidate(1, keyword=5.0, days=400), candidate(2, keyword=5.0, days=1)

    ranked = rank([old, new], parse_question("lantern", TODAY), NOW)

    assert [result.entry.id for result in ranked] == [new.entry.id, old.entry.id]
    assert ranked[0].why["retention"] > ranked[1].why["retention"] > 0


@pytest.fixture
def crowded(opened: Opener) -> Workspace:
    """Many fresh memories, and one that faded: the only one on the lantern."""
    first = opened(clock=lambda: "2025-06-01T00:00:00Z")
    first.store(category="fact", content="The lantern hangs in the boathouse.", priority="low")
    first.maintenance.decay()
    first.close()
    memory = opened()
    assert len(memory.maintenance.decay().archived) == 1
    memory.store_many({"category": "fact", "content": FRESH.format(n=n)} for n in range(150))
    return memory


def test_a_decayed_entry_is_returned_if_it_is_the_only_match(crowded: Workspace) -> None:
    for question in (
        "where does the lantern hang?",
        "lantern",
        "what is in the boathouse",
        "the committee talked about the lantern in the boathouse",
    ):
        told = crowded.recall(question).entries

        assert any(entry.content.startswith("The lantern") and entry.archived for entry in told)


def test_a_decayed_entry_is_omitted_if_a_live_one_covers_as_much(
    crowded: Workspace,
) -> None:
    crowded.store(category="fact", content="The lantern hangs in the boathouse, by the door.")

    told = crowded.recall("where does the lantern hang?").entries

    assert [entry.archived for entry in told if "lantern" in entry.content] == [None]
    assert not any(entry.archived for entry in crowded.recall("budget of the committee").entries)


def test_filters_apply_to_decayed_entries(crowded: Workspace) -> None:
    asked = "where does the lantern hang?"

    assert not any(entry.archived for entry in crowded.recall(asked, categories=["person"]).entries)
    assert not any(entry.archived for entry in crowded.recall(asked, priority_min="high").entries)
    assert any(entry.archived for entry in crowded.recall(asked, categories=["fact"]).entries)
