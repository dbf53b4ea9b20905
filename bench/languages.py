"""Measure recall in each language on small samples, asked in two ways.

`forms` are questions in other forms of a memory's words, which stems should find among `others`
that hold a word as it is asked for; `words` are questions in other words, which only a model can
find. Each language has a memory to itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.models import MeasuredModel
from remem.app.opening import open_workspace
from remem.ports.models import Embedder
from remem.text.words import STEMMER_NAMES

SAMPLES: Final = Path(__file__).with_suffix(".json")
WAYS: Final = ("forms", "words")
_NOW: Final = "2026-11-16T12:00:00Z"
_FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of questions whose memory came first, and among the first three."""

    questions: int
    first: float
    among_three: float


@dataclass(frozen=True, slots=True)
class LanguageRun:
    """The rates of one setting, by language and way of asking."""

    setting: str
    rates: Mapping[str, Mapping[str, Rates]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LanguageRuns:
    """The results of all settings."""

    runs: tuple[LanguageRun, ...]


def samples() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(SAMPLES.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, slots=True)
class Setting:
    """With or without stems, and with which models; with none, keywords alone answer."""

    name: str
    stems: bool = True
    embedders: tuple[Embedder, ...] = ()


def settings(models: Mapping[str, Embedder]) -> list[Setting]:
    """Words as they are, then with stems, then with each of the models and with all of them."""
    every = [("every model", tuple(models.values()))] if len(models) > 1 else []
    alone = [(name, (model,)) for name, model in models.items()]
    return [
        Setting("words as they are", stems=False),
        Setting("stems"),
        *(Setting(f"stems, {name}", embedders=chosen) for name, chosen in [*alone, *every]),
    ]


def measure(
    setting: Setting,
    *,
    languages: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _line: None,
) -> LanguageRun:
    """Ask every question of some languages, or of all."""
    rates: dict[str, dict[str, Rates]] = {}
    for language, sample in samples().items():
        if languages and language not in languages:
            continue
        progress(f"{setting.name}: {language}")
        with nullcontext() if setting.stems else _without_stems():
            rates[language] = _asked(sample, setting.embedders)
    return LanguageRun(setting.name, rates)


@contextmanager
def _without_stems() -> Iterator[None]:
    kept = dict(STEMMER_NAMES)
    STEMMER_NAMES.clear()
    try:
        yield
    finally:
        STEMMER_NAMES.update(kept)


def _asked(sample: Mapping[str, Any], embedders: Sequence[Embedder]) -> dict[str, Rates]:
    with TemporaryDirectory(prefix="remem-bench-") as folder:
        kept = tuple(MeasuredModel(embedder) for embedder in embedders)
        how: dict[str, Any] = {"embedder": kept} if kept else {"keywords_only": True}
        with open_workspace(folder, background=False, clock=lambda: _NOW, **how) as memory:
            stored = memory.store_many(
                {"category": "fact", "content": text}
                for text in [*sample["memories"], *sample.get("others", ())]
            )
            ids = [receipt.id for receipt in stored]
            memory.maintenance.embed_pending()

            def place(question: str, right: int) -> int | None:
                answer = memory.recall(question, limit=len(ids), token_budget=100_000)
                found = [entry.id for entry in answer.entries]
                return found.index(ids[right]) if ids[right] in found else None

            return {
                way: _rates([place(question, right) for question, right in sample[way]])
                for way in WAYS
                if sample[way]
            }


def _rates(places: Sequence[int | None]) -> Rates:
    found = [place for place in places if place is not None]
    return Rates(
        questions=len(places),
        first=100 * sum(number == 0 for number in found) / len(places),
        among_three=100 * sum(number < _FIRST for number in found) / len(places),
    )
