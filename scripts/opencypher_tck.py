"""Run openCypher's compatibility kit (TCK) against remem's read-only queries.

python scripts/opencypher_tck.py FOLDER [--failures] [--only TEXT]

FOLDER holds the feature files (searched recursively) and, next to them, the named graphs. Each
scenario's graph is built in memory. Scenarios whose query writes or calls a procedure must be
refused and are counted apart. Needs the package gherkin-official.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.evaluate import Context, Evaluator
from remem.graph.cypher.expressions import ExpressionParser
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.limits import Limits, Meter
from remem.graph.cypher.match import Id
from remem.graph.cypher.run import run_query
from remem.graph.cypher.syntax import PathPattern
from remem.graph.cypher.tokens import tokenize
from remem.graph.cypher.values import Node, Relationship
from remem.graph.cypher.values import Path as GraphPath
from remem.graph.memory_graph import MemoryGraph

_WRITES: Final = {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "CALL", "FOREACH"}
_KINDS: Final = ("passed", "refused", "failed", "wrong", "out of scope")
_LIMITS: Final = Limits(seconds=20, rows=100_000)


class Builder:
    """Runs the CREATE and UNWIND clauses that build a scenario's graph."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self._evaluator = Evaluator(Context({}, Meter(_LIMITS), _NoPatterns()))

    def run(self, text: str) -> None:
        cursor = Cursor(tokenize(text))
        parser = ExpressionParser(cursor, _no_subquery)
        rows: list[dict[str, Any]] = [{}]
        while cursor.token.kind != "end":
            if cursor.take("CREATE"):
                patterns = parser.patterns.paths()
                for row in rows:
                    for pattern in patterns:
                        self._create(pattern, row)
            elif cursor.take("UNWIND"):
                source = parser.expression()
                cursor.expect("AS")
                name = cursor.expect_name("a variable")
                rows = [
                    {**row, name: item}
                    for row in rows
                    for item in self._evaluator.value(source, row)
                ]
            elif not cursor.take_symbol(";"):
                raise ValueError(f"cannot build a graph with {cursor.token.text}")

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

    def _properties(self, expression: Any, row: Mapping[str, Any]) -> dict[str, Any]:
        return {} if expression is None else self._evaluator.value(expression, row)


class _NoPatterns:
    def matches(self, pattern: Any, row: Any) -> Iterator[Any]:  # noqa: ARG002
        raise ValueError("patterns are not expected here")

    def rows(self, query: Any, row: Any) -> Iterator[Any]:  # noqa: ARG002
        raise ValueError("subqueries are not expected here")

    def node(self, id_: Id) -> Node:  # noqa: ARG002
        raise ValueError("nodes are not expected here")


def _no_subquery() -> Any:
    raise ValueError("subqueries are not expected here")


class Expected:
    """Reads the values of an expected table, in the notation of the kit."""

    def __init__(self, text: str) -> None:
        self._cursor = Cursor(tokenize(text))

    def value(self) -> Any:
        cursor = self._cursor
        token = cursor.token
        if cursor.take_symbol("-"):
            return ("number", -self.value()[1])
        if token.kind in ("integer", "float"):
            return ("number", cursor.advance().value)
        if token.kind == "string":
            return ("string", cursor.advance().value)
        if cursor.take_symbol("("):
            return self._node()
        if cursor.take_symbol("["):
            return self._relationship() if cursor.sees_symbol(":") else self._list()
        if cursor.take_symbol("{"):
            return ("map", self._map())
        if cursor.take_symbol("<"):
            return self._path()
        word = cursor.advance().text
        numbers = {"NaN": "NaN", "Inf": float("inf"), "Infinity": float("inf")}
        if word in numbers:
            return ("number", numbers[word])
        return {"null": ("null",), "true": ("boolean", True), "false": ("boolean", False)}[word]

    def _list(self) -> Any:
        items = []
        while not self._cursor.take_symbol("]"):
            items.append(self.value())
            self._cursor.take_symbol(",")
        return ("list", tuple(items))

    def _map(self) -> frozenset[Any]:
        items = []
        while not self._cursor.take_symbol("}"):
            key = self._cursor.expect_name("a key")
            self._cursor.expect_symbol(":")
            items.append((key, self.value()))
            self._cursor.take_symbol(",")
        return frozenset(items)

    def _node(self) -> Any:
        labels = set()
        while self._cursor.take_symbol(":"):
            labels.add(self._cursor.expect_name("a label"))
        properties = self._map() if self._cursor.take_symbol("{") else frozenset()
        self._cursor.expect_symbol(")")
        return ("node", frozenset(labels), properties)

    def _relationship(self) -> Any:
        self._cursor.expect_symbol(":")
        kind = self._cursor.expect_name("a type")
        properties = self._map() if self._cursor.take_symbol("{") else frozenset()
        self._cursor.expect_symbol("]")
        return ("relationship", kind, properties)

    def _path(self) -> Any:
        self._cursor.expect_symbol("(")
        parts = [self._node()]
        while not self._cursor.take_symbol(">"):
            left = self._cursor.take_symbol("<")
            self._cursor.expect_symbol("-")
            self._cursor.expect_symbol("[")
            relationship = self._relationship()
            self._cursor.expect_symbol("-")
            if not left:
                self._cursor.expect_symbol(">")
            self._cursor.expect_symbol("(")
            parts += [("in" if left else "out"), relationship, self._node()]
        return ("path", tuple(parts))


def canonical(value: Any) -> Any:  # noqa: C901 - one case per type
    """An answer's value in the form of an expected one."""
    match value:
        case None:
            return ("null",)
        case bool():
            return ("boolean", value)
        case float() if math.isnan(value):
            return ("number", "NaN")
        case int() | float():
            return ("number", value)
        case str():
            return ("string", value)
        case list():
            return ("list", tuple(map(canonical, value)))
        case Node():
            return ("node", value.labels, _canonical_map(value.properties))
        case Relationship():
            return ("relationship", value.type, _canonical_map(value.properties))
        case GraphPath():
            parts: list[Any] = [canonical(value.nodes[0])]
            for at, one in enumerate(value.relationships):
                direction = "out" if one.start == value.nodes[at].id else "in"
                parts += [direction, canonical(one), canonical(value.nodes[at + 1])]
            return ("path", tuple(parts))
    return ("map", _canonical_map(value))


def _canonical_map(properties: Mapping[str, Any]) -> frozenset[Any]:
    return frozenset((key, canonical(value)) for key, value in properties.items())


def _unordered(value: Any) -> Any:
    if isinstance(value, tuple) and value[0] == "list":
        return ("list", tuple(sorted(map(_unordered, value[1]), key=repr)))
    return value


@dataclass(slots=True)
class Scenario:
    """One scenario of the kit, with its outline's values filled in."""

    area: str
    name: str
    steps: list[tuple[str, str, list[list[str]]]]

    def outcome(self, graphs: Mapping[str, str]) -> str:
        """passed, refused, wrong, failed or out of scope (the query writes)."""
        graph = MemoryGraph()
        parameters: dict[str, Any] = {}
        query = ""
        for text, body, table in self.steps:
            if named := re.fullmatch(r"the ([\w-]+) graph", text):
                Builder(graph).run(graphs[named[1]])
            elif text == "having executed:":
                Builder(graph).run(body)
            elif text == "parameters are:":
                evaluator = Evaluator(Context({}, Meter(_LIMITS), _NoPatterns()))
                for key, value in table:
                    parser = ExpressionParser(Cursor(tokenize(value)), _no_subquery)
                    parameters[key] = evaluator.value(parser.expression(), {})
            elif text.startswith("executing query"):
                query = body
            elif query and (text.startswith(("the result", "a ", "no rows"))):
                return self._judge(graph, query, parameters, text, table)
        return "failed: nothing was expected"

    def _judge(
        self,
        graph: MemoryGraph,
        query: str,
        parameters: Mapping[str, Any],
        expectation: str,
        table: list[list[str]],
    ) -> str:
        reads = _only_reads(query)
        error = re.match(r"an? (\w+) should be raised at ([\w ]+): (\S+)", expectation)
        try:
            result = run_query(graph, query, parameters, _LIMITS)
        except CypherError as refusal:
            if not reads:
                return "out of scope"
            if error:
                same = error[3] in (refusal.detail, "*")
                return "passed" if same else f"failed: {refusal.detail}, expected {error[3]}"
            return f"refused: {refusal}"
        if error:
            return f"wrong: no error, expected {error[3]}"
        if not reads:
            return "wrong: a query that writes was run"
        rows = [tuple(map(canonical, row)) for row in result.rows]
        if expectation == "the result should be empty":
            return "passed" if not rows else f"wrong: {len(rows)} rows, expected none"
        wanted = [tuple(Expected(cell).value() for cell in row) for row in table[1:]]
        if list(result.columns) != table[0]:
            return f"wrong: columns {result.columns}, expected {table[0]}"
        if "ignoring element order" in expectation:
            rows = [tuple(map(_unordered, row)) for row in rows]
            wanted = [tuple(map(_unordered, row)) for row in wanted]
        equal = rows == wanted if "in order" in expectation else Counter(rows) == Counter(wanted)
        return "passed" if equal else f"wrong: {rows[:5]}, expected {wanted[:5]}"


def _only_reads(query: str) -> bool:
    try:
        tokens = tokenize(query)
    except CypherError:
        return True
    for before, token in zip((None, *tokens), tokens, strict=False):
        named = before is not None and before.text in (":", ".", "|")
        if token.keyword in _WRITES and not named:
            return False
    return True


def scenarios(folder: Path) -> Iterator[Scenario]:
    """The scenarios of all feature files, outlines expanded."""
    try:
        from gherkin.parser import Parser
        from gherkin.pickles.compiler import Compiler
    except ImportError:
        sys.exit("the package gherkin-official is missing: pip install gherkin-official")

    for path in sorted(folder.rglob("*.feature")):
        document: Any = Parser().parse(path.read_text(encoding="utf-8"))
        document["uri"] = str(path)
        area = str(path.relative_to(folder).parent).removeprefix("features/")
        for pickle in Compiler().compile(document):
            steps = []
            for step in pickle["steps"]:
                argument: Any = step.get("argument", {})
                rows = argument.get("dataTable", {}).get("rows", [])
                table = [[cell["value"] for cell in row["cells"]] for row in rows]
                steps.append(
                    (step["text"], argument.get("docString", {}).get("content", ""), table)
                )
            yield Scenario(area, pickle["name"], steps)


def share_passed(folder: Path) -> float:
    """The share of read-only scenarios outside `temporal` that pass."""
    total = _outside_temporal(_outcomes(folder, "", show=False))
    return total["passed"] / sum(total[kind] for kind in _KINDS[:4])


def _outcomes(folder: Path, only: str, *, show: bool) -> dict[str, Counter[str]]:
    graphs = {path.stem: path.read_text(encoding="utf-8") for path in folder.rglob("*.cypher")}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for scenario in scenarios(folder):
        if only not in scenario.area:
            continue
        try:
            outcome = scenario.outcome(graphs)
        except (ValueError, KeyError) as error:
            outcome = f"failed: {type(error).__name__} {error}"
        kind = outcome.split(":")[0]
        counts[scenario.area][kind] += 1
        if show and kind not in ("passed", "out of scope"):
            print(f"{scenario.area} | {scenario.name} | {outcome[:300]}")
    return counts


def _outside_temporal(counts: Mapping[str, Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for area, found in counts.items():
        if "temporal" not in area:
            total += found
    return total


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--failures", action="store_true", help="print what did not pass")
    parser.add_argument("--only", default="", help="only scenarios of areas with this text")
    options = parser.parse_args(arguments)
    counts = _outcomes(options.folder, options.only, show=options.failures)
    _show(counts)
    return 0


def _show(counts: Mapping[str, Counter[str]]) -> None:
    kinds = _KINDS
    print(f"{'area':<38}" + "".join(f"{kind:>14}" for kind in kinds))
    for area, found in sorted(counts.items()):
        print(f"{area:<38}" + "".join(f"{found[kind]:>14}" for kind in kinds))
    total = _outside_temporal(counts)
    read = sum(total[kind] for kind in kinds[:4])
    share = f"{100 * total['passed'] / read:.1f} %" if read else "-"
    print(f"{'all but temporal':<38}" + "".join(f"{total[kind]:>14}" for kind in kinds))
    print(f"read-only scenarios outside temporal that passed: {total['passed']} of {read}, {share}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
