"""The rules of openCypher that are easy to get wrong: null, types, names, aggregates, paths."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from scripts.opencypher_graphs import Builder
from tests.memory_graph import MemoryGraph
from tests.tables import each_row

LIMITS = Limits(seconds=20)
TREE = (
    "CREATE (a:A {name: 'a'})-[:LIKES {at: 1}]->(b:B {name: 'b'}) "
    "CREATE (b)-[:LIKES {at: 2}]->(:C {name: 'c'})"
)
CHAIN = (
    "UNWIND range(0, 21) AS i CREATE (n {at: i}) WITH collect(n) AS all UNWIND range(0, 20) AS i "
    "WITH all[i] AS one, all[i + 1] AS next CREATE (one)-[:T]->(next)"
)


def rows(query: str, built_by: str = "", **parameters: Any) -> list[tuple[Any, ...]]:
    graph = MemoryGraph()
    Builder(graph).run(built_by)
    return list(run_query(graph, query, parameters, LIMITS).rows)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[1, null] = [1, 2]", None),
        ("[1, null] = [2, null]", False),
        ("{a: null} = {a: null}", None),
        ("null IN []", False),
        ("3 IN [1, null]", None),
        ("[1, 2] < [1, 3]", True),
        ("1 < 'a'", None),
        ("0.0 / 0.0 <> 0.0 / 0.0", True),
        ("[1, 2, 3][-5..2]", [1, 2]),
        ("[1, 2, 3][3..1]", []),
        ("[1, 2, 3][1..null]", None),
        ("[[1]] + [5, [6, 7], 8][1..2]", [[1], [6, 7]]),
        ("[1] + 2 IN [[1, 2]] + [3]", True),
        ("-3 ^ 2", 9.0),
        ("4 ^ 3 ^ 2", 4096.0),
        ("12 / 4 * 3 - 2 * 4", 1),
        ("-7 % 3", -1),
        ("true OR true XOR true", True),
        ("NOT true = false", True),
        ("1 < 2 = 2", True),
        ("null IS NULL = true", True),
        ("CASE null WHEN null THEN 1 ELSE 2 END", 2),
        ("toInteger('1_000')", None),
        ("toInteger('9007199254740993')", 9007199254740993),
        ("round(1.5, null)", None),
        ("round(0.125, 2)", 0.13),
        ("round(exp(1000)) = exp(1000)", True),
        ("toString(exp(1000))", "Infinity"),
        ("toString(log(0))", "-Infinity"),
        ("toString(log(-1))", "NaN"),
        ("ceil(1.2)", 2.0),
        ("atan2(1, null)", None),
        ("size(range(0, 299999, 3))", 100_000),
        ("right('abc', 0)", ""),
        ("left('abc', null)", None),
        ("toInteger('1.7')", 1),
        ("toFloat('nan')", None),
        ("toBoolean('t')", None),
        ("round(-2.5)", -2.0),
        ("range(5, 1, -2)", [5, 3, 1]),
        ("-0x8000000000000000", -(2**63)),
        ("1 STARTS WITH 'a'", None),
        ("log(0)", -math.inf),
        ("isEmpty([]) AND NOT isNaN(1.0)", True),
        ("nullIf(2, 2.0)", None),
        ("cot(0)", math.inf),
    ],
)
def test_an_expression_has_the_value_of_opencypher(expression: str, expected: object) -> None:
    assert rows(f"RETURN {expression} AS x") == [(expected,)]


@pytest.mark.parametrize(
    ("built_by", "query", "expected"),
    [
        ("", "UNWIND range(1000000, 2000000) AS i WITH i LIMIT 3000 RETURN sum(i)",
         [(3004498500,)]),
        ("", "UNWIND [1, 'a', null, [1, 2], 0.2] AS x RETURN max(x), min(x)", [(1, [1, 2])]),
        ("", "UNWIND [null, 1, null] AS x RETURN collect(DISTINCT x), count(DISTINCT x)",
         [([1], 1)]),
        ("", "UNWIND [[], [1, 'a'], [1, null], ['a'], [1]] AS l WITH l ORDER BY l RETURN l",
         [([],), (["a"],), ([1],), ([1, "a"],), ([1, None],)]),
        ("", "RETURN 1 AS a, 2 AS b UNION RETURN 2 AS b, 3 AS a", [(1, 2), (3, 2)]),
        ("UNWIND [10, 20, 30] AS x CREATE ({price: x})",
         "MATCH (n) RETURN percentileDisc(n.price, 0.5), percentileCont(n.price, 0.25)",
         [(20, 15.0)]),
        (TREE, "MATCH (a:A)-[:LIKES*0]->(x) RETURN x.name", [("a",)]),
        (TREE, "MATCH (a:A)-[:LIKES*2..1]->(x) RETURN x.name", []),
        (TREE, "MATCH (a:A)-[:LIKES*..]->(x) RETURN x.name", [("b",), ("c",)]),
        (TREE, "MATCH (x)-[:LIKES* {at: 2}]->(y) RETURN x.name", [("b",)]),
        (TREE, "MATCH (a)-[r*2]-(c:C) RETURN [one IN r | one.at]", [([1, 2],)]),
        (TREE, "MATCH ()-[r]->()-[s]->() WITH [r, s] AS rs MATCH (x)-[rs*]->(y) "
         "RETURN x.name, y.name", [("a", "c")]),
        (TREE, "MATCH p = (b:B)<--(a) RETURN [n IN nodes(p) | n.name]", [(["b", "a"],)]),
        (TREE, "MATCH (n) WHERE exists { (n)-->(m) WHERE m.name = 'c' } RETURN n.name", [("b",)]),
        (TREE, "MATCH (n)-[r]->(m) RETURN n.name, n.name + count(m) AS x",
         [("a", "a1"), ("b", "b1")]),
        (TREE, "MATCH (a:A) OPTIONAL MATCH p = (a)-[r:NO*]->(x) RETURN r, x, p",
         [(None, None, None)]),
        (CHAIN, "MATCH ({at: 0})-[:T*]->(x {at: 21}) RETURN x.at", [(21,)]),
        ("CREATE (a)-[:T]->(a)", "MATCH (a)--(b) RETURN count(*)", [(1,)]),
        (TREE, "MATCH (a)-[r {at: size(a.name)}]->(b) RETURN b.name", [("b",)]),
        (TREE, "MATCH (x {name: y.name}), (y:C) RETURN x.name", [("c",)]),
        (TREE, "MATCH ({name: 'b'})-[* {at: size(x.name) + 1}]->(x) WITH * RETURN x.name",
         [("c",)]),
        (TREE, "OPTIONAL MATCH (x)-->(y {name: x.name}) RETURN *", [(None, None)]),
        (TREE, "MATCH (n:A) RETURN [(n)-->(m)-->({name: m.name}) | m.name]", [([],)]),
        (TREE, "MATCH (n) WITH n, count(*) AS c WHERE any(x IN [c] WHERE x = 1) AND n.name = 'a' "
         "RETURN c", [(1,)]),
    ],
)  # fmt: skip
def test_a_query_has_the_rows_of_opencypher(
    built_by: str, query: str, expected: list[tuple[Any, ...]]
) -> None:
    assert rows(query, built_by) == expected


@pytest.mark.parametrize(
    ("query", "kind", "detail"),
    [
        ("MATCH (a)-[:T..]->(b) RETURN b", "SyntaxError", "InvalidRelationshipPattern"),
        ("MATCH (a)-[:T*-2]->(b) RETURN b", "SyntaxError", "InvalidRelationshipPattern"),
        ("MATCH (p)--() MATCH p = ()--() RETURN p", "SyntaxError", "VariableAlreadyBound"),
        ("WITH {x: []} AS r MATCH ()-[r]-() RETURN r", "SyntaxError", "VariableTypeConflict"),
        ("MATCH (a)-[r]->()-[r]->(a) RETURN r", "SyntaxError", "RelationshipUniquenessViolation"),
        ("MATCH p = ()-[*]->() WHERE p.x = 1 RETURN p", "SyntaxError", "InvalidArgumentType"),
        ("MATCH (n) WHERE (n)-[r]->() RETURN n", "SyntaxError", "UndefinedVariable"),
        ("MATCH (n) RETURN DISTINCT n.name ORDER BY n.age", "SyntaxError", "UndefinedVariable"),
        ("MATCH (n) RETURN n.a ORDER BY max(n.b)", "SyntaxError", "InvalidAggregation"),
        ("MATCH (a)--(b) RETURN b.x, a.x + count(b.x)", "SyntaxError",
         "AmbiguousAggregationExpression"),
        ("MATCH (n) RETURN n LIMIT n.x", "SyntaxError", "NonConstantExpression"),
        ("RETURN [x IN [1] | count(*)]", "SyntaxError", "InvalidAggregation"),
        ("RETURN none(x IN ['a'] WHERE x % 2 = 0)", "SyntaxError", "InvalidArgumentType"),
        ("RETURN {a: 1,}", "SyntaxError", "UnexpectedSyntax"),
        ("MATCH (n) RETURN [(n)-->()]", "SyntaxError", "UnexpectedSyntax"),
        ("MATCH (n) RETURN n.a = (n)-->()", "SyntaxError", "UnexpectedSyntax"),
        ("RETURN 0x1g", "SyntaxError", "InvalidNumberLiteral"),
        ("RETURN 9223372036854775808", "SyntaxError", "IntegerOverflow"),
        ("RETURN 1.0E999", "SyntaxError", "FloatingPointOverflow"),
        ("UNWIND [1.1] AS p RETURN percentileCont(1, p)", "ArgumentError", "NumberOutOfRange"),
        ("WITH true AS x RETURN toFloat(x)", "TypeError", "InvalidArgumentValue"),
        ("RETURN 1 / 0", "ArithmeticError", "DivideByZero"),
        ("MATCH (n) WITH n.a AS a, count(*) AS c WHERE n.b = 1 RETURN a", "SyntaxError",
         "UndefinedVariable"),
        ("MATCH (n) WITH DISTINCT n.a AS a WHERE n.b = 1 RETURN a", "SyntaxError",
         "UndefinedVariable"),
        ("MATCH (n) RETURN n.a, sum(n.b) ORDER BY max(n.b)", "SyntaxError", "UndefinedVariable"),
        ("MATCH (n) RETURN n.a AS x, sum(n.b) ORDER BY max(x)", "SyntaxError",
         "InvalidAggregation"),
        ("RETURN 1 AS x LIMIT count(*)", "SyntaxError", "NonConstantExpression"),
        ("MATCH ({name: max(1)}) RETURN 1", "SyntaxError", "InvalidAggregation"),
        ("UNWIND [1] AS r MATCH ()-[r]->() RETURN r", "TypeError", "InvalidArgumentType"),
        ("UNWIND [1] AS n MATCH (n) RETURN n", "TypeError", "InvalidArgumentType"),
        ("RETURN [1, 2][[]..]", "TypeError", "InvalidArgumentType"),
        ("MATCH p = shortestPath((a)-[*]-(b)) RETURN p", "SyntaxError", "UnexpectedSyntax"),
    ],
)  # fmt: skip
def test_a_wrong_query_is_refused_for_the_right_reason(query: str, kind: str, detail: str) -> None:
    with pytest.raises(CypherError) as refused:
        rows(query)
    assert (refused.value.kind, refused.value.detail) == (kind, detail)


@pytest.mark.parametrize("text", ["[" * 40 + "]" * 40, "{a: " * 40 + "1" + "}" * 40])
def test_forty_levels_of_nesting_are_answered(text: str) -> None:
    assert len(rows(f"RETURN {text} AS x")) == 1


def test_an_error_in_an_aggregate_names_its_position() -> None:
    for query in (
        "UNWIND [1, 'two'] AS x RETURN sum(x)",
        "UNWIND [1] AS x RETURN percentileCont(x, 2)",
    ):
        position = query.index("RETURN ") + len("RETURN ") + 1
        with pytest.raises(CypherError, match=rf"at character {position}$"):
            rows(query)


@each_row(
    ("expression", "message"),
    [
        ("round(1.5, 'x')", "round() takes a number"),
        ("round(1.5, 400)", "round() takes 0 to 300 digits"),
        ("ceil('x')", "ceil() takes a number"),
        ("atan2('a', 1)", "atan2() takes a number"),
        ("substring('abc', 0, 'x')", "substring() takes integers from 0"),
        ("replace('a', 1, 'b')", "replace() takes a string"),
        ("toUpper(1)", "toUpper() takes a string"),
        ("keys(5)", "keys() takes a node"),
        ("size(range(0, 300000, 3))", "range() would have 100,001 items"),
    ],
)
def test_a_wrong_argument_is_an_error_that_names_the_function(
    expression: str, message: str
) -> None:
    with pytest.raises(CypherError, match=re.escape(message)):
        rows(f"RETURN {expression}")
