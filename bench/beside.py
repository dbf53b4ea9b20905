"""Does a little come out whole from beside very much? What a filter keeps, and a small group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from bench.asking import milliseconds
from remem.app.opening import open_workspace
from remem.model.entry import CATEGORIES
from remem.ports.models import Embedder

_GROUP: Final = "telegram:-100"
_ROOM: Final = "garden"
_KEY: Final = "agent:main:telegram:group:-100"
_SAID: Final = (
    "The herbs by the wall get water in the evening.",
    "Ines has the key of the tool shed.",
    "We plant the tomatoes after the ice saints.",
    "The compost is turned on the first of the month.",
    "Visitors park behind the greenhouse.",
)


def kept_by_a_filter(
    workspace: Path, model: Embedder, tag: str, questions: Sequence[str]
) -> tuple[float, int]:
    """The median milliseconds of questions with a filter; how many it admits without one."""
    with open_workspace(workspace, background=False, embedder=model) as memory:
        took = _median(lambda question: memory.recall(question, tags=[tag]), questions)
        everything = memory.recall("", tags=[tag], limit=10_000, token_budget=10_000_000)
    return took, len(everything.entries)


def few_beside_many(workspace: Path, model: Embedder) -> tuple[float, tuple[int, int]]:
    """The median milliseconds of a group's questions; how many of its memories come, of all."""
    names = workspace / "memory/group_names.json"
    names.write_text(f'{{"{_GROUP}": "{_ROOM}"}}', encoding="utf-8")
    with open_workspace(workspace, _KEY, background=False, embedder=model) as memory:
        memory.open("what did we agree on in the garden?")  # a group is asked after its gate
        for text in _SAID:
            memory.store(category="fact", content=text)
        took = _median(memory.recall, _SAID)
        found = memory.recall("", categories=CATEGORIES, limit=100)
    return took, (len(found.entries), len(_SAID))


def _median(ask: Callable[[str], object], questions: Sequence[str]) -> float:
    return median(milliseconds(ask, question)[0] for question in questions)
