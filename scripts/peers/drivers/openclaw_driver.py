"""A server for OpenClaw's memory: starts a gateway, and answers one JSON message per line.

    python openclaw_driver.py OPENCLAW PORT [ENDPOINT MODEL]

With an endpoint its vectors come from there; without one it searches by keywords, its default.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

HOME = Path.cwd()
WORKSPACE = HOME / ".openclaw/workspace"
NOTES = WORKSPACE / "memory"
TOKEN = secrets.token_hex(16)


def main(program: str, port: str, *vectors: str) -> None:
    configure(int(port), *vectors)
    with (HOME / "gateway.log").open("ab") as log:
        subprocess.Popen(  # noqa: S603 - the program that is measured
            [program, "gateway", "run", "--port", port], stdout=log, stderr=log
        )
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            answer = answered(port, asked["method"], asked["params"])
            print(json.dumps({"id": asked["id"], **answer}), flush=True)


def configure(port: int, endpoint: str = "", model: str = "") -> None:
    NOTES.mkdir(parents=True, exist_ok=True)
    defaults: dict[str, Any] = {"skipBootstrap": True, "workspace": str(WORKSPACE)}
    if endpoint:
        remote = {"baseUrl": endpoint, "apiKey": "none"}
        defaults["memorySearch"] = {"provider": "openai", "model": model, "remote": remote}
    settings = {
        "gateway": {
            "mode": "local",
            "port": port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": TOKEN},
        },
        "models": {"catalogRefresh": {"enabled": False}},
        "agents": {"defaults": defaults},
    }
    (HOME / ".openclaw/openclaw.json").write_text(json.dumps(settings))


def answered(port: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {"result": until_ready(port)}
    if method == "tools/list":
        return {"result": {"tools": []}}
    arguments = params["arguments"]
    if params["name"] == "write":
        number = sum(1 for _ in NOTES.iterdir())
        (NOTES / f"fact-{number:06}.md").write_text(arguments["text"] + "\n")
        return {"result": {}}
    try:
        return {"result": search(port, arguments["query"], arguments["limit"])}
    except urllib.error.URLError as error:
        return {"error": str(error)}


def until_ready(port: str) -> dict[str, Any]:
    while True:
        try:
            return search(port, "anything", 1)
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)


def search(port: str, query: str, limit: int) -> dict[str, Any]:
    body = {
        "tool": "memory_search",
        "args": {"query": query, "maxResults": limit},
        "sessionKey": "main",
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/tools/invoke",
        json.dumps(body).encode(),
        {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=110) as answer:  # noqa: S310 - loopback
        found: dict[str, Any] = json.loads(answer.read())
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
