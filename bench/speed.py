"""Compare the speed of remem with that of the bare parts it is made of, in one run."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from bench.bare import BareRecall, group_commit, rate_of
from bench.processes import HELLO, PARTS, memory_of, recall_command, server_command, side_by_side
from bench.timing import Timing, time_in_turn
from bench.workload import Tiled, Workload
from remem.app.environment import choose_embedders
from remem.app.opening import open_workspace
from remem.config import Config
from remem.errors import ModelMissing
from remem.ports.models import Embedder

Progress = Callable[[str], None]
_QUESTIONS = 200
_CALLERS = 50
_STORED = 5_000
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """One comparison; `good` says whether the goal is met, `detail` what was measured."""

    name: str
    ratio: float
    goal: str
    good: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Speed:
    """All figures of a run, and where it ran."""

    entries: int
    machine: str
    python: str
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]


def measure(
    entries: int = 100_000, encoded: int = 2_000, progress: Progress = lambda _text: None
) -> Speed:
    """Measure everything in one run; takes some minutes at 100,000 entries."""
    model = local_model()
    encoded = min(encoded, entries)
    with tempfile.TemporaryDirectory(prefix="remem-bench-") as name:
        folder = Path(name)
        figures = [
            *_recall(folder / "recall", entries, encoded, model, progress),
            _stores(folder / "stores", progress),
            _ready(folder / "ready", progress),
        ]
    note = (
        f"vectors: {encoded:,} texts encoded by {model.identity.name}, "
        "handed out in turn with a little noise"
    )
    return _speed(entries, (note,), figures)


def measure_search(workspace: Path, progress: Progress = lambda _text: None) -> Speed:
    """Measure search in the files of a workspace, whose missing vectors are made first."""
    model = local_model()
    with (
        open_workspace(workspace, background=False) as memory,
        tempfile.TemporaryDirectory(prefix="remem-bench-") as name,
    ):
        progress("making vectors")
        memory.refresh(with_vectors=True)
        with memory.services.passages.read() as reader:
            passages = dict(pair for path in reader.files() for pair in reader.of_file(path))
            vectors = reader.vectors_of(model.identity, list(passages))
        texts = [passage.text for passage in passages.values()]
        bare = BareRecall(Path(name), model)
        bare.add(texts)
        bare.add_vectors(vectors.values())
        progress("asking")
        questions = Workload().questions([text for text in texts if text.split()], _QUESTIONS)
        asked = time_in_turn(memory.search, bare, questions)
        bare.close()
    figure = _compared("search p50 / bare parts", asked, f"{len(texts):,} passages", goal=2.5)
    return _speed(len(texts), (f"vectors: {model.identity.name}",), (figure,))


def _speed(count: int, notes: tuple[str, ...], figures: Iterable[Figure]) -> Speed:
    return Speed(
        entries=count,
        machine=f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        python=platform.python_version(),
        notes=notes,
        figures=tuple(figures),
    )


def local_model() -> Embedder:
    embedders, why = choose_embedders(Config())
    if not embedders:
        raise ModelMissing(f"speed is measured with the local model: {why}")
    return embedders[0]


def _recall(
    folder: Path, entries: int, encoded: int, model: Embedder, progress: Progress
) -> list[Figure]:
    work = Workload()
    texts = work.texts(entries)
    questions = work.questions(texts, _QUESTIONS)
    progress(f"encoding {encoded:,} texts")
    known = model.embed(texts[:encoded])
    folder.mkdir(parents=True)
    tiled = Tiled(model, known)
    with open_workspace(folder / "ws", background=False, embedder=tiled) as memory:
        started = perf_counter()
        memory.store_many(
            ({"category": "fact", "content": text} for text in texts),
            progress=lambda done: progress(f"storing {done:,} of {entries:,}"),
        )
        seconds = perf_counter() - started
        progress(f"stored at {entries / seconds:,.0f}/s; adding vectors")
        memory.maintenance.embed_pending(lambda done: progress(f"vectors {done:,} of {entries:,}"))
        bare = BareRecall(folder, model)
        bare.add(texts)
        bare.add_vectors(Tiled(model, known).embed(texts))
        progress("asking")
        asked = time_in_turn(memory.recall, bare, questions)
        bare.close()
    found = [_compared("recall p50 / bare parts", asked, f"{entries:,} entries")]
    progress("a cold process")
    megabytes = memory_of(folder / "ws", questions[:5])
    found.append(
        Figure("memory", megabytes, "reported", True, f"{megabytes:.0f} MB at {entries:,} entries")
    )
    found.append(_cold(folder / "ws", questions[0]))
    return found


def _compared(name: str, asked: Timing, where: str, goal: float = 2) -> Figure:
    return Figure(
        name,
        asked.ratio,
        f"≤ {goal:g}",
        asked.ratio <= goal,
        f"{where}: {asked.p50:.1f} ms against {asked.bare_p50:.1f} ms; p99 {asked.p99:.1f} ms; "
        f"processor {asked.cpu:.1f} ms against {asked.bare_cpu:.1f} ms",
    )


def _cold(workspace: Path, question: str) -> Figure:
    """Measured with the token counter of a plain install; the exact one loads a vocabulary."""
    config = workspace / ".remem/config.toml"
    config.write_text('token_counter = "estimate"\n', encoding="utf-8")
    ours, theirs = side_by_side(
        recall_command(workspace, question),
        [sys.executable, "-c", PARTS],
        served=False,
        rounds=_ROUNDS,
    )
    return Figure(
        "cold `remem recall` / importing its parts",
        ours / theirs,
        "≤ 3",
        ours / theirs <= 3,
        f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms",
    )


def _stores(folder: Path, progress: Progress) -> Figure:
    """Measured with the token counter of a plain install; the exact one is slow on new words."""
    progress(f"{_CALLERS} callers store {_STORED:,} memories")
    folder.mkdir(parents=True)
    texts = Workload(seed=23).texts(2 * _STORED)
    bare = [
        _per_store(partial(group_commit, _made(folder / f"bare{i}"), texts[:_STORED], _CALLERS))
        for i in range(2)
    ]
    limit, bare_cpu = (median(values) for values in zip(*bare, strict=True))
    config = folder / "ws/.remem/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('token_counter = "estimate"\n', encoding="utf-8")
    with open_workspace(folder / "ws", environment={"REMEM_MODELS": str(folder)}) as memory:
        ours, cpu = _per_store(
            lambda: rate_of(
                lambda text: memory.store(category="fact", content=text), texts[_STORED:], _CALLERS
            )
        )
    return Figure(
        "durable stores / bare group commit",
        ours / limit,
        "≥ 0.3",
        ours / limit >= 0.3,
        f"{_CALLERS} callers: {ours:,.0f}/s against {limit:,.0f}/s; "
        f"processor {cpu:.0f} µs against {bare_cpu:.0f} µs",
    )


def _per_store(measure: Callable[[], float]) -> tuple[float, float]:
    """Return the rate that is measured, and the processor time of each store in microseconds."""
    started = process_time()
    rate = measure()
    return rate, (process_time() - started) / _STORED * 1e6


def _ready(folder: Path, progress: Progress) -> Figure:
    progress("starting servers")
    open_workspace(folder, environment={"REMEM_MODELS": str(folder)}).close()
    ours, theirs = side_by_side(
        server_command(folder), [sys.executable, "-c", HELLO], served=True, rounds=_ROUNDS
    )
    return Figure(
        "MCP server ready / hello-world server",
        ours / theirs,
        "≤ 1.5",
        ours / theirs <= 1.5,
        f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms",
    )


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
