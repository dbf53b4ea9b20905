"""Parse patterns: nodes, and the relationships between them."""

from __future__ import annotations

from typing import Protocol

from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.syntax import (
    Direction,
    Expression,
    MapOf,
    NodePattern,
    PathPattern,
    QueryParameter,
    RelationPattern,
)


class PropertyParser(Protocol):
    """Parses the values of properties; implemented by the parser of expressions."""

    def map_literal(self) -> MapOf: ...
    def parameter(self) -> QueryParameter: ...


class PatternParser:
    """Parses the patterns at a cursor."""

    def __init__(self, cursor: Cursor, values: PropertyParser) -> None:
        self._cursor = cursor
        self._values = values

    def paths(self) -> tuple[PathPattern, ...]:
        """Parse patterns separated by commas."""
        paths = [self.named_path()]
        while self._cursor.take_symbol(","):
            paths.append(self.named_path())
        return tuple(paths)

    def named_path(self) -> PathPattern:
        variable = None
        if self._cursor.token.kind in ("name", "quoted name") and self._cursor.ahead(1).text == "=":
            variable = self._cursor.expect_name("a variable")
            self._cursor.expect_symbol("=")
        path = self.path()
        return PathPattern(variable, path.nodes, path.relations)

    def path(self) -> PathPattern:
        token = self._cursor.token
        if token.text.lower() in ("shortestpath", "allshortestpaths"):
            raise CypherError(
                f"{token.text}() is not supported",
                detail="UnexpectedSyntax",
                position=token.position,
                hint="write MATCH p = (a)-[*1..4]-(b) RETURN p ORDER BY length(p) LIMIT 1",
            )
        nodes = [self._node()]
        relations: list[RelationPattern] = []
        while self._cursor.sees_symbol("-") or (
            self._cursor.sees_symbol("<") and self._cursor.ahead(1).text == "-"
        ):
            relations.append(self._relation())
            nodes.append(self._node())
        return PathPattern(None, tuple(nodes), tuple(relations))

    def _node(self) -> NodePattern:
        at = self._cursor.expect_symbol("(").position
        variable = self._optional_name()
        labels = self.labels()
        properties = self._properties()
        self._cursor.expect_symbol(")")
        return NodePattern(variable, labels, properties, at)

    def _optional_name(self) -> str | None:
        if self._cursor.token.kind in ("name", "quoted name"):
            return self._cursor.expect_name("a variable")
        return None

    def labels(self) -> tuple[str, ...]:
        labels: list[str] = []
        while self._cursor.take_symbol(":"):
            labels.append(self._cursor.expect_name("a label"))
        return tuple(labels)

    def _properties(self) -> Expression | None:
        if self._cursor.sees_symbol("{"):
            return self._values.map_literal()
        if self._cursor.sees_symbol("$"):
            parameter = self._values.parameter()
            raise CypherError(
                f"${parameter.name} cannot stand for all properties of a pattern",
                detail="InvalidParameterUse",
                position=parameter.at,
                hint="name them: {name: $name}",
            )
        return None

    def _relation(self) -> RelationPattern:
        at = self._cursor.token.position
        points_left = self._cursor.take_symbol("<")
        self._cursor.expect_symbol("-")
        variable, types, hops, properties = None, tuple[str, ...](), None, None
        if self._cursor.take_symbol("["):
            variable = self._optional_name()
            types = self._types()
            hops = self._hops()
            properties = self._properties()
            self._cursor.expect_symbol("]")
        self._cursor.expect_symbol("-")
        points_right = self._cursor.take_symbol(">")
        direction: Direction = "both"
        if points_left != points_right:
            direction = "in" if points_left else "out"
        return RelationPattern(variable, types, direction, hops, properties, at)

    def _types(self) -> tuple[str, ...]:
        if not self._cursor.take_symbol(":"):
            return ()
        types = [self._cursor.expect_name("a type")]
        while self._cursor.take_symbol("|"):
            self._cursor.take_symbol(":")
            types.append(self._cursor.expect_name("a type"))
        return tuple(types)

    def _hops(self) -> tuple[int, int | None] | None:
        """Parse the length of a path: `*`, `*2`, `*1..3`, `*..3` or `*2..`."""
        if self._cursor.sees_symbol(".."):
            raise CypherError(
                "the length of a path needs an asterisk",
                detail="InvalidRelationshipPattern",
                position=self._cursor.token.position,
                hint="write -[:TYPE*1..3]->",
            )
        if not self._cursor.take_symbol("*"):
            return None
        low = self._hop_count()
        if not self._cursor.take_symbol(".."):
            return (1, None) if low is None else (low, low)
        high = self._hop_count()
        return (1 if low is None else low, high)

    def _hop_count(self) -> int | None:
        if self._cursor.sees_symbol("-"):
            raise CypherError(
                "the length of a path cannot be negative",
                detail="InvalidRelationshipPattern",
                position=self._cursor.token.position,
            )
        if self._cursor.token.kind == "integer":
            return int(self._cursor.advance().value)
        return None
