"""Metrics of a ranking: how much evidence is among the first results, by turns and sessions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log2
from typing import Final

TURN_METRICS: Final = ("R@1", "R@5", "R@10", "R@20", "nDCG@10", "MRR")
SESSION_METRICS: Final = ("S-any@5", "S-all@5", "S-R@5", "S-any@10", "S-all@10", "S-nDCG@10")
METRICS: Final = (*TURN_METRICS, *SESSION_METRICS)


def scores(
    ranking: Sequence[str],
    session_of: Mapping[str, str],
    gold_turns: Collection[str],
    gold_sessions: Collection[str],
) -> dict[str, float]:
    """Each metric of one question, from 0 to 1; without gold turns only those of sessions."""
    found: dict[str, float] = {}
    if gold_turns:
        for k in (1, 5, 10, 20):
            found[f"R@{k}"] = share(ranking[:k], gold_turns)
        found["nDCG@10"] = gain(ranking[:10], gold_turns)
        ranks = (i for i, turn in enumerate(ranking, start=1) if turn in gold_turns)
        found["MRR"] = 1 / next(ranks, float("inf"))
    sessions = list(dict.fromkeys(session_of[turn] for turn in ranking))
    for k in (5, 10):
        part = share(sessions[:k], gold_sessions)
        found[f"S-any@{k}"] = float(part > 0)
        found[f"S-all@{k}"] = float(part == 1)
    found["S-R@5"] = share(sessions[:5], gold_sessions)
    found["S-nDCG@10"] = gain(sessions[:10], gold_sessions)
    return found


def share(first: Sequence[str], gold: Collection[str]) -> float:
    """The share of the gold items among the first."""
    return len(set(first) & set(gold)) / len(set(gold)) if gold else 0.0


def gain(first: Sequence[str], gold: Collection[str]) -> float:
    """The discounted gain by rank, relative to the best possible one."""
    ideal = sum(1 / log2(i + 2) for i in range(min(len(set(gold)), 10)))
    got = sum(1 / log2(i + 2) for i, id_ in enumerate(first) if id_ in gold)
    return got / ideal if ideal else 0.0
