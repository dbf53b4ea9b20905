"""Measure one memory at several sizes as it grows."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from bench.bare import BareRecall
from bench.isolation import recall_in_group, recall_with_filter
from bench.processes import PARTS, memory_of, recall_command, side_by_side
from bench.timing import Timing, time_in_turn
from bench.workload import COMMON, Tiled, Workload
from remem.app.opening import open_workspace
from remem.entries.draft import Memory
from remem.model.entry import CATEGORIES
from remem.ports.models import Embedder, Embedding

Progress = Callable[[str], None]

_RARE_TAG: Final = "seldom"
_RARE_EVERY: Final = 1_000
_QUESTIONS: Final = 100
_COMMON_ROUNDS: Final = 10
_ROUNDS: Final = 3
_CHUNK: Final = 10_000


@dataclass(frozen=True, slots=True)
class Size:
    """The figures of one size.

    Rates are entries per second since the previous size: `stored` until keywords find them,
    `quick` until quick vectors do, `vectors` of the model. `disk` is bytes per entry; `kept` and
    `group` are how many entries were found, and how many there are.
    """

    entries: int
    stored: float
    quick: float
    bare_stored: float
    vectors: float
    recall: Timing
    common: Timing
    filtered_ms: float
    kept: tuple[int, int]
    group_ms: float
    group: tuple[int, int]
    cold: float
    parts: float
    megabytes: float
    disk: float


@dataclass(frozen=True, slots=True)
class Growth:
    """A run, where it ran, and how the vectors were made."""

    machine: str
    python: str
    note: str
    sizes: tuple[Size, ...]


def grown(sizes: Sequence[int], model: Embedder, encoded: int, progress: Progress) -> Growth:
    """Fill one memory up to each size in turn, and measure it there."""
    texts = Workload().texts(min(encoded, max(sizes)))
    known = _encoded(model, texts, progress)
    measured = tuple(_sizes(sizes, model, known, progress))
    return Growth(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        python=platform.python_version(),
        note=f"vectors: {len(known):,} texts encoded by {model.identity.name}, "
        "handed out in turn with a little noise",
        sizes=measured,
    )


def _sizes(
    sizes: Sequence[int], model: Embedder, known: Sequence[Embedding], progress: Progress
) -> Iterator[Size]:
    with TemporaryDirectory(prefix="remem-bench-") as name:
        folder = Path(name)
        with closing(BareRecall(folder, model)) as bare:
            growing = _Growing(
                workspace=folder / "ws",
                source=Workload().stream(),
                ours=Tiled(model, known),
                theirs=Tiled(model, known),
                bare=bare,
                progress=progress,
            )
            for size in sorted(set(sizes)):
                measured = growing.to(size)
                progress(f"{size:,} measured: {measured}")
                yield measured


def _encoded(model: Embedder, texts: Sequence[str], progress: Progress) -> list[Embedding]:
    known: list[Embedding] = []
    for start in range(0, len(texts), _CHUNK // 10):
        known += model.embed(texts[start : start + _CHUNK // 10])
        progress(f"encoded {len(known):,} of {len(texts):,} texts")
    return known


@dataclass
class _Growing:
    """The memory under measurement, and the bare parts for comparison."""

    workspace: Path
    source: Iterator[str]
    ours: Tiled
    theirs: Tiled
    bare: BareRecall
    progress: Progress
    texts: list[str] = field(default_factory=list)

    def to(self, size: int) -> Size:
        first = len(self.texts)
        fresh = list(islice(self.source, size - first))
        self.texts += fresh
        self.progress(f"{size:,}: the bare parts")
        bare_stored = self.bare.add(fresh)
        self.bare.add_vectors(self.theirs.embed([text])[0] for text in fresh)
        stored, quick, vectors = self._fill(fresh, first)
        self.progress(f"{size:,}: asking")
        recall, common = self._ask()
        questions = self._questions()
        self.progress(f"{size:,}: a cold process, a filter, a group")
        cold, parts = side_by_side(
            recall_command(self.workspace, questions[0]),
            [sys.executable, "-c", PARTS],
            served=False,
            rounds=_ROUNDS,
        )
        filtered_ms, kept = recall_with_filter(self.workspace, self.ours, _RARE_TAG, questions)
        group_ms, group = recall_in_group(self.workspace, self.ours)
        return Size(
            entries=size,
            stored=stored,
            quick=quick,
            bare_stored=bare_stored,
            vectors=vectors,
            recall=recall,
            common=common,
            filtered_ms=filtered_ms,
            kept=(kept, -(-size // _RARE_EVERY)),
            group_ms=group_ms,
            group=group,
            cold=cold,
            parts=parts,
            megabytes=memory_of(self.workspace, questions[:5]),
            disk=_bytes_in(self.workspace / ".remem") / size,
        )

    def _fill(self, texts: Sequence[str], first: int) -> tuple[float, float, float]:
        """Return the rates `stored`, `quick` and `vectors` of `Size`."""
        with open_workspace(self.workspace, background=False, embedder=self.ours) as memory:
            config = self.workspace / ".remem/config.toml"
            config.write_text('token_counter = "estimate"\n', encoding="utf-8")
            found: list[float] = []

            def stored(done: int) -> None:
                found.append(perf_counter())
                self._report("stored", first + done)

            started = perf_counter()
            memory.store_many(
                (_memory(first + i, text) for i, text in enumerate(texts)), progress=stored
            )
            written = perf_counter()
            self.ours.reading_since = None
            memory.maintenance.embed_pending(lambda done: self._report("vectors of", first + done))
            ended = perf_counter()
        self.progress(f"files took {written - found[-1]:.1f} s")
        by_words, read = found[-1] - started, self.ours.reading_since or ended
        counts = (by_words, by_words + read - written, ended - read)
        by_keyword, quickly, own = (len(texts) / max(count, 1e-9) for count in counts)
        return by_keyword, quickly, own

    def _ask(self) -> tuple[Timing, Timing]:
        with open_workspace(self.workspace, background=False, embedder=self.ours) as memory:
            recall = time_in_turn(memory.recall, self.bare, self._questions())
            common = time_in_turn(memory.recall, self.bare, [COMMON] * _COMMON_ROUNDS)
        return recall, common

    def _questions(self) -> list[str]:
        return Workload().questions(self.texts, _QUESTIONS)

    def _report(self, what: str, done: int) -> None:
        if done % _CHUNK < 500:
            self.progress(f"{what} {done:,} of {len(self.texts):,}")


def _memory(number: int, text: str) -> Memory:
    tags = [_RARE_TAG] if number % _RARE_EVERY == 0 else []
    return {"category": CATEGORIES[number % len(CATEGORIES)], "content": text, "tags": tags}


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
