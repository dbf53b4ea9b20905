"""The work for one answer stays small and does not grow with the memory.

Calls and statements are counted, not time, so that the tests are the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import apsw
import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener

WORDS: Final = "harbour ferry lantern cellar ladder orchard violin kettle meadow anchor".split()
SMALL, LARGE = 200, 600
FIRST: Final = "which ferry has the lantern from the orchard?"
QUESTION: Final = "is there a violin or a kettle near the anchor?"
MAX_CALLS, MAX_STATEMENTS = 42_000, 98
"""For one recall; about a hundred texts are compared, and each of them takes some hundred calls."""
MAX_GROWTH: Final = 1.9
"""The memory triples; somewhat more texts are compared, because fewer are found twice."""


def sentence(number: int) -> str:
    first, second, third = (WORDS[number // step % 10] for step in (1, 10, 7))
    return f"The {first} keeper number {number} lends the {second} with a {third}."


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions remem called in this thread, its own and built-in ones."""
    calls = 0

    def count(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += frame.f_globals.get("__name__", "").startswith("remem.")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that all connections run from now on."""
    seen: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(
            apsw.SQLITE_TRACE_STMT,
            lambda event: seen.append(event["sql"]) if _is_ours(event["sql"]) else None,
        )

    monkeypatch.setattr(apsw, "connection_hooks", [*apsw.connection_hooks, watch])
    return seen


def _is_ours(statement: str) -> bool:
    """Return whether it is a query of remem, not one of SQLite's full-text index."""
    return statement.startswith("SELECT") and "'main'." not in statement


def grown(memory: Workspace, size: int) -> None:
    memory.store_many(  # what is stored already is merged
        {"category": "fact", "content": sentence(number)} for number in range(size)
    )
    memory.maintenance.embed_pending()
    for _ in range(2):  # until nothing is left to be done
        memory.recall(FIRST)


def test_a_recall_costs_the_same_in_a_larger_memory(opened: Opener, statements: list[str]) -> None:
    memory = opened()
    costs = []
    for size in (SMALL, LARGE):
        grown(memory, size)
        statements.clear()
        calls = calls_of(lambda: memory.recall(QUESTION))
        costs.append((calls, len(statements)))

    _require_little_growth(costs)
    calls, queries = costs[-1]
    assert calls <= MAX_CALLS
    assert queries <= MAX_STATEMENTS


def test_a_search_costs_the_same_with_more_files(
    opened: Opener, root: Path, statements: list[str]
) -> None:
    memory = opened()
    costs = []
    for size in (SMALL, LARGE):
        lines = [f"- {sentence(number)}\n\n" for number in range(size)]
        for start in range(0, size, 40):
            path = root / f"memory/notes-{start}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(lines[start : start + 40]), encoding="utf-8")
        memory.refresh(with_vectors=True)
        memory.search(FIRST)
        statements.clear()
        costs.append((calls_of(lambda: memory.search(QUESTION)), len(statements)))

    _require_little_growth(costs)


def _require_little_growth(costs: list[tuple[int, int]]) -> None:
    (calls, queries), (more_calls, more_queries) = costs
    assert more_calls <= MAX_GROWTH * calls
    assert more_queries <= queries + 2
