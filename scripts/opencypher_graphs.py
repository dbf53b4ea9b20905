"""Build the graphs of openCypher's compatibility kit, whose statements also write.

CREATE, MERGE, SET and DELETE are run here, on a graph in memory. All other clauses are run as
queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.evaluate import Context, Evaluator
from remem.graph.cypher.expressions import ExpressionParser
from remem.graph.cypher.limits import Limits, Meter
from remem.graph.cypher.match import Id
from remem.graph.cypher.run import run_query
from remem.graph.cypher.syntax import PathPattern
from remem.graph.cypher.tokens import Token, tokenize
from remem.graph.cypher.values import Node, Relationship
from tests.memory_graph import MemoryGraph

LIMITS: Final = Limits(seconds=20, rows=100_000)
_WRITES: Final = ("CREATE", "MERGE", "SET", "DETACH", "DELETE", "REMOVE")
_READS: Final = ("MATCH", "OPTIONAL", "UNWIND", "WITH")
_Rows = list[dict[str, Any]]


class Builder:
    """Runs the statements that build a scenario's graph."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self._evaluator = Evaluator(Context({}, Meter(LIMITS), _NoPatterns()))

    def run(self, text: str) -> None:
        rows: _Rows = [{}]
        for word, clause in _clauses(text):
            if word not in _WRITES:
                rows = self._read(clause, rows)
                continue
            for row in rows:
                self._write(word, clause, row)

    def _read(self, clause: str, rows: _Rows) -> _Rows:
        known = sorted(rows[0]) if rows else []
        given = ", ".join(f"row.`{name}` AS `{name}`" for name in known)
        before = f"UNWIND $rows AS row WITH {given} " if given else ""
        found = run_query(self._graph, f"{before}{clause} RETURN *", {"rows": rows}, LIMITS)
        return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    def _write(self, word: str, clause: str, row: dict[str, Any]) -> None:
        cursor = Cursor(tokenize(clause))
        parser = ExpressionParser(cursor, _no_subquery)
        while cursor.take("DETACH"):
            pass
        cursor.advance()
        if word in ("CREATE", "MERGE"):
            for pattern in parser.patterns.paths():
                if word == "CREATE" or not self._merged(clause, row):
                    self._create(pattern, row)
            return
        while cursor.token.kind != "end":
            if word == "SET":
                self._set(cursor, parser, row)
            else:
                self._graph.remove(self._evaluator.value(parser.expression(), row))
            cursor.take_symbol(",")

    def _merged(self, clause: str, row: dict[str, Any]) -> bool:
        found = self._read(clause.replace("MERGE", "MATCH", 1), [row])
        if found:
            row.update(found[0])
        return bool(found)

    def _create(self, pattern: PathPattern, row: dict[str, Any]) -> None:
        nodes: list[Node] = []
        for part in pattern.nodes:
            known = row.get(part.variable) if part.variable else None
            if known is None:
                known = self._graph.add_node(part.labels, self._properties(part.properties, row))
                if part.variable:
                    row[part.variable] = known
            nodes.append(known)
        for at, relation in enumerate(pattern.relations):
            start, end = nodes[at].id, nodes[at + 1].id
            if relation.direction == "in":
                start, end = end, start
            properties = self._properties(relation.properties, row)
            made = self._graph.connect(start, relation.types[0], end, properties)
            if relation.variable:
                row[relation.variable] = made

    def _set(self, cursor: Cursor, parser: ExpressionParser, row: dict[str, Any]) -> None:
        """`n.key = value`, `n:Label` or `n += {…}`."""
        known: Node | Relationship = row[cursor.expect_name("a variable")]
        changed, labels = dict(known.properties), set(getattr(known, "labels", ()))
        if cursor.take_symbol("."):
            key = cursor.expect_name("a property")
            cursor.expect_symbol("=")
            changed[key] = self._evaluator.value(parser.expression(), row)
        elif cursor.sees_symbol(":"):
            labels.update(parser.patterns.labels())
        else:
            cursor.expect_symbol("+=")
            changed.update(self._evaluator.value(parser.expression(), row))
        if isinstance(known, Relationship):
            self._graph.remove(known)
            self._graph.connect(known.start, known.type, known.end, changed)
        else:
            self._graph.add_node(labels, changed, known.id)

    def _properties(self, expression: Any, row: Mapping[str, Any]) -> dict[str, Any]:
        return {} if expression is None else self._evaluator.value(expression, row)


def value_of(text: str) -> Any:
    """Return the value of an expression without variables, such as a parameter's."""
    parser = ExpressionParser(Cursor(tokenize(text)), _no_subquery)
    return Evaluator(Context({}, Meter(LIMITS), _NoPatterns())).value(parser.expression(), {})


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """Yield the first word and the text of each clause."""
    tokens = tokenize(text)
    starts: list[Token] = []
    depth = 0
    for before, token in zip((None, *tokens), tokens, strict=False):
        depth += (token.text in tuple("([{")) - (token.text in tuple(")]}"))
        follows = before.keyword if before else ""
        joined = follows in ("OPTIONAL", "DETACH", "STARTS", "ENDS")
        if depth == 0 and not joined and token.keyword in (*_WRITES, *_READS):
            starts.append(token)
    ends = [*(token.position for token in starts[1:]), len(text)]
    for token, end in zip(starts, ends, strict=False):
        yield token.keyword, text[token.position : end].strip().rstrip(";")


class _NoPatterns:
    def matches(self, pattern: Any, row: Any) -> Iterator[Any]:  # noqa: ARG002
        raise ValueError("patterns are not expected here")

    def rows(self, query: Any, row: Any) -> Iterator[Any]:  # noqa: ARG002
        raise ValueError("subqueries are not expected here")

    def node(self, id_: Id) -> Node:  # noqa: ARG002
        raise ValueError("nodes are not expected here")


def _no_subquery() -> Any:
    raise ValueError("subqueries are not expected here")
