"""If not everything fits into the budget, entries are chosen by value for their cost."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.embed.counters import ExactCounter
from remem.search.answer.answer import Recalled, answer_text
from remem.search.answer.present import fill_order, min_cost, value_for_cost
from remem.search.rank.ranking import Candidate, RankedCandidate
from tests.store.sqlite.sample import entry

ALL, SCARCE = 10_000, 300


def found(text: str, total: float, tokens: int) -> RankedCandidate:
    return RankedCandidate(Candidate(entry(text, token_estimate=tokens)), 0.5, {"keyword": total})


def order(
    *ranked: RankedCandidate, budget: int, longest: int | None = None, most: int | None = None
) -> list[str]:
    filled = fill_order(list(ranked), budget, longest, most)
    return [result.entry.content for result in filled if isinstance(result, RankedCandidate)]


def test_if_all_fit_the_order_ignores_cost() -> None:
    long, short = found("long", 1.1, 400), found("short", 1.0, 20)

    assert order(long, short, budget=ALL) == ["long", "short"]
    assert order(long, short, budget=SCARCE) == ["short", "long"]


def test_a_much_better_entry_comes_first_at_any_cost() -> None:
    assert order(found("long", 3.0, 400), found("short", 1.0, 20), budget=SCARCE)[0] == "long"


def test_a_cut_entry_costs_its_whole_length_but_needs_room_for_its_part() -> None:
    longest, long = found("longest", 1.1, 4_000), found("long", 1.0, 60)

    assert order(longest, long, budget=SCARCE, longest=75)[0] == "longest", "both fit"
    assert order(longest, long, budget=SCARCE // 2, longest=75)[0] == "long"


def test_if_the_wanted_entries_fit_the_order_ignores_cost() -> None:
    best, *others = (found(f"entry {i}", 2 - i / 10, 100 if i else 200) for i in range(9))

    assert order(best, *others, budget=SCARCE, most=1)[0] == "entry 0"
    assert order(best, *others, budget=SCARCE)[0] == "entry 1"


def test_doubling_the_cost_weighs_the_same_for_short_and_long_entries() -> None:
    assert (
        abs(
            (value_for_cost(0, 50) - value_for_cost(0, 100))
            - (value_for_cost(0, 500) - value_for_cost(0, 1_000))
        )
        < 1e-9
    )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(min_size=1, max_size=2_000).filter(str.strip))
def test_no_entry_costs_less_than_its_lower_bound(text: str) -> None:
    counter = ExactCounter()
    memory = entry(text, token_estimate=counter.count(text))
    shown = Recalled(memory.id, "fact", text, "low", 0.5, memory.created_at)

    assert min_cost(memory, None) <= counter.count("," + answer_text(shown))
    assert min_cost(memory, 0) <= min_cost(memory, None)


def test_an_answer_filled_by_value_for_cost_is_sorted_best_first(tmp_path: Path) -> None:
    with open_workspace(
        tmp_path, background=False, environment={"REMEM_MODELS": str(tmp_path)}
    ) as memory:
        for i in range(30):
            rest = " ".join(f"word{i}x{k}" for k in range(3 * (i % 10)))
            memory.store(category="fact", content=f"Gateway {'port ' * (i % 4)}{i}: {rest}")
        answer = memory.recall("gateway port", token_budget=700)

    scores = [result.score for result in answer.entries]
    assert 0 < len(scores) < 30
    assert scores == sorted(scores, reverse=True)
