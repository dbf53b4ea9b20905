"""How far do the figures flatter? Each conversation ranked by weights chosen without it.

The table's weights were chosen on the very conversations that they are measured on. Here every
tenth conversation is left out in turn, weights are chosen on the others (`bench.choosing`), and
those left out are put in order by them: what the table gains beyond that, it owes to its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.ablation import SHOWN, counted, each_stored
from bench.choosing import Choice, Numbers, likeliest
from bench.conversations import Asked, Conversation, read
from bench.intervals import paired
from bench.metrics import scores
from bench.retrieval import Progress, Task
from bench.subjects import DEPTH, Models, Stored
from remem.search.rank.context import SIGNALS

FOLDS: Final = 10
_CANDIDATES: Final = 150
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One question with its candidates; `fold` is the part of the data that it belongs to."""

    asked: Asked
    fold: int
    turns: tuple[tuple[str, ...], ...]
    sessions: Mapping[str, str]
    choice: Choice

    def judged(self, factors: Numbers) -> Scores:
        order = np.argsort(-(self.choice.given @ factors), kind="stable")
        turns = dict.fromkeys(turn for i in order for turn in self.turns[i])
        first = list(turns)[:DEPTH]
        return scores(first, self.sessions, self.asked.gold_turns, self.asked.gold_sessions)


def measure(
    task: Task, embedder: Models = None, progress: Progress = lambda _what, _done, _of: None
) -> dict[str, Any]:
    """The figures of the table's weights and of those chosen without the conversation, the
    paired difference, and by what each signal's weight would be multiplied."""
    questions = _asked(task, embedder, progress)
    folds = sorted({question.fold for question in questions})
    chosen = {fold: _chosen([q for q in questions if q.fold != fold]) for fold in folds}
    table = np.ones(len(SIGNALS))
    ours = _judged(questions, lambda _: table)
    theirs = _judged(questions, lambda each: chosen[each.fold])
    return {
        "data": task.data.name,
        "questions": len(questions),
        "folds": len(folds),
        "table": _means(ours),
        "held_out": _means(theirs),
        "difference": {name: _difference(theirs, ours, name) for name in SHOWN},
        "factors": {
            signal: {"mean": round(float(each.mean()), 2), "sd": round(float(each.std()), 2)}
            for signal, each in zip(SIGNALS, np.array(list(chosen.values())).T, strict=True)
            if each.any()
        },
    }


def _asked(task: Task, embedder: Models, progress: Progress) -> list[Ranked]:
    conversations = read(task.data, task.first)
    fold_of = {q.id: i % FOLDS for i, each in enumerate(conversations) for q in each.questions}
    questions: list[Ranked] = []
    for each, stored in each_stored(task, conversations, embedder, progress):
        questions += [
            _ranked(stored, each, asked, fold_of[asked.id]) for asked in counted(each, task)
        ]
    return questions


def _ranked(stored: Stored, conversation: Conversation, asked: Asked, fold: int) -> Ranked:
    weighed = stored.weighed(asked, _CANDIDATES)
    given = [[why.get(signal, 0.0) for signal in SIGNALS] for _, why in weighed]
    evidence = [not asked.gold_turns.isdisjoint(turns) for turns, _ in weighed]
    return Ranked(
        asked,
        fold,
        tuple(tuple(turns) for turns, _ in weighed),
        {turn.id: turn.session for turn in conversation.turns},
        Choice(np.array(given).reshape(-1, len(SIGNALS)), np.array(evidence, bool)),
    )


def _chosen(questions: Sequence[Ranked]) -> Numbers:
    """Of one conversation alone nothing can be left out: then the table's weights stay."""
    if not questions:
        return np.ones(len(SIGNALS))
    return likeliest([question.choice for question in questions])


def _judged(questions: Sequence[Ranked], by: Callable[[Ranked], Numbers]) -> dict[str, Scores]:
    return {question.asked.id: question.judged(by(question)) for question in questions}


def _means(judged: Mapping[str, Scores]) -> Scores:
    return {name: round(100 * fmean(s[name] for s in judged.values()), 1) for name in SHOWN}


def _difference(
    ours: Mapping[str, Scores], theirs: Mapping[str, Scores], name: str
) -> dict[str, Any]:
    here, there = ({key: each[name] for key, each in run.items()} for run in (ours, theirs))
    mean, bounds = paired(here, there)
    return {"mean": round(100 * mean, 1), "ci95": [round(100 * bound, 1) for bound in bounds]}
