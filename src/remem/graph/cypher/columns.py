"""The rules for columns: what may be combined with aggregates, and what ORDER BY may use."""

from __future__ import annotations

from collections.abc import Sequence

from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.kinds import refuse
from remem.graph.cypher.syntax import (
    Constant,
    Expression,
    Item,
    ListComprehension,
    Parameter,
    Projection,
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


def check_order(projection: Projection, items: Sequence[Item], *, aggregating: bool) -> None:
    """Check that ORDER BY uses only what exists after the projection."""
    columns = {item.name for item in items}
    repeated = {item.expression for item in items}
    for key in projection.order:
        if aggregating or projection.distinct:
            _require_columns(key.expression, columns, repeated, aggregating)
        else:
            refuse_aggregates(key.expression, "ORDER BY")


def _require_columns(
    expression: Expression,
    columns: set[str],
    repeated: set[Expression],
    aggregating: bool,
) -> None:
    """ORDER BY after DISTINCT or aggregates can only use what the columns contain."""
    if expression in repeated or isinstance(expression, Constant | Parameter):
        return
    mixed = next(aggregates_in(expression), None) is not None
    if mixed:
        repeated = {one for one in repeated if isinstance(one, Variable | Property)}
    if is_aggregate(expression):
        if not aggregating:
            raise refuse(
                "aggregates cannot be used in this ORDER BY",
                "InvalidAggregation",
                expression.at,
            )
        return
    if isinstance(expression, Variable):
        if expression.name not in columns:
            raise refuse(
                f"{expression.name} is not defined here", "UndefinedVariable", expression.at
            )
        return
    for child in children(expression):
        try:
            _require_columns(child, columns, repeated, aggregating)
        except CypherError as error:
            if mixed and error.detail == "UndefinedVariable":
                raise refuse(
                    "the expression mixes aggregates with other values",
                    "AmbiguousAggregationExpression",
                    expression.at,
                ) from None
            raise


def check_grouping(items: Sequence[Item]) -> None:
    """Check that columns with aggregates are otherwise made of constants and other columns."""
    keys = {item.expression for item in items if next(aggregates_in(item.expression), None) is None}
    for item in items:
        if item.expression not in keys:
            _require_grouped(item.expression, keys)


def _require_grouped(expression: Expression, keys: set[Expression]) -> None:
    """Outside its aggregates, an expression may only use constants and other columns."""
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
