"""Measure what each signal is worth: the same answers, ranked without one signal at a time.

`why` lists the share of every signal in an entry's score, so one round of questions is enough for
all signals; --without leaves a signal out from the start.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench.conversations import Conversation, Question, merged, read
from bench.intervals import paired, verdict
from bench.metrics import scores
from bench.retrieval import Progress, Task, counted
from bench.subjects import DEPTH, Models, Stored, opened_for
from remem.search.rank.weights import SIGNALS

SHOWN: Final = ("R@1", "R@10", "nDCG@10", "S-all@5")
WHOLE: Final = "all signals"
Weighed = Sequence[tuple[Sequence[str], Mapping[str, float]]]


def measure(
    task: Task,
    embedder: Models = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> dict[str, Any]:
    """For each signal the change of every metric when it is missing, with its interval."""
    conversations = read(task.data, task.first)
    found: dict[str, dict[str, dict[str, float]]] = {name: {} for name in (WHOLE, *SIGNALS)}
    for conversation, stored in stored_conversations(task, conversations, embedder, progress):
        for asked in counted(conversation, task.leave_out):
            _judge(found, stored.weighed(asked), conversation, asked)
    whole = found.pop(WHOLE)
    return {
        "data": task.data.name,
        "questions": len(whole),
        "all": {name: _mean(whole, name) for name in SHOWN},
        "without": {
            signal: {name: _change(some, whole, name) for name in SHOWN}
            for signal, some in found.items()
        },
    }


def stored_conversations(
    task: Task, conversations: Sequence[Conversation], embedder: Models, progress: Progress
) -> Iterator[tuple[Conversation, Stored]]:
    """Yield every conversation with its own open memory, or with --merge all in one memory."""
    memories = [merged(conversations)] if task.merge else conversations
    for number, conversation in enumerate(memories):
        progress(f"asking {conversation.id}", number, len(memories))
        with (
            tempfile.TemporaryDirectory(prefix="remem-bench-") as folder,
            opened_for(Path(folder) / "ws", task.setting, embedder) as memory,
        ):
            yield conversation, Stored(memory, conversation, task.setting)


def _judge(
    found: Mapping[str, dict[str, dict[str, float]]],
    weighed: Weighed,
    conversation: Conversation,
    asked: Question,
) -> None:
    sessions = {turn.id: turn.session for turn in conversation.turns}
    for name, judged in found.items():
        order = sorted(
            weighed, key=lambda result: result[1].get(name, 0.0) - sum(result[1].values())
        )
        ranking = list(dict.fromkeys(turn for turns, _ in order for turn in turns))[:DEPTH]
        judged[asked.id] = scores(ranking, sessions, asked.gold_turns, asked.gold_sessions)


def _mean(judged: Mapping[str, Mapping[str, float]], name: str) -> float:
    return round(100 * fmean(value[name] for value in judged.values()), 1)


def _change(
    some: Mapping[str, Mapping[str, float]], whole: Mapping[str, Mapping[str, float]], name: str
) -> dict[str, Any]:
    ours, theirs = ({key: metrics[name] for key, metrics in run.items()} for run in (some, whole))
    mean, (low, high) = paired(ours, theirs)
    return {
        "difference": round(100 * mean, 1),
        "ci95": [round(100 * low, 1), round(100 * high, 1)],
        "verdict": verdict((low, high)),
    }
