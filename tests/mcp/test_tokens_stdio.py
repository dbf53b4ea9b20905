"""A real server that asks for tokens, with clients of both eras, and after a restart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from remem.app.tools.table import tools_of
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens
from remem.model.session import invalid_token
from tests.tiers import first_quick

Said = Callable[[CallToolResult], str]


def parameters(root: Path) -> StdioServerParameters:
    line = ["-m", "remem", "--workspace", str(root), "serve", "--tokens"]
    return StdioServerParameters(command=sys.executable, args=line, env=dict(os.environ))


@pytest.mark.parametrize("mode", first_quick(["legacy", "2026-07-28", "auto"]))
def test_clients_of_both_eras_are_served_by_token(root: Path, said: Said, mode: str) -> None:
    mine, theirs = (
        SessionTokens(Layout(root)).issue(f"agent:main:telegram:direct:{peer}").token
        for peer in ("77", "78")
    )

    async def story() -> None:
        async with Client(parameters(root), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert len(tools) == len(tools_of("core"))
            assert all("session_token" in tool.input_schema["required"] for tool in tools)
            memory = {"category": "fact", "content": "Tea is served at 5."}
            stored = await client.call_tool("memory_store", {**memory, "session_token": mine})
            assert stored.structured_content["stored"] is True
            for token, count in ((mine, 1), (theirs, 0)):
                asked = {"query": "When is tea?", "session_token": token}
                found = await client.call_tool("memory_recall", asked)
                assert found.structured_content["total_entries_matched"] == count
            assert said(await client.call_tool("memory_recall", {"query": "tea"})) == str(
                invalid_token()
            )

    anyio.run(story)


def test_a_token_outlives_its_server_and_ends_when_it_is_revoked(root: Path, said: Said) -> None:
    tokens = SessionTokens(Layout(root))
    token = tokens.issue("main").token

    async def status() -> CallToolResult:
        async with Client(parameters(root)) as client:
            return await client.call_tool("memory_index_status", {"session_token": token})

    assert not anyio.run(status).is_error
    assert not anyio.run(status).is_error
    tokens.revoke("main")
    assert said(anyio.run(status)) == str(invalid_token())


def test_what_a_server_says_on_stderr_holds_no_token(root: Path) -> None:
    """Not even with verbose logging and calls that are wrong in every way."""
    token = SessionTokens(Layout(root)).issue("main").token
    program = (
        "import logging, sys; logging.basicConfig(level=logging.DEBUG); "
        f"sys.argv = ['remem', '--workspace', {str(root)!r}, 'serve', '--tokens']; "
        "from remem.cli.main import main; main()"
    )
    calls = [
        {"name": "memory_index_status", "arguments": {"session_token": token}},
        {"name": "memory_index_status", "arguments": {"session_token": [token]}},
        {"name": "memory_store", "arguments": {"session_token": token, "tags": 7}},
        {"name": token, "arguments": {"session_token": token}},
    ]
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        for number, params in enumerate(calls, 1)
    ]

    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b"".join(json.dumps(message).encode() + b"\n" for message in [_GREETING, *lines]),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr.decode()
    assert len(done.stdout.splitlines()) == len(lines) + 1
    assert token.encode() not in done.stderr


def test_a_signal_closes_every_memory_that_is_open(root: Path) -> None:
    tokens = SessionTokens(Layout(root))
    line = [sys.executable, "-m", "remem", "--workspace", str(root), "serve", "--tokens"]
    keys = [f"agent:main:telegram:direct:{number}" for number in (77, 78)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        requests = [_GREETING]
        for number, key in enumerate(keys, 1):
            given = {"category": "fact", "content": f"of {key}"}
            params = {
                "name": "memory_store",
                "arguments": {**given, "session_token": tokens.issue(key).token},
            }
            requests.append(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            )
        for request in requests:
            server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdin.flush()
            server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate()

    assert (server.returncode, b"Traceback" in errors) == (0, False)
    written = [path.read_text(encoding="utf-8") for path in root.rglob("peers/*/domains/facts.md")]
    assert len(written) == 2
    assert all(any(f"of {key}" in text for text in written) for key in keys)


_GREETING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
