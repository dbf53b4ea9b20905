"""Does a client that we did not write get on with our server? Drives the MCP inspector's
command line against `remem serve`; run by `make hosts`, which installs it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def main(inspector: str) -> int:
    with tempfile.TemporaryDirectory(prefix="remem-hosts-") as folder:
        checks = list(run_story([*inspector.split(), "--cli"], Path(folder)))
    for ok, claim in checks:
        print(f"{'ok ' if ok else 'NOT'} {claim}")
    return 0 if all(ok for ok, _ in checks) else 1


def run_story(inspector: list[str], workspace: Path) -> list[tuple[bool, str]]:
    server = [sys.executable, "-m", "remem", "--workspace", str(workspace), "serve"]

    def ask(method: str, **arguments: object) -> dict[str, Any]:
        command = [*inspector, *server, "--method", method]
        if "tool" in arguments:
            command += ["--tool-name", str(arguments.pop("tool"))]
        if "uri" in arguments:
            command += ["--uri", str(arguments.pop("uri"))]
        for name, value in arguments.items():
            command += ["--tool-arg", f"{name}={value}"]
        done = subprocess.run(  # noqa: S603 - the inspector that make has installed
            command, check=False, capture_output=True, text=True
        )
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            return {}
        return dict(json.loads(done.stdout))

    tools = ask("tools/list").get("tools", [])
    names = {each["name"] for each in tools}
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
        (all("outputSchema" in each for each in tools), "each tool has an output schema"),
        (all("annotations" in each for each in tools), "each tool has annotations"),
        (stored.get("structuredContent", {}).get("stored") is True, "it stores a memory"),
        ("black" in json.dumps(recalled.get("structuredContent")), "it finds it again"),
        (refused.get("isError") is True, "a bad category is a tool error"),
        (_entries(status) == 1, "the status counts one entry"),
        ("# Memory Index" in json.dumps(index), "it reads the index"),
    ]


def _entries(status: dict[str, Any]) -> object:
    return status.get("structuredContent", {}).get("progressive", {}).get("total_entries")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
