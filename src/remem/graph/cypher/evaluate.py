"""Evaluate expressions for one row of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from remem.graph.cypher import functions
from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.limits import Meter, size_of
from remem.graph.cypher.operators import (
    LOGIC,
    QUANTIFIED,
    TEXT,
    arithmetic,
    compared,
    item_of,
    require_number,
    slice_of,
)
from remem.graph.cypher.syntax import (
    Binary,
    Call,
    Case,
    Comparison,
    Constant,
    CountAll,
    Expression,
    HasLabels,
    IndexAccess,
    IsNull,
    ListComprehension,
    ListOf,
    MapOf,
    MapProjection,
    PatternComprehension,
    PatternPredicate,
    Property,
    Quantifier,
    QueryParameter,
    Reduce,
    SliceAccess,
    Subquery,
    Unary,
    Variable,
)
from remem.graph.cypher.temporal import Duration, Moment, component
from remem.graph.cypher.values import (
    Node,
    Relationship,
    Truth,
    both,
    contains,
    equals,
    type_of,
)

if TYPE_CHECKING:
    from remem.graph.cypher.syntax import PathPattern, Query

Row = Mapping[str, Any]


class Matcher(Protocol):
    """Finds patterns and runs subqueries for expressions; implemented by the interpreter."""

    def matches(self, pattern: PathPattern, row: Row) -> Iterator[Row]: ...
    def rows(self, query: Query, row: Row) -> Iterator[Row]: ...
    def node(self, id_: int | str) -> Node: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The environment of all expressions of a query, in addition to the row."""

    parameters: Mapping[str, Any]
    meter: Meter
    matcher: Matcher


class Evaluator:
    """Computes the values of expressions."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rules: dict[type[Expression], Callable[[Any, Row], Any]] = {
            Constant: lambda expression, _: expression.value,
            Variable: lambda expression, row: row[expression.name],
            QueryParameter: lambda expression, _: self._context.parameters[expression.name],
            Property: self._property,
            IndexAccess: self._index,
            SliceAccess: self._slice,
            ListOf: self._list,
            MapOf: self._map,
            MapProjection: self._map_projection,
            Unary: self._unary,
            Binary: self._binary,
            Comparison: self._comparison,
            IsNull: self._is_null,
            HasLabels: self._has_labels,
            Call: self._call,
            CountAll: self._aggregate,
            Case: self._case,
            ListComprehension: self._list_comprehension,
            Quantifier: self._quantifier,
            Reduce: self._reduce,
            PatternPredicate: self._pattern_predicate,
            PatternComprehension: self._pattern_comprehension,
            Subquery: self._subquery,
        }

    def value(self, expression: Expression, row: Row) -> Any:
        try:
            return self._rules[type(expression)](expression, row)
        except CypherError as error:
            error.locate(expression.at)
            raise

    def is_true(self, expression: Expression, row: Row) -> bool:
        """Return whether a condition holds; null counts as false."""
        return self.truth(expression, row) is True

    def truth(self, expression: Expression, row: Row) -> Truth:
        value = self.value(expression, row)
        if value is None or isinstance(value, bool):
            return value
        error = type_error(f"expected a condition, not a {type_of(value)}", "InvalidArgumentType")
        error.locate(expression.at)
        raise error

    def _property(self, expression: Property, row: Row) -> Any:
        base = self.value(expression.base, row)
        if base is None:
            return None
        if isinstance(base, Node | Relationship):
            return base.properties.get(expression.key)
        if isinstance(base, Mapping):
            return base.get(expression.key)
        if isinstance(base, Moment | Duration):
            return component(base, expression.key)
        raise type_error(f"a {type_of(base)} has no properties", "InvalidArgumentType")

    def _index(self, expression: IndexAccess, row: Row) -> Any:
        return item_of(self.value(expression.base, row), self.value(expression.index, row))

    def _slice(self, expression: SliceAccess, row: Row) -> Any:
        base = self.value(expression.base, row)
        bounds: list[int | None] = []
        for bound in (expression.start, expression.end):
            value = None if bound is None else self.value(bound, row)
            if bound is not None and value is None:
                return None
            bounds.append(value)
        if base is None:
            return None
        items = slice_of(base, *bounds)
        self._context.meter.keep(len(items))
        return items

    def _list(self, expression: ListOf, row: Row) -> list[Any]:
        self._context.meter.keep(len(expression.items))
        return [self.value(item, row) for item in expression.items]

    def _map(self, expression: MapOf, row: Row) -> dict[str, Any]:
        self._context.meter.keep(len(expression.items))
        return {key: self.value(item, row) for key, item in expression.items}

    def _map_projection(self, expression: MapProjection, row: Row) -> Any:
        base = self.value(expression.base, row)
        if base is None:
            return None
        properties = functions.call("properties", [base], self._context.meter.start)
        result = dict(properties) if expression.all_properties else {}
        for key, item in expression.items:
            result[key] = properties.get(key) if item is None else self.value(item, row)
        return result

    def _unary(self, expression: Unary, row: Row) -> Any:
        if expression.operator == "NOT":
            truth = self.truth(expression.operand, row)
            return None if truth is None else not truth
        value = self.value(expression.operand, row)
        if value is None:
            return None
        require_number(value, expression)
        return -value if expression.operator == "-" else value

    def _binary(self, expression: Binary, row: Row) -> Any:
        operator = expression.operator
        if operator in LOGIC:
            return LOGIC[operator](
                self.truth(expression.left, row), self.truth(expression.right, row)
            )
        first, second = self.value(expression.left, row), self.value(expression.right, row)
        if operator == "IN":
            return self._in(first, second)
        if operator in TEXT:
            if not (isinstance(first, str) and isinstance(second, str)):
                return None
            self._context.meter.read(first)
            return TEXT[operator](first, second)
        if first is None or second is None:
            return None
        if operator == "+" and (isinstance(first, list) or isinstance(second, list)):
            return self._joined(first, second)
        if operator == "+" and (isinstance(first, str) or isinstance(second, str)):
            result = functions.to_text(first) + functions.to_text(second)
            self._context.meter.copy(result)
            return result
        return arithmetic(expression, first, second)

    def _in(self, item: Any, items: Any) -> Truth:
        if items is None:
            return None
        if not isinstance(items, list):
            raise type_error(f"IN takes a list, not a {type_of(items)}", "InvalidArgumentType")
        self._context.meter.step(len(items))
        if isinstance(item, list | dict):
            self._context.meter.read(items)
        return contains(item, items)

    def _joined(self, first: Any, second: Any) -> list[Any]:
        left = first if isinstance(first, list) else [first]
        right = second if isinstance(second, list) else [second]
        self._context.meter.keep(len(left) + len(right))
        return [*left, *right]

    def _comparison(self, expression: Comparison, row: Row) -> Truth:
        result: Truth = True
        left = self.value(expression.first, row)
        for operator, operand in expression.rest:
            right = self.value(operand, row)
            self._context.meter.read(left)
            result = both(result, compared(left, operator, right, expression.at))
            left = right
        return result

    def _is_null(self, expression: IsNull, row: Row) -> bool:
        return (self.value(expression.operand, row) is None) != expression.negated

    def _has_labels(self, expression: HasLabels, row: Row) -> Truth:
        base = self.value(expression.base, row)
        if base is None:
            return None
        if isinstance(base, Relationship):
            return all(label == base.type for label in expression.labels)
        if not isinstance(base, Node):
            raise type_error(f"a {type_of(base)} has no labels", "InvalidArgumentType")
        return base.labels.issuperset(expression.labels)

    def _call(self, expression: Call, row: Row) -> Any:
        if expression.name not in functions.NAMES:
            return self._aggregate(expression, row)
        arguments = [self.value(argument, row) for argument in expression.arguments]
        if expression.name in ("startnode", "endnode"):
            return self._end(expression.name, arguments[0])
        self._context.meter.step(sum(map(size_of, arguments)))
        result = functions.call(expression.name, arguments, self._context.meter.start)
        self._context.meter.keep(size_of(result))
        return result

    def _end(self, name: str, relationship: Any) -> Node | None:
        if relationship is None:
            return None
        if not isinstance(relationship, Relationship):
            raise type_error(f"{name}() takes a relationship")
        id_ = relationship.start if name == "startnode" else relationship.end
        return self._context.matcher.node(id_)

    def _aggregate(self, expression: Expression, row: Row) -> Any:
        """Return the value that the projection has computed for the row's group."""
        return row[aggregate_key(expression)]

    def _case(self, expression: Case, row: Row) -> Any:
        subject = None if expression.subject is None else self.value(expression.subject, row)
        self._context.meter.read(subject)
        for condition, result in expression.branches:
            if expression.subject is None:
                holds = self.is_true(condition, row)
            else:
                holds = equals(subject, self.value(condition, row)) is True
            if holds:
                return self.value(result, row)
        return None if expression.default is None else self.value(expression.default, row)

    def _items(self, expression: Expression, row: Row) -> list[Any] | None:
        items = self.value(expression, row)
        if items is None or isinstance(items, list):
            return items
        raise type_error(f"expected a list, not a {type_of(items)}", "InvalidArgumentType")

    def _list_comprehension(self, expression: ListComprehension, row: Row) -> list[Any] | None:
        items = self._items(expression.source, row)
        if items is None:
            return None
        self._context.meter.keep(len(items))
        results: list[Any] = []
        for item in items:
            inner = {**row, expression.variable: item}
            self._context.meter.step()
            if expression.where is None or self.is_true(expression.where, inner):
                result = expression.result
                results.append(item if result is None else self.value(result, inner))
        return results

    def _quantifier(self, expression: Quantifier, row: Row) -> Truth:
        items = self._items(expression.source, row)
        if items is None:
            return None
        truths: list[Truth] = []
        for item in items:
            self._context.meter.step()
            truths.append(self.truth(expression.where, {**row, expression.variable: item}))
        return QUANTIFIED[expression.kind](truths.count(True), truths.count(None), len(truths))

    def _reduce(self, expression: Reduce, row: Row) -> Any:
        items = self._items(expression.source, row)
        if items is None:
            return None
        total = self.value(expression.start, row)
        for item in items:
            self._context.meter.step()
            inner = {**row, expression.total: total, expression.variable: item}
            total = self.value(expression.step, inner)
        return total

    def _pattern_predicate(self, expression: PatternPredicate, row: Row) -> bool:
        matches = self._context.matcher.matches(expression.pattern, row)
        return next(matches, None) is not None

    def _pattern_comprehension(self, expression: PatternComprehension, row: Row) -> list[Any]:
        results: list[Any] = []
        for match in self._context.matcher.matches(expression.pattern, row):
            if expression.where is None or self.is_true(expression.where, match):
                self._context.meter.keep(1)
                results.append(self.value(expression.result, match))
        return results

    def _subquery(self, expression: Subquery, row: Row) -> Any:
        rows = self._context.matcher.rows(expression.query, row)
        if expression.kind == "exists":
            return next(rows, None) is not None
        return sum(1 for _ in rows)


def aggregate_key(expression: Expression) -> str:
    """Return the key of an aggregate's value in a row, which cannot be a variable's name."""
    return f"aggregate {expression!r}"
