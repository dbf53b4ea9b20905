"""Queries that try to leave the graph: to write, read files, run code, use up time or memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

Query = tuple[str, dict[str, Any]]

WRITES: Final = (
    "CREATE (n:X {name: 'x'})",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) SET n.name = 'x'",
    "MATCH (n) SET n:Owner",
    "MATCH (n) SET n += {trust: 'owner'}",
    "MATCH (n) REMOVE n.name",
    "MERGE (n:X) RETURN n",
    "MERGE (n:X) ON CREATE SET n.a = 1",
    "FOREACH (x IN [1] | CREATE (:X))",
    "DROP INDEX x",
    "CREATE INDEX x FOR (n:X) ON (n.name)",
    "CREATE CONSTRAINT c FOR (n:X) REQUIRE n.a IS UNIQUE",
    "START n=node(*) RETURN n",
    "GRANT ROLE admin TO x",
    "SHOW DATABASES",
    "USE system RETURN 1",
    "TERMINATE TRANSACTIONS '1'",
)
FILES: Final = (
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LOAD CSV WITH HEADERS FROM '{path}' AS l RETURN l",
    "LOAD FROM '{path}' RETURN *",
    "COPY (MATCH (n) RETURN n) TO '{path}'",
    "EXPORT DATABASE '{path}'",
    "IMPORT DATABASE '{path}'",
    "ATTACH '{path}' AS x",
    "INSTALL httpfs",
    "CALL apoc.load.json('file://{path}')",
    "CALL apoc.export.csv.all('{path}', {{}})",
    "CALL dbms.listConfig() YIELD name RETURN name",
    "CALL db.labels()",
    "CALL {{ CREATE (:X) }} RETURN 1",
    "CALL apoc.cypher.run('CREATE (:X)', {{}}) YIELD value RETURN value",
    "RETURN apoc.text.join(['a'], ',')",
    "RETURN load_extension('{path}')",
    "RETURN readfile('{path}')",
    "RETURN file('{path}')",
    "RETURN open('{path}')",
    "RETURN __import__('os').system('touch {path}')",
)
PATHS: Final = ("/etc/passwd", "/etc/shadow", "../../.remem/config.toml", "~/.ssh/id_rsa", "x\x00y")
BREAKOUTS: Final = (
    "'}}) CREATE (:X) //",
    "' OR 1=1 //",
    "x'; DROP TABLE entries; --",
    "x'}}) RETURN n UNION MATCH (m) DETACH DELETE m //",
    "` DETACH DELETE n //",
    "`:Owner",
    "\\u0027 OR true",
    "x) DETACH DELETE (n",
    "]]; MATCH (n) DELETE n; [[",
    "$name",
    "{{}}",
    "\u202e// DELETE n",
    "ＤＥＬＥＴＥ n",
    "ⅭALL db.labels()",
    "a\u0000b",
    "\ud800",
    "${{jndi:ldap://127.0.0.1/a}}",
    "{{{{7*7}}}}",
    "%s%n%x",
    "\u0130\u0131",
)
PLACES: Final = (
    "MATCH (n {{name: '{}'}}) RETURN n",
    "MATCH (n:`{}`) RETURN n",
    "MATCH (n)-[r:`{}`]->(m) RETURN r",
    "MATCH (n) WHERE n.name = '{}' RETURN n",
    "MATCH (n) WHERE n.`{}` = 1 RETURN n",
    "MATCH (n) RETURN n AS `{}`",
    "RETURN '{}'",
    'RETURN "{}"',
    "/* {} */ RETURN 1",
    "RETURN 1 // {}",
    "WITH '{}' AS x RETURN x",
    "MATCH (n) RETURN n ORDER BY '{}'",
    "RETURN {{`{}`: 1}}",
)
RUNAWAYS: Final = (
    "UNWIND range(1, 100000000) AS x RETURN count(x)",
    "RETURN size(range(1, 200000000))",
    "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN sum(a * b)",
    "MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)",
    "MATCH (a), (b), (c), (d) WHERE a.name + b.name = c.name + d.name RETURN count(*)",
    "MATCH p = (a)-[*1..30]-(b) RETURN count(p)",
    "MATCH p = (a)-[*]-(b) RETURN p",
    "MATCH (a)-[*0..30]-(a) RETURN count(*)",
    "MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) RETURN count(*)",
    "MATCH p = (a)-[*1..20]-(b) WHERE all(n IN nodes(p) WHERE n.name > 'x') RETURN p LIMIT 1",
    "RETURN [a IN range(1, 3000) | [b IN range(1, 3000) | a * b]]",
    "RETURN reduce(s = '', x IN range(1, 100000) | s + 'aaaaaaaaaaaaaaaa')",
    "WITH 'a' AS s UNWIND range(1, 40) AS i WITH s + s AS s RETURN size(s)",
    "RETURN [x IN range(1, 1000000) WHERE x % 7 = 0 | toString(x)]",
    "MATCH (n) WITH collect(n) AS ns UNWIND ns AS a UNWIND ns AS b UNWIND ns AS c RETURN a, b, c",
    "MATCH (a) OPTIONAL MATCH (a)-[*1..12]-(b) RETURN a, collect(b)",
    "UNWIND range(1, 1000000) AS x RETURN x ORDER BY -x SKIP 999999",
    "MATCH (a), (b) RETURN DISTINCT a.name + b.name ORDER BY a.name + b.name",
    "RETURN 2 ^ 100000",
    "RETURN 9223372036854775807 + 1",
    "RETURN 1 / 0",
    "RETURN range(1, 10, 0)",
    "RETURN split('a', '')",
    "RETURN substring('a', 0, 9223372036854775807)",
    "RETURN replace('" + "a" * 2000 + "', 'a', '" + "b" * 2000 + "')",
    "MATCH (n) WHERE EXISTS { MATCH (n)-[*1..10]-(m)-[*1..10]-(o) } RETURN count(n)",
    "UNWIND [1] AS x " + "UNWIND range(1, 10) AS x1 " * 9 + "RETURN count(*)",
    "MATCH (n) RETURN [(n)-[*1..8]-(m) | m.name]",
)
EXPENSIVE: Final = (
    *("{} = {}", "{} < {}", "{} IN [{}]", "-1 IN {}", "CASE {} WHEN {} THEN 1 END", "{}[1..]"),
    *("max({})", "collect(DISTINCT {})", "reverse({})", "[x IN {} | x]", "{a: {}} = {a: {}}"),
)
"""Expressions that read all of a value, which is a long list, or a list of lists."""
_LONG: Final = "WITH range(1, 100000) AS l UNWIND range(1, 1000) AS i "
_FOLDED: Final = "WITH reduce(l = [1], x IN range(1, 45) | [l, l]) AS l UNWIND [1, 2] AS i "
WRONG_PARAMETERS: Final[tuple[Query, ...]] = (
    ("MATCH (n {name: $name}) RETURN n", {}),
    ("MATCH (n {name: $name}) RETURN n", {"name": {"$ne": None}}),
    ("MATCH (n {name: $name}) RETURN n", {"name": ["x"] * 10_000}),
    ("MATCH (n) WHERE n.name IN $names RETURN n", {"names": "not a list"}),
    ("MATCH (n $props) RETURN n", {"props": {"name": "x"}}),
    ("MATCH (n:$label) RETURN n", {"label": "Memory"}),
    ("RETURN $a.b.c.d", {"a": {"b": None}}),
    ("RETURN $x LIMIT $n", {"x": 1, "n": -1}),
    ("RETURN $x SKIP $n", {"x": 1, "n": "1"}),
    ("UNWIND $x AS y RETURN y", {"x": list(range(100_000))}),
    ("RETURN $`a``b`", {"a`b": 1}),
)


def hostile_queries() -> Iterator[Query]:
    """Every query with its parameters, in a fixed order."""
    for query in WRITES:
        for form in ("{}", "MATCH (m) WITH m {}", "RETURN 1 UNION {}", "{}; RETURN 1", "/**/{}"):
            yield form.format(query), {}
        yield query.lower(), {}
        yield query.replace(" ", "\u00a0"), {}
    for query in FILES:
        for path in PATHS:
            yield query.format(path=path), {}
    for breakout in BREAKOUTS:
        text = breakout.replace("{{", "{").replace("}}", "}")
        for place in PLACES:
            yield place.format(text), {}
        yield "MATCH (n {name: $x}) RETURN n", {"x": text}
    for query in RUNAWAYS:
        yield query, {}
    yield from _expensive()
    yield from WRONG_PARAMETERS
    yield from _nested()


def _expensive() -> Iterator[Query]:
    """Yield queries with few steps, each of which reads a value with very many items."""
    for values in (_LONG, _FOLDED):
        for expression in EXPENSIVE:
            yield f"{values}WITH {expression.replace('{}', 'l')} AS v RETURN count(v)", {}
        yield f"{values}RETURN DISTINCT l", {}
        yield f"{values}RETURN l, count(*)", {}
        yield f"{values}RETURN l ORDER BY l LIMIT 1", {}
        yield f"{values}RETURN l UNION {values}RETURN l", {}
        yield f"{values}MATCH (n {{name: l}}) RETURN n", {}
    for call in ("toUpper(s)", "replace(s, 'a', 'bb')", "split(s, 'a')", "reverse(s)", "s + s"):
        text = "WITH reduce(s = 'ab', x IN range(1, 18) | s + s) AS s UNWIND range(1, 100000) AS i "
        yield f"{text}RETURN count({call})", {}


def _nested() -> Iterator[Query]:
    """Yield texts that are very long or very deep."""
    for depth in (100, 5_000, 100_000):
        yield "RETURN " + "(" * depth + "1" + ")" * depth, {}
        yield "RETURN " + "[" * depth + "]" * depth, {}
        yield "RETURN " + "not " * depth + "true", {}
        yield "RETURN " + "-" * depth + "1", {}
        yield "RETURN " + "{a: " * depth + "1" + "}" * depth, {}
        yield "RETURN 1" + " + 1" * depth, {}
        yield "MATCH " + ", ".join(["(n)"] * depth) + " RETURN 1", {}
        yield "RETURN 1" + " UNION RETURN 1" * depth, {}
        yield "RETURN CASE " + "WHEN true THEN CASE " * depth + "END", {}
        yield "MATCH (n)" + "-[]-()" * depth + " RETURN n", {}
        yield "RETURN '" + "\\" * depth, {}
        yield "RETURN " + "a." * depth + "b", {}
    for junk in (
        "",
        " ",
        ";",
        "\x00",
        "\ufeffRETURN 1",
        "RETURN",
        "MATCH",
        "'",
        '"',
        "`",
        "/*",
        "//",
    ):
        yield junk, {}
