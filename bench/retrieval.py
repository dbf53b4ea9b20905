"""Measure retrieval: store conversations, ask questions, score the rankings.

Nothing but a question's text and date reaches the memory; no language model takes part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Any, Final

from bench.conversations import Conversation, Question, merged, read
from bench.intervals import interval, macro_interval, paired, verdict
from bench.metrics import METRICS, scores, share
from bench.said import with_said_questions
from bench.subjects import DEPTH, Setting, Subject, Written, build, ranking
from bench.typos import misspelt
from remem.errors import InvalidInput
from remem.ports.models import Embedder

NOT_IN_ALL: Final = frozenset({"adversarial", "abstention"})
NOT_IN_MACRO: Final = frozenset({"abstention"})
_FIRST_PASSAGES: Final = 6
Progress = Callable[[str, int, int], None]
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Task:
    """The data, and how its questions are asked.

    `said` replaces them with questions about what the user or the assistant said.
    """

    data: Path
    setting: Setting = field(default_factory=Setting)
    merge: bool = False
    typos: int | None = None
    first: int | None = None
    leave_out: frozenset[str] = frozenset()
    said: bool = False

    @property
    def plain(self) -> Task:
        """The same task for plain BM25."""
        return replace(self, setting=Setting("bm25"))


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its scores and its duration in milliseconds."""

    asked: Question
    scores: Mapping[str, float]
    ms: float


def measure(
    task: Task,
    embedder: Embedder | Sequence[Embedder] | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> dict[str, Any]:
    """Return all figures, under the names that are common in publications."""
    conversations = read(task.data, task.first)
    if task.said:
        conversations = [with_said_questions(conversation) for conversation in conversations]
    memories = [merged(conversations)] if task.merge else conversations
    answered: list[Answered] = []
    index_s = 0.0
    for number, memory in enumerate(memories):
        with tempfile.TemporaryDirectory(prefix="remem-bench-") as folder:
            progress(f"storing {memory.id}", number, len(memories))
            started = perf_counter()
            subject = build(Path(folder) / "ws", memory, task.setting, embedder)
            index_s += perf_counter() - started
            try:
                progress(f"asking {memory.id}", number, len(memories))
                sessions = {turn.id: turn.session for turn in memory.turns}
                answered += [_judged(subject, q, sessions, task) for q in memory.questions]
            finally:
                subject.close()
    progress("done", len(memories), len(memories))
    turns = sum(len(conversation.turns) for conversation in conversations)
    return {
        "data": task.data.name,
        "adapter": _adapter(task),
        "depth": DEPTH,
        "conversations": len(conversations),
        "turns": turns,
        "questions": len(answered),
        **summary(answered, task.leave_out),
        "index_s": round(index_s, 2),
        "turns_per_s": round(turns / max(index_s, 1e-9), 1),
        "query_ms": _times([answer.ms for answer in answered]),
        "per_question": {
            answer.asked.id: {name: round(value, 4) for name, value in answer.scores.items()}
            for answer in answered
            if answer.asked.category not in NOT_IN_ALL | task.leave_out
        },
    }


def counted(conversation: Conversation, leave_out: Collection[str] = ()) -> list[Question]:
    """The questions that count towards a mean; their evidence turns are known."""
    not_counted = NOT_IN_ALL | set(leave_out)
    return [q for q in conversation.questions if q.category not in not_counted and q.gold_turns]


def summary(answered: Sequence[Answered], leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The means over questions and over categories, with their intervals."""
    valid = [a for a in answered if a.asked.category not in NOT_IN_ALL | set(leave_out)]
    judged = [a for a in answered if a.asked.category not in NOT_IN_MACRO | set(leave_out)]
    slices: dict[str, list[Answered]] = {}
    for answer in judged:
        slices.setdefault(answer.asked.category, []).append(answer)
    names = [name for name in (*METRICS, "C@6", "V@6") if any(name in a.scores for a in judged)]
    by_metric = {
        name: {
            kind: values
            for kind, some in slices.items()
            if (values := [a.scores[name] for a in some if name in a.scores])
        }
        for name in names
    }
    return {
        "all": {"n": len(valid), **_means(valid, names)},
        "ci95": {
            name: _percent(interval(values))
            for name in names
            if (values := [a.scores[name] for a in valid if name in a.scores])
        },
        "macro": {
            "n": len(slices),
            **{
                name: round(100 * fmean(fmean(kind) for kind in kinds.values()), 2)
                for name, kinds in by_metric.items()
            },
        },
        "macro_ci95": {
            name: _percent(macro_interval(values)) for name, values in by_metric.items()
        },
        "categories": {
            kind: {"n": len(some), **_means(some, names)} for kind, some in sorted(slices.items())
        },
    }


def compared(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The paired difference of every metric from an earlier run on the same questions."""
    ours, theirs = now["per_question"], before.get("per_question")
    if not isinstance(theirs, dict) or not set(ours) & set(theirs):
        raise InvalidInput(
            "the earlier run has no question in common with this one",
            hint="compare with the --json output of a run on the same data",
        )
    found = {}
    for name in METRICS:
        here, there = (
            {key: scores_[name] for key, scores_ in run.items() if name in scores_}
            for run in (ours, theirs)
        )
        mean, bounds = paired(here, there)
        found[name] = {
            "difference": round(100 * mean, 2),
            "ci95": _percent(bounds),
            "verdict": verdict(bounds),
        }
    return found


def _judged(subject: Subject, asked: Question, sessions: Mapping[str, str], task: Task) -> Answered:
    put = asked if task.typos is None else replace(asked, query=misspelt(asked.query, task.typos))
    started = perf_counter()
    results = subject.ask(put)
    ms = (perf_counter() - started) * 1000
    found = scores(ranking(results), sessions, asked.gold_turns, asked.gold_sessions)
    if isinstance(subject, Written) and asked.gold_turns:
        found["C@6"] = share(ranking(results[:_FIRST_PASSAGES]), asked.gold_turns)
        found["V@6"] = share(subject.seen(put, _FIRST_PASSAGES), asked.gold_turns)
    return Answered(asked, found, ms)


def _means(some: Sequence[Answered], names: Sequence[str]) -> Scores:
    return {
        name: round(100 * fmean(values), 2)
        for name in names
        if (values := [answered.scores[name] for answered in some if name in answered.scores])
    }


def _percent(bounds: tuple[float, float]) -> list[float]:
    return [round(100 * bound, 2) for bound in bounds]


def _times(ms: Sequence[float]) -> dict[str, float]:
    p95 = quantiles(ms, n=20)[-1] if len(ms) > 1 else (ms[0] if ms else 0.0)
    return {"p50": round(median(ms), 2) if ms else 0.0, "p95": round(p95, 2)}


def _adapter(task: Task) -> str:
    """The setting, in the words of the command line."""
    setting = task.setting
    if setting.via == "bm25":
        return "bm25"
    flags = {
        "merged": task.merge,
        "isolated": setting.isolated,
        "notes": setting.notes,
        "quick": setting.quick,
        "keyword-only": setting.keyword_only,
        "typos": task.typos is not None,
    }
    parts = [f"remem {setting.via}", *(name for name, on in flags.items() if on)]
    return ", ".join([*parts, *(f"without {name}" for name in setting.without)])
