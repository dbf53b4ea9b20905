"""Find the places in a graph where patterns match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from remem.graph.cypher.evaluate import Evaluator, Row
from remem.graph.cypher.failures import CypherError, LimitReached
from remem.graph.cypher.limits import Meter
from remem.graph.cypher.needs import Needs, need_of, relation_need
from remem.graph.cypher.syntax import (
    Direction,
    Expression,
    MapOf,
    NodePattern,
    PathPattern,
    RelationPattern,
)
from remem.graph.cypher.values import Node, Path, Relationship, equals, type_of
from remem.ports.graph import NodeDetail

Id: TypeAlias = "int | str"
Hints = Mapping[str, Sequence[tuple[str, Expression]]]
"""Properties that a variable must have according to WHERE."""
_OPPOSITE: Final[Mapping[Direction, Direction]] = {"out": "in", "in": "out", "both": "both"}


class Graph(Protocol):
    """A graph that can be queried."""

    def node(self, id_: Id, need: NodeDetail = NodeDetail.LABELS) -> Node:
        """Return a node; what is not needed of it may be left out."""

    def nodes(self, labels: Sequence[str], properties: Mapping[str, Any]) -> Iterator[Node]:
        """Return all nodes with these labels and properties, and perhaps others."""

    def relationships(
        self,
        node: Id,
        direction: Direction,
        types: Sequence[str],
        need: NodeDetail = NodeDetail.LABELS,
    ) -> Iterator[Relationship]:
        """Return the relationships of a node, each of them once; of any type if `types` is empty.

        `need` says how much is needed of them and of the nodes at their other ends.
        """

    def degree(self, node: Id, direction: Direction, types: Sequence[str]) -> int:
        """Return the number of the relationships of a node."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """A path pattern that is partly matched.

    `used_ids` are those of all relationships of the MATCH so far. `nodes` and `relationships`
    follow the order of the pattern; what is not matched yet is None or empty.
    """

    row: Row
    used_ids: frozenset[Id]
    nodes: tuple[Node | None, ...]
    relationships: tuple[tuple[Relationship, ...], ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """A relationship of a pattern that is followed, forwards or backwards."""

    relation: RelationPattern
    forwards: bool
    need: NodeDetail

    @property
    def direction(self) -> Direction:
        return self.relation.direction if self.forwards else _OPPOSITE[self.relation.direction]


class PatternMatcher:
    """Matches patterns; within one MATCH no relationship is used twice."""

    def __init__(self, graph: Graph, evaluator: Evaluator, meter: Meter, needs: Needs) -> None:
        self._graph = graph
        self._evaluator = evaluator
        self._meter = meter
        self._needs = needs

    def matches(
        self, patterns: Sequence[PathPattern], row: Row, hints: Hints | None = None
    ) -> Iterator[Row]:
        """Yield the rows that extend `row` by a match of all patterns."""
        for bound, _ in self._all(patterns, row, frozenset(), hints or {}):
            yield bound

    def count(self, pattern: PathPattern, at: int) -> int:
        """Return how often a pattern of one relationship matches.

        The node at the position `at` is looked up; its neighbour may be any node.
        """
        relation = pattern.relations[0]
        direction = relation.direction if at == 0 else _OPPOSITE[relation.direction]
        total = 0
        for node in self._candidates(pattern, at, {}, {}):
            self._meter.step()
            if self._bind_node(pattern.nodes[at], node, {}) is not None:
                total += self._graph.degree(node.id, direction, relation.types)
        return total

    def _all(
        self, patterns: Sequence[PathPattern], row: Row, used_ids: frozenset[Id], hints: Hints
    ) -> Iterator[tuple[Row, frozenset[Id]]]:
        if not patterns:
            yield row, used_ids
            return
        first, *others = patterns
        for bound, all_used_ids in self._path(first, row, used_ids, hints):
            yield from self._all(others, bound, all_used_ids, hints)

    def _path(
        self, pattern: PathPattern, row: Row, used_ids: frozenset[Id], hints: Hints
    ) -> Iterator[tuple[Row, frozenset[Id]]]:
        start = self._start(pattern, row, hints)
        count = len(pattern.nodes)
        steps = [(at, at, at + 1) for at in range(start, count - 1)]
        steps += [(at - 1, at, at - 1) for at in range(start, 0, -1)]
        no_relationships = ((),) * len(pattern.relations)
        for node in self._candidates(pattern, start, row, hints):
            self._meter.step()
            bound = self._bind_node(pattern.nodes[start], node, row)
            if bound is not None:
                nodes = tuple(node if at == start else None for at in range(count))
                walk = _Walk(bound, used_ids, nodes, no_relationships)
                for complete in self._continue(pattern, steps, walk):
                    yield _with_path(pattern, complete, self._graph), complete.used_ids

    def _start(self, pattern: PathPattern, row: Row, hints: Hints) -> int:
        """Return the position to begin at: a known node, or one that few nodes can match."""

        def cost(at: int) -> tuple[int, int]:
            node = pattern.nodes[at]
            if node.variable is not None and node.variable in row:
                return 0, at
            around = pattern.relations[max(at - 1, 0) : at + 1]
            if any(relation.variable in row for relation in around):
                return 1, at
            if node.properties is not None or hints.get(node.variable or ""):
                return 2, at
            return (3 if node.labels else 4), at

        return min(range(len(pattern.nodes)), key=cost)

    def _candidates(self, pattern: PathPattern, at: int, row: Row, hints: Hints) -> Iterator[Node]:
        """Yield the nodes that may match the node at the position `at` of a pattern."""
        node = pattern.nodes[at]
        if node.variable is not None and node.variable in row:
            value = row[node.variable]
            if isinstance(value, Node):
                yield value
            elif value is not None:
                raise _wrong_type(node, "a node", value)
            return
        for relation in pattern.relations[max(at - 1, 0) : at + 1]:
            if relation.variable is not None and relation.variable in row:
                yield from self._ends(relation, row)
                return
        properties: dict[str, Any] = {}
        for key, expression in hints.get(node.variable or "", ()):
            properties[key] = self._evaluator.value(expression, row)
        if isinstance(node.properties, MapOf):
            for key, expression in node.properties.items:
                properties[key] = self._evaluator.value(expression, row)
        if all(value is not None for value in properties.values()):
            yield from self._graph.nodes(node.labels, properties)

    def _ends(self, relation: RelationPattern, row: Row) -> Iterator[Node]:
        """Yield the nodes at both ends of a known relationship, or of a known list of them."""
        edges = _bound_relationships(relation, row)
        for id_ in dict.fromkeys(end for edge in edges for end in (edge.start, edge.end)):
            yield self._graph.node(id_)

    def _bind_node(self, pattern: NodePattern, node: Node, row: Row) -> Row | None:
        if not node.labels.issuperset(pattern.labels):
            return None
        if not self._has_properties(pattern.properties, node.properties, row):
            return None
        return _bind(pattern.variable, node, row)

    def _has_properties(
        self, expected: Expression | None, properties: Mapping[str, Any], row: Row
    ) -> bool:
        if expected is None:
            return True
        required = self._evaluator.value(expected, row)
        for value in required.values():
            self._meter.read(value)
        return all(equals(properties.get(key), value) is True for key, value in required.items())

    def _continue(
        self, pattern: PathPattern, steps: Sequence[tuple[int, int, int]], walk: _Walk
    ) -> Iterator[_Walk]:
        """Yield the complete walks that begin with a walk.

        A step is the position of a relationship, that of the node before it, and that of the next.
        """
        if not steps:
            yield walk
            return
        (number, here, there), *others = steps
        start = walk.nodes[here]
        assert start is not None, "a walk continues from a node that has been found"
        relation = pattern.relations[number]
        need = NodeDetail.LABELS if pattern.variable else need_of(pattern.nodes[there], self._needs)
        step = _Step(relation, there > here, max(need, relation_need(relation, self._needs)))
        for relationship, end in self._expand(step, start, walk):
            node = self._graph.node(end, need)
            row = self._bind_node(pattern.nodes[there], node, walk.row)
            if row is None:
                continue
            value: Any = list(relationship) if relation.hops else relationship[0]
            row = _bind(relation.variable, value, row)
            if row is not None:
                used_ids = walk.used_ids.union(edge.id for edge in relationship)
                nodes = (*walk.nodes[:there], node, *walk.nodes[there + 1 :])
                relationships = list(walk.relationships)
                relationships[number] = relationship
                longer = _Walk(row, used_ids, nodes, tuple(relationships))
                yield from self._continue(pattern, others, longer)

    def _expand(
        self, step: _Step, start: Node, walk: _Walk
    ) -> Iterator[tuple[tuple[Relationship, ...], Id]]:
        """Yield the relationships that continue a walk by a step, and the node they lead to.

        Several relationships are in the order of the pattern.
        """
        if step.relation.variable in walk.row:
            yield from self._follow_bound(step, start, walk)
        elif step.relation.hops is None:
            for edge in self._next(step, start.id, walk.row, walk.used_ids):
                yield (edge,), edge.other(start.id)
        else:
            for chain, end in self._chains(step, walk, start.id):
                yield (chain if step.forwards else chain[::-1]), end

    def _follow_bound(
        self, step: _Step, start: Node, walk: _Walk
    ) -> Iterator[tuple[tuple[Relationship, ...], Id]]:
        """Follow a relationship, or a list of them, that is already bound."""
        relation = step.relation
        if walk.row[relation.variable or ""] is None:
            return
        edges = _bound_relationships(relation, walk.row)
        end = start.id
        for edge in edges if step.forwards else edges[::-1]:
            fits = edge.id not in walk.used_ids and _leaves(edge, end, step.direction)
            if not fits or (relation.types and edge.type not in relation.types):
                return
            if not self._has_properties(relation.properties, edge.properties, walk.row):
                return
            end = edge.other(end)
        yield edges, end

    def _next(
        self, step: _Step, node: Id, row: Row, used_ids: frozenset[Id]
    ) -> Iterator[Relationship]:
        """Yield the unused relationships of a node that match the pattern of a step."""
        relation = step.relation
        edges = self._graph.relationships(node, step.direction, relation.types, step.need)
        for edge in edges:
            self._meter.step()
            if edge.id not in used_ids and self._has_properties(
                relation.properties, edge.properties, row
            ):
                yield edge

    def _chains(
        self, step: _Step, walk: _Walk, node: Id, relationships: tuple[Relationship, ...] = ()
    ) -> Iterator[tuple[tuple[Relationship, ...], Id]]:
        """Yield all chains of as many relationships as the pattern allows, and where they end.

        They begin with `relationships`, which lead to `node`.
        """
        low, high = step.relation.hops or (1, 1)
        if len(relationships) >= low:
            yield relationships, node
        if high is not None and len(relationships) >= high:
            return
        used_ids = walk.used_ids.union(edge.id for edge in relationships)
        for edge in self._next(step, node, walk.row, used_ids):
            if len(relationships) >= self._meter.limits.hops:
                raise LimitReached(
                    f"a path is longer than {self._meter.limits.hops} relationships",
                    hint="bound its length: -[*1..4]->",
                )
            yield from self._chains(step, walk, edge.other(node), (*relationships, edge))


def _bind(variable: str | None, value: Any, row: Row) -> Row | None:
    """Return the row with a variable; None if the variable has another value."""
    if variable is None:
        return row
    if variable in row:
        return row if equals(row[variable], value) is True else None
    return {**row, variable: value}


def _bound_relationships(relation: RelationPattern, row: Row) -> tuple[Relationship, ...]:
    """Return the relationships that the variable of a pattern already stands for."""
    value = row[relation.variable or ""]
    if value is None:
        return ()
    items = value if relation.hops and isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, Relationship):
            raise _wrong_type(relation, "a relationship", item)
    return tuple(items)


def _wrong_type(part: NodePattern | RelationPattern, expected: str, value: Any) -> CypherError:
    message = f"{part.variable} is not {expected} but a {type_of(value)}"
    return CypherError(message, detail="InvalidArgumentType", kind="TypeError", position=part.at)


def _leaves(relationship: Relationship, node: Id, direction: Direction) -> bool:
    return (direction != "in" and relationship.start == node) or (
        direction != "out" and relationship.end == node
    )


def _with_path(pattern: PathPattern, walk: _Walk, graph: Graph) -> Row:
    """Return the row of a complete walk, with its path if the pattern has a variable for it."""
    if pattern.variable is None:
        return walk.row
    node = walk.nodes[0]
    assert node is not None, "a complete walk has all its nodes"
    nodes = [node]
    relationships = [edge for edges in walk.relationships for edge in edges]
    for edge in relationships:
        nodes.append(graph.node(edge.other(nodes[-1].id)))
    return {**walk.row, pattern.variable: Path(tuple(nodes), tuple(relationships))}
