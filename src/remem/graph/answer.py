"""The answers of the graph tools: rows within a token budget, and what was ingested."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.errors import InvalidInput, counted
from remem.graph.cypher.run import QueryResult
from remem.graph.cypher.temporal import Duration, Moment
from remem.graph.cypher.values import Node, Path, Relationship
from remem.graph.stored_graph import StoredGraph
from remem.model.entry import Entry
from remem.ports.models import TokenCounter
from remem.search.answer.answer import answer_text

_INTERNAL_PROPERTIES: Final = ("folded",)
_MAX_TOKEN_LENGTH: Final = 128
"""No token of o200k has more characters; the longest are runs of spaces."""
EXAMPLES: Final = (
    "MATCH (n {folded: 'acme'})-[r]-(m) RETURN type(r), m.name, r.record",
    "MATCH (u:User)-[:PREFERS]->(p) RETURN p.text ORDER BY p.valid_at DESC LIMIT 10",
    "MATCH (new)-[:SUPERSEDES]->(old) RETURN old.text, new.text, new.valid_at",
)


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """The rows of a query, and what the answer costs; `left_out` counts rows that did not fit.

    `notes` say what was cut; `examples` are queries to start from, if the schema was asked for.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    tokens: int
    left_out: int = 0
    notes: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestedStatement:
    """A statement that was stored; `known` means that it was there already.

    `superseded` are the ids of the statements that it replaced. `also_stated` are those of current
    statements with the same subject and relation but another object. They stay true, unless they
    are named in `supersedes`. `ended_by` is the later statement of a single-valued relation that
    ended this one, which is about the past.
    """

    id: str
    statement: str
    known: bool
    superseded: tuple[str, ...] = ()
    also_stated: tuple[str, ...] = ()
    ended_by: str | None = None


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The statements that were stored, in the order in which they were given."""

    kept: tuple[IngestedStatement, ...]


@dataclass(frozen=True, slots=True)
class SplitReport:
    """The statements that had merged a name, and were forgotten."""

    forgotten: tuple[Entry, ...]


def answer_within(
    result: QueryResult,
    counter: TokenCounter,
    budget: int,
    notes: Sequence[str] = (),
    examples: Sequence[str] = (),
) -> GraphAnswer:
    """Return an answer that costs at most `budget` tokens, with as many rows as fit, in order.

    Examples and notes are left out if they would leave no room for the columns.
    """

    def answer_with(rows: Sequence[tuple[Any, ...]]) -> GraphAnswer:
        answer = _answer(result, rows, budget, notes, examples)
        return replace(answer, tokens=counter.count(answer_text(answer)))

    empty = answer_with(())
    if empty.tokens > budget and examples:
        return answer_within(result, counter, budget, notes)
    if empty.tokens > budget and notes:
        return answer_within(result, counter, budget)
    if empty.tokens > budget:
        raise InvalidInput(
            f"the names of the columns do not fit in {budget} tokens",
            hint="name them with AS, or allow more with token_budget",
        )
    available = budget - empty.tokens
    rows: list[tuple[Any, ...]] = []
    for row in result.rows:
        values = tuple(map(plain, row))
        text = json.dumps(values, ensure_ascii=False)
        if len(text) > budget * _MAX_TOKEN_LENGTH:  # counting megabytes would take seconds
            break
        available -= counter.count(text) + 1
        if available < 0:
            break
        rows.append(values)
    while (answer := answer_with(rows)).tokens > budget:
        rows.pop()
    return answer


def _answer(
    result: QueryResult,
    rows: Sequence[tuple[Any, ...]],
    budget: int,
    notes: Sequence[str],
    examples: Sequence[str],
) -> GraphAnswer:
    """Return an answer with some of the rows of a result, whose tokens are not counted yet."""
    all_notes = list(notes)
    left_out = len(result.rows) - len(rows)
    if left_out:
        all_notes.append(
            f"{counted(left_out, 'row')} did not fit in {budget} tokens: add LIMIT or return less"
        )
    if result.cut:
        computed = counted(len(result.rows), "row was", "rows were")
        all_notes.append(f"only the first {computed} computed: add WHERE or LIMIT")
    return GraphAnswer(
        result.columns, tuple(rows), budget, left_out, tuple(all_notes), tuple(examples)
    )


def schema_of(graph: StoredGraph, counter: TokenCounter, budget: int) -> GraphAnswer:
    """Return the labels and types of a graph with their counts, and queries to start from."""
    counters = (("label", graph.label_counts()), ("type", graph.type_counts()))
    rows = [
        (kind, name, counts[name])
        for kind, counts in counters
        for name in sorted(counts, key=lambda name: (-counts[name], name))
    ]
    result = QueryResult(("kind", "name", "count"), tuple(rows))
    return answer_within(result, counter, budget, examples=EXAMPLES)


def plain(value: Any) -> Any:
    """Return a value of a query in a form that JSON can represent."""
    match value:
        case Node():
            return {"labels": sorted(value.labels), **_properties(value.properties)}
        case Relationship():
            return {"type": value.type, **_properties(value.properties)}
        case Path():
            parts: list[Any] = [plain(value.nodes[0])]
            for relationship, node in zip(value.relationships, value.nodes[1:], strict=True):
                parts += [plain(relationship), plain(node)]
            return parts
        case list() | tuple():
            return [plain(item) for item in value]
        case Mapping():
            return {key: plain(item) for key, item in value.items()}
        case Moment() | Duration():
            return str(value)
        case float() if not math.isfinite(value):
            return str(value)
    return value


def _properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: plain(value) for key, value in properties.items() if key not in _INTERNAL_PROPERTIES
    }
