"""The parts of a parsed query.

Two expressions are equal if they are the same apart from their position in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias

Direction = Literal["out", "in", "both"]
AGGREGATES: Final = frozenset(
    "count sum avg min max collect stdev stdevp percentiledisc percentilecont".split()
)


@dataclass(frozen=True, slots=True)
class Expression:
    """Any expression; `at` is its offset in the text of the query."""

    at: int = field(compare=False, repr=False, kw_only=True, default=0)


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number, string, boolean or null."""

    value: Any
    kind: str = ""


@dataclass(frozen=True, slots=True)
class QueryParameter(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Property(Expression):
    base: Expression
    key: str


@dataclass(frozen=True, slots=True)
class IndexAccess(Expression):
    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class SliceAccess(Expression):
    base: Expression
    start: Expression | None
    end: Expression | None


@dataclass(frozen=True, slots=True)
class ListOf(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MapOf(Expression):
    items: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class MapProjection(Expression):
    """`node {.name, .*, key: expression}`; an item without an expression is a property."""

    base: Expression
    items: tuple[tuple[str, Expression | None], ...]
    all_properties: bool


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`NOT x`, `-x` or `+x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    """A chain of comparisons: `1 <= x < 3`."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    operand: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class HasLabels(Expression):
    base: Expression
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function; `name` is in lower case."""

    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class CountAll(Expression):
    """`count(*)`."""


@dataclass(frozen=True, slots=True)
class Case(Expression):
    subject: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class ListComprehension(Expression):
    variable: str
    source: Expression
    where: Expression | None
    result: Expression | None


@dataclass(frozen=True, slots=True)
class Quantifier(Expression):
    """`all`, `any`, `none` or `single`."""

    kind: str
    variable: str
    source: Expression
    where: Expression


@dataclass(frozen=True, slots=True)
class Reduce(Expression):
    total: str
    start: Expression
    variable: str
    source: Expression
    step: Expression


@dataclass(frozen=True, slots=True)
class NodePattern:
    variable: str | None
    labels: tuple[str, ...] = ()
    properties: Expression | None = None
    at: int = field(compare=False, repr=False, default=0)


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """`-[variable:TYPE|OTHER*min..max {…}]->`; `hops` is None for a single relationship."""

    variable: str | None
    types: tuple[str, ...]
    direction: Direction
    hops: tuple[int, int | None] | None = None
    properties: Expression | None = None
    at: int = field(compare=False, repr=False, default=0)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """Nodes with the relationships between them: there is one node more than relationships."""

    variable: str | None
    nodes: tuple[NodePattern, ...]
    relations: tuple[RelationPattern, ...]

    @property
    def parts(self) -> tuple[NodePattern | RelationPattern, ...]:
        return (*self.nodes, *self.relations)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the path, its nodes and its relationships."""
        variables = (self.variable, *(part.variable for part in self.parts))
        return tuple(name for name in variables if name is not None)


@dataclass(frozen=True, slots=True)
class PatternPredicate(Expression):
    """A pattern as a condition: true if it matches anywhere."""

    pattern: PathPattern


@dataclass(frozen=True, slots=True)
class PatternComprehension(Expression):
    pattern: PathPattern
    where: Expression | None
    result: Expression


@dataclass(frozen=True, slots=True)
class Subquery(Expression):
    """`EXISTS {…}` or `COUNT {…}`."""

    kind: Literal["exists", "count"]
    query: Query


@dataclass(frozen=True, slots=True)
class ProjectionItem:
    """A column of RETURN or WITH; `explicit` means that AS gives it its name."""

    expression: Expression
    name: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Projection:
    items: tuple[ProjectionItem, ...]
    everything: bool
    distinct: bool
    order: tuple[SortKey, ...]
    skip: Expression | None
    limit: Expression | None
    at: int = field(compare=False, repr=False, default=0)


@dataclass(frozen=True, slots=True)
class MatchClause:
    patterns: tuple[PathPattern, ...]
    where: Expression | None
    optional: bool
    at: int = field(compare=False, repr=False, default=0)


@dataclass(frozen=True, slots=True)
class Unwind:
    source: Expression
    variable: str
    at: int = field(compare=False, repr=False, default=0)


@dataclass(frozen=True, slots=True)
class With:
    projection: Projection
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Return:
    projection: Projection


Clause: TypeAlias = MatchClause | Unwind | With | Return


@dataclass(frozen=True, slots=True)
class Query:
    """One or more parts joined by UNION; each part is a sequence of clauses."""

    parts: tuple[tuple[Clause, ...], ...]
    union_all: bool = False


def is_aggregate(expression: Expression) -> bool:
    """Return whether the expression itself is an aggregate, such as `count(*)` or `sum(n.x)`."""
    return isinstance(expression, CountAll) or (
        isinstance(expression, Call) and expression.name in AGGREGATES
    )


def children(expression: Expression) -> Iterator[Expression]:
    """Yield the expressions that an expression is made of, except those inside patterns."""
    for item in fields(expression):
        yield from _expressions_in(getattr(expression, item.name))


def _expressions_in(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions_in(item)


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything it is made of, except what is inside patterns."""
    yield expression
    for child in children(expression):
        yield from parts_of(child)


def aggregates_in(expression: Expression) -> Iterator[Expression]:
    """Yield the outermost aggregates of an expression."""
    if is_aggregate(expression):
        yield expression
    else:
        for child in children(expression):
            yield from aggregates_in(child)
