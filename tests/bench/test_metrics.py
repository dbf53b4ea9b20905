"""The metrics count as they are defined."""

from __future__ import annotations

from math import log2

import pytest

from bench.metrics import gain, scores, share

SESSIONS = {str(i): f"S{i // 3}" for i in range(60)}


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    found = scores([str(i) for i in range(50)], SESSIONS, {"0", "7"}, {"S0", "S2"})

    assert (found["R@1"], found["R@5"], found["R@10"]) == (0.5, 0.5, 1.0)


def test_gain_is_discounted_by_rank_against_the_best_possible() -> None:
    assert gain(["x", "a"], {"a"}) == pytest.approx(1 / log2(3))
    assert gain(["a", "b"], {"a", "b"}) == pytest.approx(1)
    assert gain([], {"a"}) == 0
    assert gain(["a"], {str(i) for i in range(20)} | {"a"}) < 0.3


def test_the_first_hit_makes_the_reciprocal_rank() -> None:
    assert (
        scores(["x", "x2", "a"], dict.fromkeys(("x", "x2", "a"), "S"), {"a"}, {"S"})["MRR"] == 1 / 3
    )
    assert scores(["x"], {"x": "S"}, {"a"}, {"S"})["MRR"] == 0


def test_sessions_are_ranked_by_their_best_turn() -> None:
    found = scores(["3", "0", "4"], SESSIONS, {"0"}, {"S0", "S9"})

    assert found["S-any@5"] == 1
    assert found["S-all@5"] == 0
    assert found["S-R@5"] == 0.5


def test_without_gold_turns_only_sessions_count() -> None:
    assert "R@10" not in scores(["0"], SESSIONS, set(), {"S0"})


def test_a_repeated_turn_counts_once() -> None:
    assert share(["a", "a"], {"a", "b"}) == 0.5
