"""The budget counts what the model receives, and is never exceeded (invariant 6)."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter, ExactCounter
from remem.errors import InvalidInput
from remem.search.answer.answer import EntryOffer, Recalled, answer_text, pack
from tests.tables import each_row
from tests.tiers import examples

TEXT = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8", exclude_characters="\0"),
        st.sampled_from('abc de.\n"\\/{}[]数据中心😀'),
    ),
    min_size=1,
    max_size=400,
).filter(str.strip)


def recalled(content: str, tags: list[str]) -> Recalled:
    return Recalled(
        id="mem-00000000",
        category="fact",
        content=content,
        priority="medium",
        score=0.5,
        stored_at="2026-11-15T12:00:00Z",
        tags=tuple(tags),
    )


def offered(*found: Recalled) -> list[EntryOffer]:
    return [EntryOffer(0, partial(replace, recalled)) for recalled in found]


@pytest.mark.parametrize(
    "counter", [EstimatedCounter(), ExactCounter()], ids=lambda counter: counter.name
)
@given(
    found=st.lists(st.builds(recalled, TEXT, st.lists(TEXT, max_size=3)), max_size=12),
    budget=st.integers(100, 2_000),
    notes=st.lists(TEXT, max_size=2),
)
def test_no_answer_costs_more_than_its_budget(
    counter: EstimatedCounter | ExactCounter, found: list[Recalled], budget: int, notes: list[str]
) -> None:
    answer = pack(offered(*found), budget, counter, match_count=len(found), notes=notes)

    assert counter.count(answer_text(answer)) <= answer.token_count <= budget
    assert answer.budget_remaining == budget - answer.token_count
    assert answer.left_out == len(found) - len(answer.entries)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("filled")
    memory = open_workspace(folder, background=False, environment={"REMEM_MODELS": str(folder)})
    memory.store_many(
        {
            "category": ("fact", "decision", "person")[i % 3],
            "content": f"Gateway note {i}: " + " ".join(f"word{i}x{k}. " for k in range(i)),
            "context": f"why {i} " * (i % 7),
            "tags": ["gateway", f"t{i % 5}"],
        }
        for i in range(120)
    )
    return memory


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=examples(60),
)
@given(
    budget=st.integers(100, 6_000),
    form=st.sampled_from(["brief", "detailed"]),
    include_context=st.booleans(),
    why=st.booleans(),
    limit=st.one_of(st.none(), st.integers(1, 60)),
)
def test_recall_keeps_to_its_budget_in_every_form(
    filled: Workspace,
    budget: int,
    form: str,
    include_context: bool,
    why: bool,
    limit: int | None,
) -> None:
    answer = filled.recall(
        "which gateway notes are there",
        token_budget=budget,
        format=form,
        include_context=include_context,
        why=why,
        limit=limit,
    )

    exact = ExactCounter().count(answer_text(answer))
    assert exact <= answer.token_count <= budget
    assert len(answer.entries) + answer.left_out == answer.total_entries_matched
    assert limit is None or len(answer.entries) <= limit


def test_a_smaller_budget_shows_fewer_entries_and_counts_the_rest(filled: Workspace) -> None:
    small = filled.recall("gateway notes", token_budget=300)
    large = filled.recall("gateway notes", token_budget=6_000)

    assert 0 < len(small.entries) < len(large.entries)
    assert small.left_out > large.left_out


def test_an_entry_that_does_not_fit_is_skipped(filled: Workspace) -> None:
    counter = EstimatedCounter()
    huge = recalled("long " * 2_000, [])
    tiny = recalled("short", [])

    answer = pack(offered(huge, tiny), 200, counter, match_count=2)

    assert [entry.content for entry in answer.entries] == ["short"]


def test_an_entry_that_cannot_fit_is_not_rendered() -> None:
    written: list[str] = []

    def shown(text: str) -> Recalled:
        written.append(text)
        return recalled(text, [])

    offers = [EntryOffer(500, partial(shown, "long")), EntryOffer(40, partial(shown, "short"))]
    answer = pack(offers, 200, EstimatedCounter(), match_count=2)

    assert [entry.content for entry in answer.entries] == written == ["short"]


def test_entries_are_sorted_by_score_and_passages_keep_their_positions() -> None:
    low, high = replace(recalled("low", []), score=0.2), replace(recalled("high", []), score=0.9)
    passage = replace(recalled("passage", []), id="memory/a.md#L1", score=0.4)

    answer = pack(offered(low, passage, high), 1_000, EstimatedCounter(), match_count=3)

    assert [entry.content for entry in answer.entries] == ["high", "passage", "low"]


@each_row("budget", [0, -5, 99, True, 10**9, "many"])
def test_a_budget_that_cannot_hold_an_answer_is_refused(filled: Workspace, budget: int) -> None:
    with pytest.raises(InvalidInput, match="token_budget"):
        filled.recall("gateway", token_budget=budget)


def test_a_counter_that_ignores_field_names_is_caught() -> None:
    """The known-bad version: only contents are counted."""

    class ContentsOnly(EstimatedCounter):
        def count(self, text: str) -> int:
            try:
                value = json.loads(text.removeprefix(","))
            except ValueError:
                return super().count(text)
            entries = value.get("entries", [value] if "content" in value else [])
            return sum(super(ContentsOnly, self).count(entry["content"]) for entry in entries)

    found = [recalled(f"note {i}", []) for i in range(50)]
    answer = pack(offered(*found), 150, ContentsOnly(), match_count=50)

    assert ExactCounter().count(answer_text(replace(answer))) > 150


def test_a_long_entry_is_cut_to_its_relevant_sentences(tmp_path: Path) -> None:
    filler = " ".join(f"Sentence {i} is about nothing in particular." for i in range(200))
    with open_workspace(
        tmp_path, background=False, environment={"REMEM_MODELS": str(tmp_path)}
    ) as memory:
        memory.store(
            category="fact", content=f"{filler} The spare key lies under the blue pot. {filler}"
        )
        brief = memory.recall("where is the spare key", token_budget=1_000).entries[0]
        whole = memory.recall("where is the spare key", token_budget=9_000, format="detailed")

    assert brief.truncated
    assert "The spare key lies under the blue pot." in brief.content
    assert whole.entries[0].truncated is None
    assert whole.entries[0].content.startswith("Sentence 0")
