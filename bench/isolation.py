"""Recall of a few memories in a large workspace: those that a filter keeps, and a small group's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from bench.timing import milliseconds
from remem.app.opening import open_workspace
from remem.model.entry import CATEGORIES
from remem.ports.models import Embedder

_GROUP: Final = "telegram:-100"
_ROOM: Final = "garden"
_KEY: Final = "agent:main:telegram:group:-100"
_MEMORIES: Final = (
    "The herbs by the wall get water in the evening.",
    "Ines has the key of the tool shed.",
    "We plant the tomatoes after the ice saints.",
    "The compost is turned on the first of the month.",
    "Visitors park behind the greenhouse.",
)


def recall_with_filter(
    workspace: Path, model: Embedder, tag: str, questions: Sequence[str]
) -> tuple[float, int]:
    """Return the median milliseconds of filtered recalls, and how many entries the filter keeps."""
    with open_workspace(workspace, background=False, embedder=model) as memory:
        took = _median(lambda question: memory.recall(question, tags=[tag]), questions)
        everything = memory.recall("", tags=[tag], limit=10_000, token_budget=10_000_000)
    return took, len(everything.entries)


def recall_in_group(workspace: Path, model: Embedder) -> tuple[float, tuple[int, int]]:
    """Return the median milliseconds of a group's recalls, and how many of its entries it finds."""
    names = workspace / "memory/group_names.json"
    names.write_text(f'{{"{_GROUP}": "{_ROOM}"}}', encoding="utf-8")
    with open_workspace(workspace, _KEY, background=False, embedder=model) as memory:
        memory.open("what did we agree on in the garden?")  # its gate must be read first
        for text in _MEMORIES:
            memory.store(category="fact", content=text)
        took = _median(memory.recall, _MEMORIES)
        found = memory.recall("", categories=CATEGORIES, limit=100)
    return took, (len(found.entries), len(_MEMORIES))


def _median(ask: Callable[[str], object], questions: Sequence[str]) -> float:
    return median(milliseconds(ask, question)[0] for question in questions)
