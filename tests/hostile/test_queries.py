"""No query leaves the graph: nothing is written, opened, run or used without end.

`scripts/hostile_queries.py` runs the same queries under strace and reports time and memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from remem import Workspace, open_workspace
from remem.embed.counters import EstimatedCounter
from remem.errors import InvalidInput, RememError
from remem.graph.answer import answer_within
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import QueryResult, run_query
from tests.hostile.queries import BREAKOUTS, FILES, PATHS, PLACES, WRITES, hostile_queries
from tests.memory_graph import MemoryGraph
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
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("memory")) as memory:
        memory.graph.ingest([{"subject": "Ann", "relation": "works at", "object": "Acme"}])
        yield memory


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


@each_row("place", PLACES)
def test_half_a_surrogate_pair_is_refused_before_it_reaches_the_store(
    memory: Workspace, place: str
) -> None:
    with pytest.raises(InvalidInput, match="unpaired surrogate"):
        memory.graph.query(place.format("\ud800"))


@each_row("params", [{"x": "\ud800"}, {"x": [{"y": ["\ud800"]}]}, {"\ud800": 1}])
def test_half_a_surrogate_pair_is_refused_in_parameters(
    memory: Workspace, params: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match="unpaired surrogate"):
        memory.graph.query("MATCH (n {name: $x}) RETURN n", params)


def test_the_tokens_of_an_answer_that_is_far_too_long_are_not_counted() -> None:
    counted: list[int] = []

    class Counter(EstimatedCounter):
        def count(self, text: str) -> int:
            counted.append(len(text))
            return super().count(text)

    answer = answer_within(QueryResult(("x",), (("a" * 10_000_000,),)), Counter(), 3_000)

    assert (answer.rows, answer.left_out) == ((), 1)
    assert max(counted) < 1_000


def test_the_watch_sees_a_file_that_is_opened() -> None:
    with watched() as events, open(__file__, encoding="utf-8"):
        pass
    assert events == ["open"]
