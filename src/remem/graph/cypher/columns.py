"""The rules for columns: what may be combined with aggregates, and what ORDER BY may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.kinds import refuse
from remem.graph.cypher.syntax import (
    Constant,
    Expression,
    ListComprehension,
    PatternComprehension,
    Projection,
    ProjectionItem,
    Property,
    Quantifier,
    Reduce,
    Variable,
    aggregates_in,
    children,
    is_aggregate,
)


def refuse_aggregates(expression: Expression, where: str) -> None:
    """Raise CypherError if an expression contains an aggregate."""
    for aggregate in aggregates_in(expression):
        raise refuse(f"aggregates cannot be used in {where}", "InvalidAggregation", aggregate.at)


def aggregates_of(items: Sequence[ProjectionItem]) -> set[Expression]:
    """Return the aggregates in columns."""
    return {expression for item in items for expression in aggregates_in(item.expression)}


def keeps_only_columns(projection: Projection) -> bool:
    """Return whether the rows after it have only its columns, because of DISTINCT or aggregates."""
    return projection.distinct or bool(aggregates_of(projection.items))


def check_names(items: Sequence[ProjectionItem]) -> None:
    """Check that each column that later clauses may use has a name."""
    for item in items:
        if not item.explicit and not isinstance(item.expression, Variable):
            raise refuse(
                f"{item.name} needs a name: add AS", "NoExpressionAlias", item.expression.at
            )


def check_order(projection: Projection) -> None:
    """Check that ORDER BY uses no variable that the projection has replaced."""
    for key in projection.order:
        if keeps_only_columns(projection):
            _require_columns(key.expression, _Columns.of_projection(projection))
        else:
            refuse_aggregates(key.expression, "ORDER BY")


def check_where(where: Expression, projection: Projection) -> None:
    """Check that WHERE uses no variable that the projection has replaced."""
    if keeps_only_columns(projection):
        _require_columns(where, _Columns.of_projection(projection))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The names of columns, their expressions, and the aggregates in these."""

    names: frozenset[str]
    expressions: frozenset[Expression]
    aggregates: frozenset[Expression]

    @classmethod
    def of_projection(cls, projection: Projection) -> _Columns:
        names = frozenset(item.name for item in projection.items)
        expressions = frozenset(item.expression for item in projection.items)
        return cls(names, expressions, frozenset(aggregates_of(projection.items)))

    def with_names(self, *names: str) -> _Columns:
        return replace(self, names=self.names.union(names))

    def simple(self) -> _Columns:
        """Return the columns with only those expressions that aggregates may be combined with."""
        simple = (
            expression
            for expression in self.expressions
            if isinstance(expression, Variable | Property)
        )
        return replace(self, expressions=frozenset(simple))


def _require_columns(expression: Expression, columns: _Columns) -> None:
    """Raise CypherError if an expression uses anything but columns and constants."""
    if expression in columns.expressions or isinstance(expression, Constant | PatternComprehension):
        return
    if is_aggregate(expression):
        _require_aggregate(expression, columns)
        return
    if isinstance(expression, Variable) and expression.name not in columns.names:
        raise refuse(f"{expression.name} is not defined here", "UndefinedVariable", expression.at)
    if isinstance(expression, ListComprehension | Quantifier):
        columns = columns.with_names(expression.variable)
    elif isinstance(expression, Reduce):
        columns = columns.with_names(expression.variable, expression.total)
    if next(aggregates_in(expression), None) is None:
        for child in children(expression):
            _require_columns(child, columns)
    else:
        _require_mixed(expression, columns.simple())


def _require_mixed(expression: Expression, columns: _Columns) -> None:
    """Raise CypherError if an expression combines aggregates with anything but columns."""
    for child in children(expression):
        try:
            _require_columns(child, columns)
        except CypherError as error:
            if error.detail != "UndefinedVariable":
                raise
            raise refuse(
                "the expression mixes aggregates with other values",
                "AmbiguousAggregationExpression",
                expression.at,
            ) from None


def _require_aggregate(aggregate: Expression, columns: _Columns) -> None:
    if aggregate in columns.aggregates:
        return
    if columns.aggregates:
        for child in children(aggregate):
            _require_columns(child, columns)
    message = "ORDER BY can only use the aggregates of the columns"
    raise refuse(message, "InvalidAggregation", aggregate.at)


def check_grouping(items: Sequence[ProjectionItem]) -> None:
    """Check that columns with aggregates are otherwise made of constants and other columns."""
    keys = {item.expression for item in items if next(aggregates_in(item.expression), None) is None}
    for item in items:
        if item.expression not in keys:
            _require_grouped(item.expression, keys)


def _require_grouped(expression: Expression, keys: set[Expression]) -> None:
    """Raise CypherError if it uses more than constants and other columns outside aggregates."""
    simple = isinstance(expression, Variable | Property)
    if is_aggregate(expression) or (simple and expression in keys):
        return
    if isinstance(expression, Variable):
        raise refuse(
            f"{expression.name} is neither aggregated nor a column by itself",
            "AmbiguousAggregationExpression",
            expression.at,
        )
    if isinstance(expression, ListComprehension | Quantifier | Reduce):
        return
    for child in children(expression):
        _require_grouped(child, keys)
