"""Check a query before it runs: names, columns, aggregates and types that are known in advance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from remem.errors import counted
from remem.graph.cypher import functions
from remem.graph.cypher.columns import (
    aggregates_of,
    check_grouping,
    check_names,
    check_order,
    check_where,
    keeps_only_columns,
    refuse_aggregates,
)
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.kinds import (
    UNKNOWN,
    call_kind,
    item_kind,
    operator_kind,
    refuse,
    require_condition,
    takes_conditions,
    with_article,
)
from remem.graph.cypher.self_references import HIDDEN
from remem.graph.cypher.syntax import (
    AGGREGATES,
    Call,
    Clause,
    Constant,
    Expression,
    ListComprehension,
    MatchClause,
    PathPattern,
    PatternComprehension,
    PatternPredicate,
    Projection,
    ProjectionItem,
    Quantifier,
    Query,
    QueryParameter,
    Reduce,
    Return,
    Subquery,
    Unary,
    Unwind,
    Variable,
    With,
    aggregates_in,
    children,
    parts_of,
)

Scope = dict[str, str]
"""The variables that are known, each with its type: node, relationship, list, …, or any."""


def check(query: Query, parameters: Collection[str]) -> Query:
    """Return the query with `*` replaced by the variables; raise CypherError if it cannot run."""
    return _Checker(parameters).query(query, {}, inner=False)


class _Checker:
    """Checks clauses and expressions; a scope maps the variables that are known to their types."""

    def __init__(self, parameters: Collection[str]) -> None:
        self._parameters = parameters

    def query(self, query: Query, outer: Scope, *, inner: bool) -> Query:
        parts = tuple(self._part(part, dict(outer), inner=inner) for part in query.parts)
        if len({frozenset(_columns(part)) for part in parts}) > 1:
            raise CypherError(
                "all parts of a UNION must return the same columns",
                detail="DifferentColumnsInUnion",
            )
        return Query(parts, query.union_all)

    def _part(self, clauses: Sequence[Clause], scope: Scope, *, inner: bool) -> tuple[Clause, ...]:
        checked: list[Clause] = []
        for clause in clauses:
            checked_clause, scope = self._clause(clause, scope)
            checked.append(checked_clause)
        if not inner and not isinstance(checked[-1], Return):
            raise CypherError(
                "the query does not end with RETURN", detail="InvalidClauseComposition"
            )
        return tuple(checked)

    def _clause(self, clause: Clause, scope: Scope) -> tuple[Clause, Scope]:
        match clause:
            case MatchClause():
                return clause, self._match(clause, scope)
            case Unwind():
                refuse_aggregates(clause.source, "UNWIND")
                self.expression(clause.source, scope)
                if clause.variable in scope:
                    raise refuse(
                        f"{clause.variable} is already used", "VariableAlreadyBound", clause.at
                    )
                return clause, {**scope, clause.variable: "any"}
            case With():
                projection, inner, after = self._projection(clause.projection, scope, named=True)
                if clause.where is not None:
                    self._condition(clause.where, inner)
                    check_where(clause.where, projection)
                return With(projection, clause.where), after
            case Return():
                projection, _, after = self._projection(clause.projection, scope, named=False)
                return Return(projection), after

    def _match(self, clause: MatchClause, scope: Scope) -> Scope:
        result = dict(scope)
        relations: set[str] = set()
        for pattern in clause.patterns:
            self._pattern(pattern, result, scope, relations)
        for pattern in clause.patterns:
            self._pattern_properties(pattern, result)
        if clause.where is not None:
            self._condition(clause.where, result)
        return result

    def _pattern(
        self, pattern: PathPattern, scope: Scope, before: Scope, relations: set[str]
    ) -> None:
        """Add the variables of a pattern to the scope."""
        for node in pattern.nodes:
            if node.variable is not None:
                self._bind(node.variable, "node", scope, node.at)
        for relation in pattern.relations:
            if relation.variable is None:
                continue
            if relation.variable in relations:
                raise refuse(
                    f"{relation.variable} is used for two relationships",
                    "RelationshipUniquenessViolation",
                    relation.at,
                )
            relations.add(relation.variable)
            kind = "list" if relation.hops else "relationship"
            self._bind(relation.variable, kind, scope, relation.at)
        if pattern.variable is not None:
            if pattern.variable in scope or pattern.variable in before:
                raise refuse(
                    f"{pattern.variable} is already used",
                    "VariableAlreadyBound",
                    pattern.nodes[0].at,
                )
            scope[pattern.variable] = "path"

    def _bind(self, name: str, kind: str, scope: Scope, at: int) -> None:
        kind_before = scope.get(name)
        if kind_before not in (None, kind, *UNKNOWN):
            raise refuse(f"{name} is a {kind_before}, not a {kind}", "VariableTypeConflict", at)
        scope[name] = kind

    def _pattern_properties(self, pattern: PathPattern, scope: Scope) -> None:
        for part in pattern.parts:
            if part.properties is not None:
                refuse_aggregates(part.properties, "a pattern")
                self.expression(part.properties, scope)

    def _condition(self, where: Expression, scope: Scope) -> None:
        refuse_aggregates(where, "WHERE")
        require_condition(self.expression(where, scope), where.at)

    def _projection(
        self, projection: Projection, scope: Scope, *, named: bool
    ) -> tuple[Projection, Scope, Scope]:
        """Return it without `*`, the scope of its ORDER BY and WHERE, and that of what follows."""
        items = list(projection.items)
        if projection.everything:
            names = sorted(name for name in scope if not name.startswith(HIDDEN))
            if not names and not named:
                raise refuse("there are no variables", "NoVariablesInScope", projection.at)
            items = [ProjectionItem(Variable(name), name, explicit=True) for name in names] + items
        after: Scope = {}
        for item in items:
            if item.name in after:
                raise refuse(
                    f"two columns are called {item.name}", "ColumnNameConflict", projection.at
                )
            after[item.name] = self._column(item.expression, scope)
        projection = replace(projection, items=tuple(items), everything=False)
        if aggregates_of(items):
            check_grouping(items)
        inner = self._inner_scope(items, scope, after, keeps_only_columns(projection))
        for key in projection.order:
            self.expression(key.expression, inner)
        check_order(projection)
        for count in (projection.skip, projection.limit):
            if count is not None:
                self._check_count(count)
        if named:
            check_names(items)
        return projection, inner, after

    def _column(self, expression: Expression, scope: Scope) -> str:
        if isinstance(expression, PatternPredicate):
            message = "a pattern is a condition and cannot be a column"
            raise refuse(message, "UnexpectedSyntax", expression.at)
        return self.expression(expression, scope)

    def _inner_scope(
        self, items: Sequence[ProjectionItem], scope: Scope, after: Scope, only_columns: bool
    ) -> Scope:
        if not only_columns:
            return {**scope, **after}
        inner = dict(after)
        for item in items:
            # ORDER BY may repeat a column: RETURN DISTINCT a.name ORDER BY a.name
            for name in _variables(item.expression):
                inner.setdefault(name, scope.get(name, "any"))
        return inner

    def _check_count(self, count: Expression) -> None:
        if _variables(count) or any(aggregates_in(count)):
            raise refuse("SKIP and LIMIT take a constant", "NonConstantExpression", count.at)
        kind = self.expression(count, {})
        negative = isinstance(count, Unary) and count.operator == "-"
        if negative and isinstance(count, Unary) and isinstance(count.operand, Constant):
            raise refuse("SKIP and LIMIT take a number from 0", "NegativeIntegerArgument", count.at)
        if kind not in ("integer", *UNKNOWN):
            raise refuse("SKIP and LIMIT take an integer", "InvalidArgumentType", count.at)

    def expression(self, expression: Expression, scope: Scope) -> str:
        """Check an expression and return its type, or `any`."""
        match expression:
            case Constant():
                return expression.kind
            case QueryParameter():
                return self._parameter(expression)
            case Variable():
                return self._variable(expression, scope)
            case Call():
                return self._call(expression, scope)
            case PatternPredicate() | PatternComprehension():
                return self._pattern_expression(expression, scope)
            case Subquery():
                self.query(expression.query, scope, inner=True)
                return "boolean" if expression.kind == "exists" else "integer"
            case ListComprehension() | Quantifier() | Reduce():
                return self._over_list(expression, scope)
        for child in children(expression):
            if isinstance(child, PatternPredicate) and not takes_conditions(expression):
                message = "a pattern is a condition: use it in WHERE, with AND, OR, NOT or CASE"
                raise refuse(message, "UnexpectedSyntax", child.at)
        kinds = [self.expression(child, scope) for child in children(expression)]
        return operator_kind(expression, kinds)

    def _variable(self, expression: Variable, scope: Scope) -> str:
        if expression.name not in scope:
            raise refuse(f"{expression.name} is not defined", "UndefinedVariable", expression.at)
        return scope[expression.name]

    def _parameter(self, expression: QueryParameter) -> str:
        if expression.name not in self._parameters:
            raise refuse(
                f"the parameter ${expression.name} is missing",
                "MissingParameter",
                expression.at,
                "ParameterMissing",
            )
        return "any"

    def _call(self, call: Call, scope: Scope) -> str:
        self._check_call(call)
        for argument in call.arguments:
            if isinstance(argument, PatternPredicate):
                raise refuse(
                    f"{call.name}() cannot take a pattern", "UnexpectedSyntax", argument.at
                )
            if call.name in AGGREGATES:
                self._check_aggregate(call, argument)
        kinds = [self.expression(argument, scope) for argument in call.arguments]
        return call_kind(call, kinds)

    def _check_call(self, call: Call) -> None:
        if call.name in AGGREGATES:
            low = high = 2 if call.name.startswith("percentile") else 1
        elif call.name in functions.NAMES:
            low, high = functions.arity(call.name)
        else:
            raise refuse(f"there is no function {call.name}()", "UnknownFunction", call.at)
        if not low <= len(call.arguments) <= high:
            expected = counted(high, "argument") if low == high else f"{low} to {high} arguments"
            message = f"{call.name}() takes {expected}, not {len(call.arguments)}"
            raise refuse(message, "InvalidNumberOfArguments", call.at)

    def _check_aggregate(self, call: Call, argument: Expression) -> None:
        for inner in aggregates_in(argument):
            raise refuse("an aggregate cannot contain another one", "NestedAggregation", inner.at)
        for part in parts_of(argument):
            if isinstance(part, Call) and part.name == "rand":
                raise refuse(f"{call.name}() cannot take rand()", "NonConstantExpression", part.at)

    def _pattern_expression(
        self, expression: PatternPredicate | PatternComprehension, scope: Scope
    ) -> str:
        pattern = expression.pattern
        if isinstance(expression, PatternPredicate):
            for part in pattern.parts:
                if part.variable is not None and part.variable not in scope:
                    raise refuse(f"{part.variable} is not defined", "UndefinedVariable", part.at)
        inner = dict(scope)
        self._pattern(pattern, inner, scope, set())
        self._pattern_properties(pattern, inner)
        if isinstance(expression, PatternPredicate):
            return "boolean"
        if expression.where is not None:
            self._condition(expression.where, inner)
        self.expression(expression.result, inner)
        return "list"

    def _over_list(self, expression: ListComprehension | Quantifier | Reduce, scope: Scope) -> str:
        source = self.expression(expression.source, scope)
        if source not in ("list", *UNKNOWN):
            message = f"expected a list, not {with_article(source)}"
            raise refuse(message, "InvalidArgumentType", expression.at)
        inner = {**scope, expression.variable: item_kind(expression.source)}
        match expression:
            case Reduce():
                self.expression(expression.start, scope)
                inner[expression.total] = "any"
                self.expression(expression.step, inner)
                return "any"
            case Quantifier():
                self._condition(expression.where, inner)
                return "boolean"
            case ListComprehension():
                if expression.where is not None:
                    self._condition(expression.where, inner)
                if expression.result is not None:
                    refuse_aggregates(expression.result, "a list comprehension")
                    self.expression(expression.result, inner)
                return "list"


def _columns(clauses: Sequence[Clause]) -> tuple[str, ...]:
    last = clauses[-1]
    return tuple(item.name for item in last.projection.items) if isinstance(last, Return) else ()


def _variables(expression: Expression) -> list[str]:
    return [part.name for part in parts_of(expression) if isinstance(part, Variable)]
