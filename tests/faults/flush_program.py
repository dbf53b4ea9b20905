"""Flushes numbered lessons until it is killed, and says so after each reply.

It tells most of them twice, as hosts do when they retry; some come as items, some stand in a
transcript. Two of these with the same seed tell the same story into the same files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.learn.flush.result import FlushResult
from tests.faults.flush_checker import WORD

Say = Callable[[bytes], object]

MAIN = "main"
GROUP = "agent:main:telegram:group:-100"
KINDS = ("decision", "task", "person", "fact", "rule", "context", "insight")


def prepare(folder: Path) -> None:
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    (folder / "memory/group_names.json").write_text(json.dumps({"-100": "garden"}))
    (folder / ".remem").mkdir(exist_ok=True)
    (folder / ".remem/config.toml").write_text('embedder = "none"\ntimezone = "UTC"\n')


def flush_on(
    folder: Path, session: str, seed: int, say: Say, limit: int | None = None, teller: int = 0
) -> None:
    """Flush; each line that is said is the acknowledgement of one lesson."""
    random = Random(f"{seed} of {teller}")
    with open_workspace(folder, session, background=False, counter=EstimatedCounter()) as memory:
        say(b"open\n")
        for number in count(1) if limit is None else range(1, limit + 1):
            for done in _told(memory, folder, seed, number, random):
                for line in _acks(done):
                    say(line.encode() + b"\n")


def _told(
    memory: Workspace, folder: Path, seed: int, number: int, random: Random
) -> Iterator[FlushResult]:
    items = batch(seed, number)
    for _ in range(random.choice([1, 2, 2])):
        yield memory.flush(items)
    if number % 3 == 0:
        path = folder / f"{seed}.jsonl"
        with path.open("a", encoding="utf-8") as transcript:
            transcript.write(spoken(seed, number) + "\n")
        for _ in range(random.choice([1, 2])):
            yield memory.flush_transcript(path, "compaction")


def batch(seed: int, number: int) -> list[dict[str, Any]]:
    """A few lessons of every kind; every other batch closes the task of the one before."""
    words = {kind: f"w{seed}x{number}{kind}" for kind in KINDS}
    items: list[dict[str, Any]] = [
        {"kind": kind, "text": f"It was told about {word}.", "topic": f"topic {number % 3}"}
        for kind, word in words.items()
        if kind != "task"
    ]
    items.append({"kind": "task", "text": f"Think about {words['task']}"})
    if number % 2 == 0:
        before = f"w{seed}x{number - 1}task"
        items.append({"kind": "task", "text": f"Think about {before}", "status": "done"})
    for item in items:
        if item["kind"] == "context":
            item["project"] = f"project {number % 2}"
    return items


def spoken(seed: int, number: int) -> str:
    """A line of a transcript in which somebody decides something."""
    words = f"We decided to keep w{seed}x{number}said."
    message = {"role": "user", "content": words}
    when = f"2026-11-15T10:{number % 60:02}:00Z"
    return json.dumps({"type": "user", "sessionId": "s", "timestamp": when, "message": message})


def _acks(done: FlushResult) -> Iterator[str]:
    assert not done.refused, done.refused
    assert not done.waiting, done.waiting
    for lesson in (*done.written, *done.known):
        (word,) = WORD.findall(lesson.text)
        yield json.dumps([word, lesson.kind, lesson.home])
