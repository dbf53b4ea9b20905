"""How good search is right after many files were read, and as the model embeds them.

For each moment a new memory is filled with the same Markdown files. Vectors are made for the given
number of seconds, then every question is asked once. Search embeds what may answer a question
before it answers, as it does in use.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

from bench.conversations import Conversation, merged, read
from bench.metrics import share
from bench.retrieval import counted
from bench.subjects import Setting, Written, opened_for, ranking
from remem.ports.models import Embedder


@dataclass(frozen=True, slots=True)
class Moment:
    """Search after `seconds` of embedding; None means that every passage was embedded.

    `found` is the share of the evidence in the first ten turns, in percent; `median_ms` is the
    time of a question.
    """

    seconds: float | None
    passages: int
    without_vector: int
    questions: int
    found: float
    median_ms: float


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments of one file: keywords only, then those that were asked for."""

    data: str
    moments: tuple[Moment, ...]


def measure(
    data: Path,
    moments: Sequence[float | None],
    *,
    first: int | None = None,
    questions: int | None = None,
    embedder: Embedder | Sequence[Embedder] | None = None,
    progress: Callable[[str], None] = lambda _line: None,
) -> list[Moment]:
    """Ask the questions of all conversations, which share one memory, at each moment."""
    memory = merged(read(data, first))
    asked = replace(memory, questions=tuple(counted(memory)[:questions]))
    measured: list[Moment] = []
    keywords = Setting("search", keyword_only=True)
    for setting, seconds in [(keywords, 0.0), *((Setting("search"), m) for m in moments)]:
        progress(f"{'keywords only' if setting.keyword_only else f'{seconds} seconds'}")
        measured.append(_moment(asked, setting, embedder, seconds))
    return measured


def _moment(
    memory: Conversation,
    setting: Setting,
    embedder: Embedder | Sequence[Embedder] | None,
    seconds: float | None,
) -> Moment:
    with tempfile.TemporaryDirectory(prefix="remem-bench-") as name:
        folder = Path(name) / "ws"
        workspace = opened_for(folder, setting, embedder)
        try:
            files = Written(workspace, folder, memory, embed_seconds=seconds)
            status = workspace.refresh()
            shares, times = [], []
            for question in memory.questions:
                started = perf_counter()
                first = ranking(files.ask(question))[:10]
                times.append(1000 * (perf_counter() - started))
                shares.append(share(first, question.gold_turns))
        finally:
            workspace.close()
    return Moment(
        seconds=seconds,
        passages=status.passages,
        without_vector=status.without_vector,
        questions=len(shares),
        found=round(100 * fmean(shares), 1),
        median_ms=round(median(times), 1),
    )
