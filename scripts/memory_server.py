"""Compare `remem serve --profile mcp-memory` with the MCP memory server, call by call.

Run by `make hosts`, which installs the server. Both get the same calls through the same client;
their texts, structured results and errors are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from remem.files.layout import Layout
from remem.setup.init import initialise

ANN = {"name": "Ann", "entityType": "person", "observations": ["speaks Thai", "likes tea"]}
ACME = {"name": "Acme Ltd", "entityType": "company", "observations": []}
LISBON = {"name": "里斯本", "entityType": "城市", "observations": ["在葡萄牙"]}
SHARP = {"name": "C#", "entityType": "language", "observations": ["compiles to IL: see docs"]}
WORKS = {"from": "Ann", "to": "Acme Ltd", "relationType": "works_at"}
LIVES = {"from": "Ann", "to": "里斯本", "relationType": "lives in"}
USES = {"from": "Acme Ltd", "to": "C#", "relationType": "uses"}
IS_A = {"from": "Ann", "to": "C#", "relationType": "is_a"}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_graph", {}),
    ("create_entities", {"entities": [ANN, ACME]}),
    ("create_entities", {"entities": [ACME, LISBON, SHARP]}),
    ("create_relations", {"relations": [WORKS, LIVES]}),
    ("create_relations", {"relations": [LIVES, USES, IS_A]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["owns a boat"]}]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["owns a boat"]}]}),
    ("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "thai"}),
    ("search_nodes", {"query": "LANGUAGE"}),
    ("search_nodes", {"query": "葡萄牙"}),
    ("search_nodes", {"query": "zzz"}),
    ("open_nodes", {"names": ["Ann", "里斯本"]}),
    ("open_nodes", {"names": ["Nobody"]}),
    ("open_nodes", {"names": []}),
    (
        "delete_observations",
        {"deletions": [{"entityName": "Ann", "observations": ["likes tea", "never said"]}]},
    ),
    ("delete_relations", {"relations": [LIVES]}),
    ("delete_relations", {"relations": [LIVES]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Acme Ltd", "Nobody"]}),
    ("read_graph", {}),
    ("create_entities", {"entities": [ACME]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["likes tea"]}]}),
    ("read_graph", {}),
]


async def answers(server: StdioServerParameters) -> list[tuple[bool, str, Any]]:
    """The answer to each call: whether it is an error, its text and its structured result."""
    found = []
    async with Client(server) as client:
        listed = (await client.list_tools()).tools
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            text = "".join(part.text for part in result.content if isinstance(part, TextContent))
            found.append((bool(result.is_error), text, result.structured_content))
    found.append((False, json.dumps(sorted(tool.name for tool in listed)), None))
    return found


def main(server: str) -> int:
    with tempfile.TemporaryDirectory(prefix="remem-memory-server-") as folder:
        file = Path(folder) / "memory.jsonl"
        theirs = StdioServerParameters(
            command=server, env={**os.environ, "MEMORY_FILE_PATH": str(file)}
        )
        ours = StdioServerParameters(
            command=sys.executable,
            args=["-m", "remem", "--workspace", folder, "serve", "--profile", "mcp-memory"],
        )
        initialise(Layout(Path(folder)))
        expected, given = anyio.run(answers, theirs), anyio.run(answers, ours)
    failures = 0
    for (name, arguments), theirs_, ours_ in zip(
        [*CALLS, ("tools/list", {})], expected, given, strict=True
    ):
        same = theirs_ == ours_
        failures += not same
        print(f"{'ok ' if same else 'NOT'} {name} {json.dumps(arguments, ensure_ascii=False)[:70]}")
        if not same:
            print(f"    server: {theirs_}\n    remem:  {ours_}")
    print(f"{len(expected) - failures} of {len(expected)} answers are equal")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="the command of the MCP memory server")
    sys.exit(main(parser.parse_args().server))
