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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remem.graph.cypher.check import check
from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.parser import parse
from remem.graph.cypher.run import run_query
from remem.graph.cypher.temporal import Duration, Moment
from remem.graph.cypher.tokens import tokenize
from remem.graph.cypher.values import Node, Relationship
from remem.graph.cypher.values import Path as GraphPath
from scripts.opencypher_graphs import LIMITS, Builder, value_of
from tests.memory_graph import MemoryGraph

_WRITES: Final = {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "CALL", "FOREACH"}
_KINDS: Final = ("passed", "refused", "failed", "wrong", "out of scope")


class Expected:
    """Reads the values of an expected table, in the notation of the kit."""

    def __init__(self, text: str) -> None:
        self._cursor = Cursor(tokenize(text))

    def value(self) -> Any:
        cursor = self._cursor
        token = cursor.token
        if cursor.take_symbol("-"):
            kind, number = self.value()
            return (kind, -number)
        if token.kind in ("integer", "float"):
            return (token.kind, cursor.advance().value)
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
            return ("float", numbers[word])
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
            return ("float", "NaN")
        case int():
            return ("integer", value)
        case float():
            return ("float", value)
        case str() | Moment() | Duration():
            return ("string", str(value))
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
                parameters.update((key, value_of(value)) for key, value in table)
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
            result = run_query(graph, query, parameters, LIMITS)
        except CypherError as refusal:
            if not reads:
                return "out of scope"
            if error:
                return _judge_error(refusal, query, parameters, error.groups())
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


def _judge_error(
    refusal: CypherError, query: str, parameters: Mapping[str, Any], wanted: Sequence[str]
) -> str:
    """Compare the kind of an error, when it is raised, and its detail."""
    try:
        check(parse(query), parameters)
        when = "runtime"
    except CypherError:
        when = "compile time"
    kind, time, detail = wanted
    same_kind, same_detail = refusal.kind == kind, detail in (refusal.detail, "*")
    if same_kind and same_detail and time in (when, "any time"):
        return "passed"
    found = f"{refusal.kind} at {when}: {refusal.detail}"
    return f"failed: {found}, expected {kind} at {time}: {detail}"


def _only_reads(query: str) -> bool:
    try:
        tokens = tokenize(query)
    except CypherError:
        return True
    for before, token, after in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False):
        named = before is not None and before.text in (":", ".", "|", "AS")
        named = named or (after is not None and after.text == ":")
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
        except CypherError as refusal:  # its graph has values that are not supported
            outcome = f"refused: {refusal}"
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
