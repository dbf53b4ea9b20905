"""Test remem with a real Bolt server and the official Neo4j driver.

python scripts/graph_server.py PYTHON

PYTHON is an interpreter with `arcadedb-embedded`; `make hosts` installs it in an environment of its
own. The server runs in a separate process, on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from neo4j import GraphDatabase

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import RememError
from remem.graph.cypher.failures import LimitReached

_DATABASE, _PASSWORD = "memory", "correct-horse-battery"
_SERVER = """
import os, sys
import arcadedb_embedded
server = arcadedb_embedded.create_server(
    sys.argv[1],
    root_password=sys.argv[3],
    config={
        "http_port": int(sys.argv[4]),
        "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "bolt_port": int(sys.argv[2]),
    },
)
server.start()
server.create_database(sys.argv[5])
print("READY", flush=True)
sys.stdin.read()
os._exit(0)  # the JVM may crash while it shuts down
"""
_RUNAWAY = "MATCH (a), (b), (c), (d) WHERE a.name + b.name = c.name + d.name RETURN count(*)"
_ROWS = "MATCH (a)-[r]->(b) RETURN a.name, type(r), b.name ORDER BY a.name, type(r), b.name"


@contextmanager
def bolt_server(python: str, folder: Path) -> Iterator[str]:
    """Run a server in a process of its own; yields its URL."""
    port, http = free_port(), free_port()
    arguments = [str(folder), str(port), _PASSWORD, str(http), _DATABASE]
    with (folder.parent / "server.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603
            [python, "-c", _SERVER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folder.parent,
        )
        try:
            assert process.stdout is not None
            if not any("READY" in line for line in process.stdout):
                raise SystemExit((folder.parent / "server.log").read_text()[-2000:])
            yield f"bolt://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _relations(memory: Workspace) -> list[list[Any]]:
    """Return all relations; a busy machine may need several attempts within the time limit."""
    for _ in range(20):
        with suppress(LimitReached):
            return [list(row) for row in memory.graph.query(_ROWS, token_budget=1_000_000).rows]
    raise SystemExit("the machine is too busy to read 800 relations in a second")


def run_story(url: str, root: Path) -> list[tuple[bool, str]]:
    """Copy a memory to the server, change it, copy it again, and ask the server."""
    credentials = {"NEO4J_USERNAME": "root", "NEO4J_PASSWORD": _PASSWORD}
    os.environ.update(credentials | {"NEO4J_DATABASE": _DATABASE})
    driver = GraphDatabase.driver(url, auth=("root", _PASSWORD))

    def ask(query: str, **parameters: Any) -> list[list[Any]]:
        with driver.session(database=_DATABASE) as session:
            return [list(row) for row in session.run(query, parameters)]

    def sync(*line: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "remem", "--workspace", str(root), "graph", "sync"]
        done = subprocess.run([*command, *line], capture_output=True, text=True, check=True)  # noqa: S603
        return dict(json.loads(done.stdout))

    ask("CREATE (:Foreign {name: 'not ours', since: localdatetime('2026-02-03T09:30:00')})")
    statements = [
        {"subject": f"Ann {n}", "relation": "works at", "object": f"Acme {n % 40}"}
        for n in range(400)
    ]
    (root / ".remem").mkdir(parents=True)
    (root / ".remem" / "config.toml").write_text('embedder = "none"\n')
    with open_workspace(root) as memory:
        kept = memory.graph.ingest(statements).kept
        expected = _relations(memory)
    first, second = sync(url, "--json"), sync(url, "--json")
    ours = "MATCH (a:Remem)-[r]->(b:Remem) RETURN a.name, type(r), b.name"
    checks = [
        (first["written"] > 800, f"the first copy writes everything: {first}"),
        (second["written"] == second["removed"] == 0, f"the second writes nothing: {second}"),
        (sorted(ask(ours)) == sorted(expected), f"all {len(expected)} relationships are equal"),
    ]
    with open_workspace(root) as memory:
        memory.forget(kept[0].id)
        memory.graph.ingest([{"subject": "Bo`x", "relation": "likes", "object": "O'Hara \\ `"}])
        expected = _relations(memory)
    with driver.session(database=_DATABASE) as session:  # as if a copy had been killed
        session.run("MATCH (n:Remem) WHERE n.name STARTS WITH 'Ann 3' DETACH DELETE n").consume()
    third = sync(url, "--json")
    checks += [
        (third["removed"] > 0 and third["written"] > 100, f"the third repairs the copy: {third}"),
        (sorted(ask(ours)) == sorted(expected), "and is equal again"),
        (ask("MATCH (n:Foreign) RETURN n.name") == [["not ours"]], "foreign nodes are untouched"),
    ]
    driver.close()
    (root / ".remem" / "config.toml").write_text(f'embedder = "none"\ngraph = "{url}"\n')
    return [*checks, *query_checks(root)]


def query_checks(root: Path) -> list[tuple[bool, str]]:
    works = "MATCH (a {name: $name})-[:WORKS_AT]->(c) RETURN c.name"
    with open_workspace(root, trust="agent") as memory:
        found = memory.graph.query(works, {"name": "Ann 7"}).rows
        node = memory.graph.query("MATCH (a {name: 'Ann 7'}) RETURN a").rows[0][0]
        dated = memory.graph.query("MATCH (a:Foreign) RETURN a, [a.since]").rows[0]
        schema = memory.graph.query("").rows
        refused = [
            failure(lambda query=query: memory.graph.query(query))  # type: ignore[misc]
            for query in ("CREATE (:X)", "MATCH (n) DETACH DELETE n", "CALL db.labels()")
        ]
        runaway = failure(lambda: memory.graph.query(_RUNAWAY))
        past = failure(lambda: memory.graph.query(works, {"name": "x"}, as_of="2020-01-01"))
        after = memory.graph.query("MATCH (n:X) RETURN n").rows
    os.environ["NEO4J_PASSWORD"] = "a wrong one"  # noqa: S105
    with open_workspace(root) as memory:
        wrong = failure(lambda: memory.graph.query(works, {"name": "x"}))
    with open_workspace(root, "agent:main:telegram:direct:77", trust="agent") as peer:
        others = peer.graph.query("MATCH (n) RETURN count(n)").rows
    os.environ["NEO4J_PASSWORD"] = _PASSWORD
    (root / ".remem" / "config.toml").write_text('graph = "bolt://127.0.0.1:1"\n')
    with open_workspace(root) as memory:
        down = failure(lambda: memory.graph.query(works, {"name": "x"}))
    return [
        (found == (("Acme 7",),), "the tool's query is answered by the server"),
        (node["name"] == "Ann 7", "a node comes back with its properties"),
        (
            dated[0]["since"] == dated[1][0] and dated[1][0].startswith("2026-02-03T09:30:00"),
            f"times are texts, also in a node: {dated}",
        ),
        (("type", "WORKS_AT", 399) in schema, "an empty query lists labels and types"),
        (all(refused) and after == (), "writes and calls are refused before they are sent"),
        ("longer than 1 seconds" in runaway, f"a runaway query is stopped: {runaway}"),
        ("as_of" in past, "as_of is refused with a reason"),
        ("NEO4J_PASSWORD" in wrong and "a wrong one" not in wrong, f"wrong password: {wrong}"),
        (others == ((0,),), "another person's chat asks its own graph, never the server"),
        ("cannot be used" in down, f"no server: {down}"),
    ]


def failure(run: Any) -> str:
    try:
        run()
    except RememError as error:
        return str(error)
    return ""


def main(python: str) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="remem-graph-server-") as folder,
        bolt_server(python, Path(folder) / "server") as url,
    ):
        checks = run_story(url, Path(folder) / "workspace")
    for ok, claim in checks:
        print(f"{'ok ' if ok else 'NOT'} {claim}")
    return 0 if all(ok for ok, _ in checks) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="an interpreter with arcadedb-embedded")
    sys.exit(main(parser.parse_args().python))
