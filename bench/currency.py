"""Measure how often an outdated text comes before the current one, on made-up memories.

In each case of `currency.toml` something changed, in one of eight languages and ten shapes; the
cases of a language are in one memory. Half of the cases are for choosing, the others are held out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from bench.models import MeasuredModel
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.ports.models import Embedder

SAMPLES: Final = Path(__file__).with_suffix(".toml")
NOW: Final = "2026-11-15T12:00:00Z"
_DEPTH: Final = 20
_OTHER_NOTES: Final = ("memory/2026-03-28.md", "memory/2026-10-20.md")
Half = Literal["choosing", "held out"]
HALVES: Final[tuple[Half, ...]] = ("choosing", "held out")


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the text that answers it and one that must not come before it."""

    language: str
    shape: str
    question: str
    current: str
    outdated: str
    files: Mapping[str, str]
    half: Half


@dataclass(frozen=True, slots=True)
class Outcome:
    """The places of the two texts in the results, from 1; None if a text was not found."""

    case: Case
    current: int | None
    outdated: int | None

    @property
    def wrong(self) -> bool:
        """Whether the current text is missing or comes after the outdated one."""
        if self.current is None:
            return True
        return self.outdated is not None and self.outdated < self.current


def cases() -> list[Case]:
    """Return the cases; the halves alternate by language, and change sides with each shape."""
    shapes = groupby(_data()["case"], lambda case: case["shape"])
    return [
        Case(**case, half=HALVES[(number + i) % 2])
        for number, (_, of_shape) in enumerate(shapes)
        for i, case in enumerate(of_shape)
    ]


def files_of(language: str) -> dict[str, str]:
    """Return the files of one language: those of all its cases, between lines about other things.

    In a file without headings, the lines of several cases follow each other.
    """
    fillers = _data()["fillers"][language]
    parts: dict[str, list[str]] = {path: [] for path in _OTHER_NOTES}
    for case in cases():
        if case.language == language:
            for path, text in case.files.items():
                parts.setdefault(path, []).append(text)
    return {path: _page(sorted(texts, key=_has_heading), fillers) for path, texts in parts.items()}


def _page(texts: Sequence[str], fillers: Sequence[str]) -> str:
    half = len(fillers) // 2
    before, after = (
        "".join(f"- {line}\n" for line in part) for part in (fillers[:half], fillers[half:])
    )
    body = "\n".join(text.replace("\n\n## ", f"\n{after}\n## ") for text in texts)
    return f"{before}{body}\n{after}"


def _has_heading(text: str) -> bool:
    return text.startswith("#")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(SAMPLES.read_text(encoding="utf-8"))


def measure(
    embedders: Sequence[Embedder] = (), *, progress: Callable[[str], None] = lambda _line: None
) -> list[Outcome]:
    """Ask the questions of all cases; without embedders, by keywords alone."""
    kept = tuple(MeasuredModel(embedder) for embedder in embedders)
    how: dict[str, Any] = {"embedder": kept} if kept else {"keywords_only": True}
    outcomes = []
    for language in _data()["fillers"]:
        progress(language)
        with TemporaryDirectory(prefix="remem-bench-") as folder:
            outcomes += _asked(language, Path(folder), how)
    return outcomes


def _asked(language: str, folder: Path, how: Mapping[str, Any]) -> list[Outcome]:
    for path, text in files_of(language).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    with open_workspace(folder, background=False, clock=lambda: NOW, **how) as memory:
        memory.refresh(with_vectors="embedder" in how)
        return [_outcome(case, memory) for case in cases() if case.language == language]


def _outcome(case: Case, memory: Workspace) -> Outcome:
    results = memory.search(case.question, max_results=_DEPTH).results
    texts = [result.snippet for result in results]

    def place(text: str) -> int | None:
        return next((i for i, found in enumerate(texts, start=1) if text in found), None)

    return Outcome(case, place(case.current), place(case.outdated))


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of some cases are wrong."""

    wrong: int
    cases: int

    @property
    def percent(self) -> float:
        return 100 * self.wrong / self.cases


@dataclass(frozen=True, slots=True)
class CurrencyRates:
    """The rates of one model, by half, shape and language."""

    model: str
    halves: Mapping[str, Rate]
    shapes: Mapping[str, Rate]
    languages: Mapping[str, Rate]


def rates(outcomes: Sequence[Outcome], key: Callable[[Case], str]) -> dict[str, Rate]:
    """Return the rates by a property of the cases."""
    found: dict[str, list[bool]] = {}
    for outcome in outcomes:
        found.setdefault(key(outcome.case), []).append(outcome.wrong)
    return {name: Rate(sum(wrong), len(wrong)) for name, wrong in found.items()}
