"""Run a query: each clause turns the rows of the clause before it into new rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from remem.graph.cypher.aggregates import Accumulator
from remem.graph.cypher.check import check
from remem.graph.cypher.counting import CountedPattern, counted_pattern
from remem.graph.cypher.evaluate import Context, Evaluator, Row, aggregate_key
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.functions import lazy_range
from remem.graph.cypher.limits import Limits, Meter
from remem.graph.cypher.match import Graph, Hints, PatternMatcher
from remem.graph.cypher.needs import Needs, needs_of
from remem.graph.cypher.parser import parse
from remem.graph.cypher.syntax import (
    Binary,
    Call,
    Clause,
    Comparison,
    Constant,
    Expression,
    MatchClause,
    PathPattern,
    Projection,
    Property,
    Query,
    QueryParameter,
    Return,
    Unwind,
    Variable,
    With,
    aggregates_in,
)
from remem.graph.cypher.values import Node, identity, sort_key


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to a query; `cut` says that there were more rows than the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


def run_query(
    graph: Graph,
    text: str,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> QueryResult:
    """Return the answer to a query; raise CypherError if it is refused or reaches a limit."""
    try:
        return _run(graph, text, parameters or {}, limits or Limits())
    except RecursionError:  # a chain such as a.b.c… of thousands of parts
        raise CypherError(
            "the query is too complex: an expression has too many parts",
            detail="TooDeep",
            hint="pass long lists and texts as parameters",
        ) from None


def _run(graph: Graph, text: str, parameters: Mapping[str, Any], limits: Limits) -> QueryResult:
    query, needs, counted = _prepared(text, frozenset(parameters))
    meter = Meter(limits)
    interpreter = _Interpreter(graph, parameters, meter, needs)
    columns = columns_of(query)
    if counted is not None:
        return QueryResult(columns, ((interpreter.count(counted),),))
    rows: list[tuple[Any, ...]] = []
    for row in interpreter.rows(query, {}):
        if len(rows) >= limits.rows:
            return QueryResult(columns, tuple(rows), cut=True)
        values = tuple(row[column] for column in columns)
        for value in values:
            meter.copy(value)
        rows.append(values)
    return QueryResult(columns, tuple(rows))


@lru_cache(maxsize=100)
def _prepared(text: str, parameters: frozenset[str]) -> tuple[Query, Needs, CountedPattern | None]:
    """Return a checked query, what it needs of its variables, and the pattern that it counts.

    The pattern is None if the query does not only count. The results for a text are cached.
    """
    query = check(parse(text), parameters)
    return query, needs_of(query), counted_pattern(query)


def columns_of(query: Query) -> tuple[str, ...]:
    """Return the names of the columns that a checked query returns."""
    last = query.parts[0][-1]
    return tuple(item.name for item in last.projection.items) if isinstance(last, Return) else ()


class _Interpreter:
    """Runs clauses; expressions use it to match patterns and to run subqueries."""

    def __init__(
        self, graph: Graph, parameters: Mapping[str, Any], meter: Meter, needs: Needs
    ) -> None:
        self._graph = graph
        self._meter = meter
        self._evaluator = Evaluator(Context(parameters, meter, self))
        self._matcher = PatternMatcher(graph, self._evaluator, meter, needs)

    def node(self, id_: int | str) -> Node:
        return self._graph.node(id_)

    def count(self, pattern: CountedPattern) -> int:
        return self._matcher.count(pattern.pattern, pattern.at)

    def matches(self, pattern: PathPattern, row: Row) -> Iterator[Row]:
        return self._matcher.matches((pattern,), row)

    def rows(self, query: Query, row: Row) -> Iterator[Row]:
        results = (result for part in query.parts for result in self._part(part, row))
        if len(query.parts) == 1 or query.union_all:
            return results
        return self._distinct(results)

    def _part(self, clauses: Sequence[Clause], row: Row) -> Iterator[Row]:
        rows: Iterator[Row] = iter((row,))
        for clause in clauses:
            rows = self._clause(clause, rows)
        return rows

    def _clause(self, clause: Clause, rows: Iterator[Row]) -> Iterator[Row]:
        match clause:
            case MatchClause():
                return self._match(clause, rows)
            case Unwind():
                return self._unwind(clause, rows)
            case With():
                return self._project(clause.projection, clause.where, rows)
            case Return():
                return self._project(clause.projection, None, rows)

    def _match(self, clause: MatchClause, rows: Iterator[Row]) -> Iterator[Row]:
        hints = _hints_from(clause.where)
        variables = [name for pattern in clause.patterns for name in pattern.variables]
        for row in rows:
            has_match = False
            for extended in self._matcher.matches(clause.patterns, row, hints):
                if clause.where is None or self._evaluator.is_true(clause.where, extended):
                    has_match = True
                    yield extended
            if clause.optional and not has_match:
                yield {**dict.fromkeys(variables), **row}

    def _unwind(self, clause: Unwind, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            for item in self._items(clause.source, row):
                self._meter.step()
                yield {**row, clause.variable: item}

    def _items(self, source: Expression, row: Row) -> Iterable[Any]:
        """Return the items for UNWIND; the numbers of a range are generated one by one."""
        if isinstance(source, Call) and source.name == "range":
            return lazy_range(
                *(self._evaluator.value(argument, row) for argument in source.arguments)
            )
        value = self._evaluator.value(source, row)
        return value if isinstance(value, list) else () if value is None else (value,)

    def _project(
        self, projection: Projection, where: Expression | None, rows: Iterator[Row]
    ) -> Iterator[Row]:
        """Yield the rows of WITH or RETURN.

        ORDER BY and WHERE may use the columns and the variables before them, so both are kept in a
        scope for each row until then.
        """
        scopes = self._scopes(projection, rows)
        if projection.distinct:
            scopes = self._distinct_scopes(projection, scopes)
        if projection.order:
            scopes = iter(self._sorted(projection, scopes))
        skip = self._count(projection.skip, 0)
        limit = self._count(projection.limit, None)
        stop = None if limit is None else (skip or 0) + limit
        for scope in islice(scopes, skip, stop):
            if where is None or self._evaluator.is_true(where, scope):
                yield {item.name: scope[item.name] for item in projection.items}

    def _scopes(self, projection: Projection, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield each row with its columns; rows of a group become one if there are aggregates."""
        aggregates = _aggregates(projection)
        source = self._grouped(projection, aggregates, rows) if aggregates else rows
        for row in source:
            self._meter.step()
            columns = {
                item.name: self._evaluator.value(item.expression, row) for item in projection.items
            }
            yield {**row, **columns}

    def _grouped(
        self, projection: Projection, aggregates: Sequence[Expression], rows: Iterator[Row]
    ) -> Iterator[Row]:
        keys = [
            item.expression
            for item in projection.items
            if next(aggregates_in(item.expression), None) is None
        ]
        groups: dict[Hashable, tuple[Row, list[Accumulator]]] = {}
        for row in rows:
            values = [self._evaluator.value(key, row) for key in keys]
            key = self._identity(values)
            if key not in groups:
                self._keep(values)
                self._meter.keep(len(aggregates))
                groups[key] = row, self._accumulators(aggregates)
            for accumulator in groups[key][1]:
                accumulator.add(row)
        if not groups and not keys:
            groups[()] = {}, self._accumulators(aggregates)
        for first, accumulators in groups.values():
            results = {
                aggregate_key(aggregate): accumulator.result()
                for aggregate, accumulator in zip(aggregates, accumulators, strict=True)
            }
            yield {**first, **results}

    def _accumulators(self, aggregates: Sequence[Expression]) -> list[Accumulator]:
        return [Accumulator(aggregate, self._evaluator, self._meter) for aggregate in aggregates]

    def _distinct_scopes(self, projection: Projection, scopes: Iterator[Row]) -> Iterator[Row]:
        seen_scopes: set[Hashable] = set()
        for scope in scopes:
            values = [scope[item.name] for item in projection.items]
            key = self._identity(values)
            if key not in seen_scopes:
                self._keep(values)
                seen_scopes.add(key)
                yield scope

    def _distinct(self, rows: Iterable[Row]) -> Iterator[Row]:
        seen_values: set[Hashable] = set()
        for row in rows:
            values = [row[name] for name in sorted(row)]
            key = self._identity(values)
            if key not in seen_values:
                self._keep(values)
                seen_values.add(key)
                yield row

    def _identity(self, values: Sequence[Any]) -> Hashable:
        for value in values:
            self._meter.read(value)
        return tuple(map(identity, values))

    def _keep(self, values: Sequence[Any]) -> None:
        self._meter.keep(1)
        for value in values:
            self._meter.copy(value)

    def _sorted(self, projection: Projection, scopes: Iterator[Row]) -> list[Row]:
        ordered: list[Row] = []
        for scope in scopes:
            self._meter.keep(1)
            ordered.append(scope)
        for key in reversed(projection.order):
            ordered.sort(key=partial(self._sort_key, key.expression), reverse=key.descending)
        return ordered

    def _sort_key(self, expression: Expression, scope: Row) -> tuple[Any, ...]:
        value = self._evaluator.value(expression, scope)
        self._meter.step()
        self._meter.copy(value)
        return sort_key(value)

    def _count(self, expression: Expression | None, default: int | None) -> int | None:
        """Return the number of rows for SKIP or LIMIT."""
        if expression is None:
            return default
        value = self._evaluator.value(expression, {})
        if not isinstance(value, int) or isinstance(value, bool):
            raise CypherError(
                "SKIP and LIMIT take an integer",
                detail="InvalidArgumentType",
                position=expression.at,
            )
        if value < 0:
            raise CypherError(
                f"SKIP and LIMIT take a number from 0, not {value}",
                detail="NegativeIntegerArgument",
                position=expression.at,
            )
        return value


def _aggregates(projection: Projection) -> list[Expression]:
    expressions = [item.expression for item in projection.items]
    expressions += [key.expression for key in projection.order]
    aggregates = dict.fromkeys(
        aggregate for expression in expressions for aggregate in aggregates_in(expression)
    )
    return list(aggregates)


def _hints_from(where: Expression | None) -> Hints:
    """Return the properties with a constant value that a condition requires, by variable."""
    hints: dict[str, list[tuple[str, Expression]]] = {}
    parts = [where] if where is not None else []
    while parts:
        part = parts.pop()
        if isinstance(part, Binary) and part.operator == "AND":
            parts += [part.left, part.right]
        elif isinstance(part, Comparison) and len(part.rest) == 1 and part.rest[0][0] == "=":
            left, right = part.first, part.rest[0][1]
            for side, other in ((left, right), (right, left)):
                if (
                    isinstance(side, Property)
                    and isinstance(side.base, Variable)
                    and isinstance(other, Constant | QueryParameter)
                ):
                    hints.setdefault(side.base.name, []).append((side.key, other))
    return hints
