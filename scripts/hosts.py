"""Test `remem serve` with a third-party client: the command line of the MCP inspector.

Run by `make hosts`, which installs it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from remem.files.layout import Layout
from remem.setup.init import initialise

REMEM = [sys.executable, "-m", "remem"]
_TRIES = 5


def main(inspector: str) -> int:
    with tempfile.TemporaryDirectory(prefix="remem-hosts-") as folder:
        client = [*inspector.split(), "--cli"]
        checks = [
            *run_story(client, Path(folder) / "one"),
            *run_token_story(client, Path(folder) / "several"),
        ]
    for ok, claim in checks:
        print(f"{'ok ' if ok else 'NOT'} {claim}")
    return 0 if all(ok for ok, _ in checks) else 1


def run_story(inspector: list[str], workspace: Path) -> list[tuple[bool, str]]:
    initialise(Layout(workspace))
    ask = partial(asked, [*inspector, *REMEM, "--workspace", str(workspace), "serve"])
    tools = ask("tools/list").get("tools", [])
    names = {tool["name"] for tool in tools}
    stored = ask(
        "tools/call",
        tool="memory_store",
        category="preference",
        content="David drinks his coffee black.",
        tags='["coffee"]',
    )
    recalled = ask("tools/call", tool="memory_recall", query="how does David like his coffee")
    refused = ask("tools/call", tool="memory_store", category="rumour", content="x")
    status = ask("tools/call", tool="memory_index_status")
    index = ask("resources/read", uri="remem://index")
    return [
        ({"memory_store", "memory_recall", "memory_index_status"} <= names, "it lists the tools"),
        (all("outputSchema" in tool for tool in tools), "each tool has an output schema"),
        (all("annotations" in tool for tool in tools), "each tool has annotations"),
        (stored.get("structuredContent", {}).get("stored") is True, "it stores a memory"),
        ("black" in json.dumps(recalled.get("structuredContent")), "it finds it again"),
        (refused.get("isError") is True, "a bad category is a tool error"),
        (_entries(status) == 1, "the status counts one entry"),
        ("# Memory Index" in json.dumps(index), "it reads the index"),
    ]


def run_token_story(inspector: list[str], workspace: Path) -> list[tuple[bool, str]]:
    """One server for several chats: what a call sees is decided by its token."""
    remem = [*REMEM, "--workspace", str(workspace)]
    own, other = "telegram:direct:77", "telegram:direct:78"

    def run(*line: str) -> str:
        done = subprocess.run([*remem, *line], check=True, capture_output=True, text=True)  # noqa: S603
        return done.stdout.strip()

    run("init", str(workspace))
    tokens = {
        key: json.loads(run("token", "issue", "--session", f"agent:main:{key}", "--json"))["token"]
        for key in (own, other)
    }
    ask = partial(asked, [*inspector, *remem, "serve", "--tokens"])
    tools = ask("tools/list").get("tools", [])
    required = [tool["inputSchema"].get("required", []) for tool in tools]
    memory = {"category": "fact", "content": "The gate is red."}
    stored = ask("tools/call", tool="memory_store", **memory, session_token=tokens[own])
    asked_for = {"tool": "memory_recall", "query": "the gate"}
    found = ask("tools/call", **asked_for, session_token=tokens[own])
    others = ask("tools/call", **asked_for, session_token=tokens[other])
    forged = ask("tools/call", **asked_for, session_token="rmt_forged")  # noqa: S106
    run("token", "revoke", "--session", f"agent:main:{own}")
    revoked = ask("tools/call", **asked_for, session_token=tokens[own])
    return [
        (
            bool(tools) and all("session_token" in names for names in required),
            "each asks for a token",
        ),
        (stored.get("structuredContent", {}).get("stored") is True, "a token stores a memory"),
        ("red" in json.dumps(found.get("structuredContent")), "and finds it in another process"),
        (others.get("structuredContent", {}).get("entries") == [], "another token finds nothing"),
        (
            forged.get("isError") is True and forged == revoked,
            "forged and revoked are refused alike",
        ),
    ]


def asked(server: list[str], method: str, **arguments: object) -> dict[str, Any]:
    """What a new server answers to one request of a new client.

    The client gives up on a server that a busy machine starts too slowly; it is asked again then.
    """
    command = [*server, "--method", method]
    if "tool" in arguments:
        command += ["--tool-name", str(arguments.pop("tool"))]
    if "uri" in arguments:
        command += ["--uri", str(arguments.pop("uri"))]
    for name, value in arguments.items():
        command += ["--tool-arg", f"{name}={value}"]
    for _ in range(_TRIES):
        done = subprocess.run(  # noqa: S603 - the inspector that make has installed
            command, check=False, capture_output=True, text=True
        )
        if "Request timed out" not in done.stdout + done.stderr:
            break
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        return {}
    return dict(json.loads(done.stdout))


def _entries(status: dict[str, Any]) -> object:
    return status.get("structuredContent", {}).get("progressive", {}).get("total_entries")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", metavar="INSPECTOR", help="command of the MCP inspector")
    sys.exit(main(parser.parse_args().program))
