"""Rank each conversation by weights that were chosen without it.

REMEM_BENCH=FOLDER python -m bench.held_out FILE… [--first N] [--keyword-only] [--notes]
                                        [--merge] [--leave-out CATEGORY] [--cache FOLDER]

The weights of the table were chosen on the conversations that they are measured on. Here a tenth
of the conversations is left out in turn, weights are chosen on the others (`bench.choosing`), and
those left out are ranked by them. The difference from the table shows how far the table was
fitted to its data.
The data (JSON Lines, not part of this project) is what `remem bench retrieval` reads.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.ablation import SHOWN, stored_conversations
from bench.choosing import Choice, Numbers, likeliest
from bench.conversations import Conversation, Question, read
from bench.intervals import paired
from bench.metrics import scores
from bench.models import CachedVectors
from bench.retrieval import Progress, Task, counted
from bench.subjects import DEPTH, Models, Setting, Stored
from remem.app.environment import choose_embedders
from remem.config import Config
from remem.search.rank.weights import SIGNALS

FOLDS: Final = 10
_CANDIDATES: Final = 150
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One question with its candidates; `fold` is the part of the data that it belongs to."""

    asked: Question
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
    """Return the figures of both sets of weights, their paired difference, and the factors.

    A factor is what the weight of a signal would be multiplied by.
    """
    questions = _asked(task, embedder, progress)
    folds = sorted({question.fold for question in questions})
    chosen = {fold: _chosen([q for q in questions if q.fold != fold]) for fold in folds}
    table = np.ones(len(SIGNALS))
    ours = _judged(questions, lambda _: table)
    theirs = _judged(questions, lambda question: chosen[question.fold])
    return {
        "data": task.data.name,
        "questions": len(questions),
        "folds": len(folds),
        "table": _means(ours),
        "held_out": _means(theirs),
        "difference": {name: _difference(theirs, ours, name) for name in SHOWN},
        "factors": {
            signal: {"mean": round(float(factors.mean()), 2), "sd": round(float(factors.std()), 2)}
            for signal, factors in zip(SIGNALS, np.array(list(chosen.values())).T, strict=True)
            if factors.any()
        },
    }


def _asked(task: Task, embedder: Models, progress: Progress) -> list[Ranked]:
    conversations = read(task.data, task.first)
    fold_of = {q.id: i % FOLDS for i, talk in enumerate(conversations) for q in talk.questions}
    questions: list[Ranked] = []
    for talk, stored in stored_conversations(task, conversations, embedder, progress):
        questions += [
            _ranked(stored, talk, question, fold_of[question.id])
            for question in counted(talk, task.leave_out)
        ]
    return questions


def _ranked(stored: Stored, conversation: Conversation, asked: Question, fold: int) -> Ranked:
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
    """Choose weights; without other conversations, those of the table stay."""
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
    here, there = ({key: scores[name] for key, scores in run.items()} for run in (ours, theirs))
    mean, bounds = paired(here, there)
    return {"mean": round(100 * mean, 1), "ci95": [round(100 * bound, 1) for bound in bounds]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--first", type=int, help="number of conversations of each file")
    parser.add_argument("--keyword-only", action="store_true", help="without a model")
    parser.add_argument("--notes", action="store_true", help="without the speakers of the turns")
    parser.add_argument("--merge", action="store_true", help="all conversations in one memory")
    parser.add_argument("--leave-out", action="append", default=[], metavar="CATEGORY")
    parser.add_argument("--cache", metavar="FOLDER", help="keep vectors here for the next run")
    options = parser.parse_args()
    folder = Path(os.environ.get("REMEM_BENCH", "."))
    setting = Setting(keyword_only=options.keyword_only, notes=options.notes)
    models = None if options.keyword_only else _models(options.cache)
    left_out = frozenset(options.leave_out)
    for name in options.files:
        task = Task(folder / name, setting, options.merge, None, options.first, left_out)
        found = measure(task, models, lambda what, *_: print(what, file=sys.stderr))
        print("\n".join(table(found)))


def _models(cache: str | None) -> Models:
    models = choose_embedders(Config())[0]
    if not models:
        sys.exit("there is no model here: `remem models fetch minilm`, or --keyword-only")
    return [CachedVectors(model, Path(cache)) for model in models] if cache else models


def table(found: dict[str, Any]) -> list[str]:
    """Return the figures of one file as a Markdown table."""
    names = list(found["table"])
    rows = {
        "the weights as they are": found["table"],
        "chosen without it": found["held_out"],
    }
    return [
        f"{found['data']}: {found['questions']} questions in {found['folds']} parts",
        "",
        "| weights | " + " | ".join(names) + " |",
        "|---|" + "--:|" * len(names),
        *(
            f"| {row} | " + " | ".join(f"{figures[name]:.1f}" for name in names) + " |"
            for row, figures in rows.items()
        ),
        "| difference | " + " | ".join(_with_bounds(found["difference"][n]) for n in names) + " |",
        "",
        "each weight times: "
        + ", ".join(
            f"{signal} {factor['mean']:.2f} ± {factor['sd']:.2f}"
            for signal, factor in found["factors"].items()
        ),
    ]


def _with_bounds(difference: dict[str, Any]) -> str:
    low, high = difference["ci95"]
    return f"{difference['mean']:+.1f} [{low:.1f}, {high:.1f}]"


if __name__ == "__main__":
    main()
