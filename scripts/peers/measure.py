"""Measure what a memory finds, how fast it is, and what a kill costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median, quantiles
from time import perf_counter
from typing import Any, Protocol

from remem.embed.counters import choose_counter
from scripts.peers.corpus import Corpus, Question
from scripts.peers.speaking import NoAnswer, Spoken, strings

Report = Callable[[str], None]
KILLED_AFTER = 40
BEGINNING = 100


class Peer(Protocol):
    """A memory that can be started in a folder, written to and asked."""

    @property
    def name(self) -> str: ...
    @property
    def setting(self) -> str: ...
    def start(self, home: Path) -> Spoken: ...
    def write(self, line: Spoken, text: str) -> None: ...
    def settle(self, line: Spoken) -> None: ...
    def search(self, line: Spoken, question: str) -> object: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """How well questions of one form were answered, and in how many milliseconds."""

    recall5: float
    recall10: float
    median_ms: float
    slow_ms: float


@dataclass(slots=True)
class Measured:
    """All that was seen of one memory; None is what it does not have."""

    name: str
    setting: str
    ready_s: float | None = None
    tools: int | None = None
    schema_tokens: int | None = None
    writes_per_s: dict[str, float] = field(default_factory=dict)
    settled_s: dict[str, float] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    found: dict[str, Finding] = field(default_factory=dict)
    acknowledged: int = 0
    survived: int | None = None
    trouble: str = ""


def measured(peer: Peer, corpora: Sequence[Corpus], home: Path, report: Report) -> Measured:
    """One memory on every corpus; what goes wrong ends its row, with the reason."""
    seen = Measured(peer.name, peer.setting)
    try:
        _ready(peer, home / "ready", seen)
        for corpus in corpora:
            report(f"{peer.name} ({peer.setting}): {corpus.name}")
            _answered(peer, corpus, home / corpus.name.replace(" ", "-"), seen)
        report(f"{peer.name} ({peer.setting}): killed")
        _killed(peer, corpora[0], home / "killed", seen)
    except NoAnswer as error:
        seen.trouble = str(error)
    return seen


def _ready(peer: Peer, home: Path, seen: Measured, rounds: int = 3) -> None:
    """From starting the server to its list of tools, the median of a few starts."""
    times = []
    for _ in range(rounds):
        home.mkdir(parents=True, exist_ok=True)
        with peer.start(home) as line:
            tools = line.greet()
            times.append(perf_counter() - line.started)
    seen.ready_s = median(times)
    seen.tools = len(tools)
    seen.schema_tokens = choose_counter().count(json.dumps([_shown(tool) for tool in tools]))


def _shown(tool: Mapping[str, Any]) -> dict[str, Any]:
    """What a model is shown of a tool."""
    return {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}


def _answered(peer: Peer, corpus: Corpus, home: Path, seen: Measured) -> None:
    home.mkdir(parents=True)
    with peer.start(home) as line:
        line.greet()
        seen.writes_per_s[corpus.name], seen.refused[corpus.name] = _written(peer, line, corpus)
        start = perf_counter()
        peer.settle(line)
        seen.settled_s[corpus.name] = perf_counter() - start
        for form, questions in corpus.questions.items():
            seen.found[f"{corpus.name}: {form}"] = _found(peer, line, corpus, questions)


def _written(peer: Peer, line: Spoken, corpus: Corpus) -> tuple[float, int]:
    refused = 0
    start = perf_counter()
    for fact in corpus.facts:
        try:
            peer.write(line, fact)
        except NoAnswer:
            if line.process.poll() is not None:
                raise
            refused += 1
    return len(corpus.facts) / (perf_counter() - start), refused


def _found(peer: Peer, line: Spoken, corpus: Corpus, questions: Sequence[Question]) -> Finding:
    peer.search(line, questions[0].text)  # a model may have to be loaded first
    fives, tens, times = [], [], []
    for question in questions:
        start = perf_counter()
        answer = peer.search(line, question.text)
        times.append((perf_counter() - start) * 1000)
        ranked = ranking(answer, corpus.facts)
        fives.append(_share(ranked[:5], question))
        tens.append(_share(ranked[:10], question))
    return Finding(mean(fives), mean(tens), median(times), quantiles(times, n=20)[-1])


def _share(ranked: Sequence[int], question: Question) -> float:
    return len(question.answers.intersection(ranked)) / len(question.answers)


def _killed(peer: Peer, corpus: Corpus, home: Path, seen: Measured) -> None:
    """Kill it right after an acknowledgement; return how many acknowledged facts are found."""
    home.mkdir(parents=True)
    acknowledged: list[int] = []
    with peer.start(home) as line:
        line.greet()
        for number, fact in enumerate(corpus.facts[:KILLED_AFTER]):
            try:
                peer.write(line, fact)
                acknowledged.append(number)
            except NoAnswer:
                continue
    seen.acknowledged = len(acknowledged)
    with peer.start(home) as line:
        line.greet()
        peer.settle(line)
        found = [_is_there(peer, line, corpus, number) for number in acknowledged]
    seen.survived = sum(found)


def _is_there(peer: Peer, line: Spoken, corpus: Corpus, number: int) -> bool:
    """Asked for by its own words, backwards: an answer may repeat the question."""
    words = " ".join(reversed(corpus.facts[number].split()))
    return number in ranking(peer.search(line, words), corpus.facts)


def ranking(answer: object, facts: Sequence[str]) -> list[int]:
    """The facts that stand in an answer, in the order in which they come there.

    An answer may cut a long one short: what it begins with is enough.
    """
    text = " ".join(" ".join(strings(answer)).split())
    starts = (" ".join(fact.split())[:BEGINNING] for fact in facts)
    places = ((text.find(start), number) for number, start in enumerate(starts))
    return [number for place, number in sorted(places) if place >= 0]
