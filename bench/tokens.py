"""Measure how much evidence fits into a token budget, on the text that a model receives.

remem's answer is compared with plain BM25 and with the newest part of the history, in lines. A
second count, four characters per token and a header per session, makes the figures comparable
with published ones.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench.conversations import Conversation, Question, Turn, read
from bench.plain_bm25 import PlainBM25
from bench.retrieval import Progress, counted
from bench.subjects import Setting, Stored
from remem.app.opening import open_workspace
from remem.config import Config
from remem.embed.counters import choose_counter
from remem.ports.models import Embedder
from remem.search.answer.present import value_for_cost

BUDGETS: Final = (500, 1_000, 2_000, 4_000, 8_000)
SYSTEMS: Final = ("remem", "remem, at least in part", "BM25", "newest history")
ESTIMATED: Final = ("remem, 4 characters", "BM25, 4 characters")
_DEPTH: Final = 300
_HEADER: Final = 10
_SHORT: Final = 15
"""The estimated tokens of a short turn, which limit the number of candidates."""
_WHOLE: Final = 0.9
"""The least share of a turn that counts as the whole turn."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A question, and the turns inside the answer by system and budget."""

    asked: Question
    inside: Mapping[tuple[str, int], frozenset[str]]


def measure(
    data: Path,
    embedder: Embedder | Sequence[Embedder] | None = None,
    first: int | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> dict[str, Any]:
    """The share of questions with any and with all of their evidence, by system and budget."""
    conversations = read(data, first)
    count = choose_counter(Config().token_counter)
    packed: list[Packed] = []
    for number, conversation in enumerate(conversations):
        with tempfile.TemporaryDirectory(prefix="remem-bench-") as folder:
            progress(f"storing {conversation.id}", number, len(conversations))
            memory = open_workspace(Path(folder) / "ws", background=False, embedder=embedder)
            with memory:
                stored = Stored(memory, conversation, Setting())
                progress(f"asking {conversation.id}", number, len(conversations))
                plain = _Plain(conversation, count.count)
                packed += [_packed(stored, plain, q) for q in counted(conversation)]
    history = [
        count.count("\n".join(map(_line, conversation.turns))) for conversation in conversations
    ]
    return {
        "data": data.name,
        "counter": count.name,
        "questions": len(packed),
        "full_history_tokens": round(fmean(history)),
        "budgets": list(BUDGETS),
        "any": {name: _shares(packed, name, some=True) for name in (*SYSTEMS, *ESTIMATED)},
        "all": {name: _shares(packed, name, some=False) for name in (*SYSTEMS, *ESTIMATED)},
    }


class _Plain:
    """A conversation as lines, each counted once, with plain BM25 over them."""

    def __init__(self, conversation: Conversation, count: Callable[[str], int]) -> None:
        self.turns = {turn.id: turn for turn in conversation.turns}
        self._costs = {turn.id: count(_line(turn)) + 1 for turn in conversation.turns}
        self._index = PlainBM25(conversation)

    def ranked(self, asked: Question) -> list[Turn]:
        return [self.turns[id_] for id_ in self._index(asked, _DEPTH)]

    def newest(self) -> Iterable[Turn]:
        return reversed(self.turns.values())

    def cost(self, turn: Turn) -> int:
        return self._costs[turn.id]


def _packed(stored: Stored, plain: _Plain, asked: Question) -> Packed:
    inside: dict[tuple[str, int], frozenset[str]] = {}
    ranked = plain.ranked(asked)
    for budget in BUDGETS:
        valued = _by_value(stored.weighed(asked, limit=budget // _SHORT), plain.turns)
        whole, part = stored.within(asked, budget, _WHOLE)
        inside["remem", budget], inside["remem, at least in part", budget] = whole, part
        inside["BM25", budget] = _fitting(ranked, budget, plain.cost)
        inside["newest history", budget] = _fitting(plain.newest(), budget, plain.cost, stop=True)
        inside["remem, 4 characters", budget] = _by_characters(valued, budget)
        inside["BM25, 4 characters", budget] = _by_characters(ranked, budget)
    return Packed(asked, inside)


def _fitting(
    turns: Iterable[Turn], budget: int, cost: Callable[[Turn], int], *, stop: bool = False
) -> frozenset[str]:
    """The turns that fit, best first; one that does not fit is skipped, or with `stop` ends it."""
    inside = set()
    for turn in turns:
        price = cost(turn)
        if price <= budget:
            budget -= price
            inside.add(turn.id)
        elif stop:
            break
    return frozenset(inside)


def _by_value(
    weighed: Iterable[tuple[Sequence[str], Mapping[str, float]]], turns: Mapping[str, Turn]
) -> list[Turn]:
    """The turns in the order in which recall fills a budget, with the estimated costs."""
    valued = [
        (value_for_cost(fsum(why.values()), _characters(turns[id_]) + _HEADER), turns[id_])
        for ids, why in weighed
        for id_ in ids
    ]
    return [turn for _, turn in sorted(valued, key=lambda pair: -pair[0])]


def _by_characters(turns: Sequence[Turn], budget: int) -> frozenset[str]:
    """The turns that fit, at four characters per token and a header per session."""
    sessions: set[str] = set()
    inside = set()
    for turn in turns:
        price = _characters(turn) + (0 if turn.session in sessions else _HEADER)
        if price <= budget:
            budget -= round(price)
            sessions.add(turn.session)
            inside.add(turn.id)
    return frozenset(inside)


def _characters(turn: Turn) -> float:
    return len(turn.content) / 4


def _line(turn: Turn) -> str:
    return f"{turn.date[:10]} {' '.join(turn.content.split())}"


def _shares(packed: Sequence[Packed], name: str, *, some: bool) -> list[float]:
    shares = []
    for budget in BUDGETS:
        hits = [
            bool(question.asked.gold_turns & question.inside[name, budget])
            if some
            else question.asked.gold_turns <= question.inside[name, budget]
            for question in packed
        ]
        shares.append(round(100 * fmean(hits), 1))
    return shares
