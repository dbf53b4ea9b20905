"""Lines of memory labelled with their category, to measure against.

The labels were given by reading, before any program saw the lines. `labelled` may be looked at
while rules are written; `held_out` has other words and headings, and is only for measuring.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

CATEGORIES = ("preference", "instruction", "fact", "project", "person", "decision", "insight")
_FOLDER = Path(__file__).parent / "labels"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A bullet, the headings above it, the bullets that it is nested in, and its category."""

    text: str
    headings: tuple[str, ...]
    parents: tuple[str, ...]
    category: str
    path: str
    language: str


def labelled() -> tuple[Labelled, ...]:
    return _read("labelled.txt")


def held_out() -> tuple[Labelled, ...]:
    return _read("held_out.txt")


@cache
def _read(name: str) -> tuple[Labelled, ...]:
    """`@ language path` begins a file, `#` a heading, `category: text` is a bullet."""
    found: list[Labelled] = []
    language = path = ""
    headings: list[tuple[int, str]] = []
    parents: list[tuple[int, str]] = []
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            _, language, path = line.split(" ", 2)
            headings = []
        elif line.startswith("#"):
            marks, _, title = line.partition(" ")
            headings = [h for h in headings if h[0] < len(marks)] + [(len(marks), title)]
            parents = []
        elif line.strip() and path:
            category, _, text = line.strip().partition(": ")
            depth = len(line) - len(line.lstrip())
            parents = [p for p in parents if p[0] < depth]
            above, over = tuple(h for _, h in headings), tuple(p for _, p in parents)
            found.append(Labelled(text, above, over, category, path, language))
            parents.append((depth, text))
    return tuple(found)
