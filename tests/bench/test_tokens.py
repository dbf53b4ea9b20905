"""How much evidence fits into a budget is counted on what the model receives."""

from __future__ import annotations

from pathlib import Path

from bench.tokens import BUDGETS, measure
from bench.tokens_plot import lines, svg
from tests.bench.conversation_set import written
from tests.deterministic import Deterministic


def test_a_larger_budget_never_holds_less(tmp_path: Path) -> None:
    result = measure(written(tmp_path), Deterministic())

    assert result["budgets"] == list(BUDGETS)
    assert result["questions"] == 4
    for shares in (*result["all"].values(), *result["any"].values()):
        assert shares == sorted(shares)
        assert shares[-1] == 100


def test_the_figures_are_drawn(tmp_path: Path) -> None:
    result = measure(written(tmp_path), Deterministic(), first=1)

    assert any(line.startswith("remem") for line in lines(result))
    assert svg(result).count("<polyline") == len(result["all"])
    assert svg(result) == svg(result)
