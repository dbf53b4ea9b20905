"""No query leaves the graph: nothing is written, opened, run or used without end.

`scripts/hostile_queries.py` runs the same queries under strace and reports time and memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from remem.errors import RememError
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from remem.graph.memory_graph import MemoryGraph
from tests.hostile.queries import BREAKOUTS, FILES, PATHS, WRITES, hostile_queries
from tests.tables import each_row

SHORT = Limits(seconds=0.05)
_FORBIDDEN = ("open", "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "exec", "compile")
_recorded: list[str] | None = None


def _record(event: str, _: tuple[Any, ...]) -> None:
    if _recorded is not None and event.startswith(_FORBIDDEN):
        _recorded.append(event)


sys.addaudithook(_record)


@contextmanager
def watched() -> Iterator[list[str]]:
    """What Python reports as opened or run meanwhile."""
    global _recorded  # noqa: PLW0603 - an audit hook cannot be removed
    _recorded = events = []
    try:
        yield events
    finally:
        _recorded = None


@pytest.fixture(scope="module")
def graph() -> MemoryGraph:
    graph = MemoryGraph()
    ids = [graph.add_node({"Memory"}, {"name": f"n{n}", "folded": f"n{n}"}).id for n in range(100)]
    for n in range(400):
        graph.connect(ids[n % 100], "MENTIONS", ids[(7 * n + 3) % 100], {"record": "x"})
    return graph


def test_there_are_at_least_five_hundred() -> None:
    assert len(list(hostile_queries())) >= 500


@each_row("query", [*WRITES, *(query.format(path=PATHS[0]) for query in FILES)])
def test_writing_and_loading_are_refused(graph: MemoryGraph, query: str) -> None:
    with pytest.raises(CypherError):
        run_query(graph, query)


def test_every_query_is_answered_or_refused_and_opens_nothing(graph: MemoryGraph) -> None:
    run_query(graph, "MATCH (n) RETURN n LIMIT 1")  # imports what it needs
    with watched() as events:
        for query, parameters in hostile_queries():
            try:
                run_query(graph, query, parameters, SHORT)
            except RememError:
                continue
    assert events == []


@each_row("text", BREAKOUTS)
def test_a_parameter_is_only_ever_a_value(graph: MemoryGraph, text: str) -> None:
    assert run_query(graph, "MATCH (n {name: $x}) RETURN n", {"x": text}).rows == ()
    assert run_query(graph, "RETURN $x AS x", {"x": text}).rows == ((text,),)


def test_the_watch_sees_a_file_that_is_opened() -> None:
    with watched() as events, open(__file__, encoding="utf-8"):
        pass
    assert events == ["open"]
