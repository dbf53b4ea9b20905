"""A client in the same process, and servers in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle


@pytest.fixture(autouse=True)
def without_model(root: Path) -> None:
    """Servers are about messages here; meaning has tests of its own."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')


Story = Callable[[Client], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(root: Path) -> Play:
    """Runs a story with a client of a server that lives in this process."""

    def run(story: Story, session: str = "main", **options: Any) -> None:
        def open_() -> Any:
            settings = {"trust": "agent", "background": True, **options}
            return open_workspace(root, session, **settings)

        async def main() -> None:
            async with Client(make_server(SessionHandle(open_), TOOLS)) as client:
                await story(client)

        anyio.run(main)

    return run


def command(root: Path, session: str = "main") -> list[str]:
    return [sys.executable, "-m", "remem", "--workspace", str(root), "serve", "--session", session]


@pytest.fixture
def stdio(root: Path) -> Callable[..., StdioServerParameters]:
    """How a host starts a real server."""

    def parameters(session: str = "main") -> StdioServerParameters:
        python, *arguments = command(root, session)
        return StdioServerParameters(command=python, args=arguments, env=dict(os.environ))

    return parameters


class RawClient:
    """A client that can say anything, also what no client should."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            command(root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def ask(self, id_: int, method: str, **params: Any) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        self.say(json.dumps(request).encode())
        return self.hear()

    def greet(self) -> dict[str, Any]:
        answer = self.ask(
            0,
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "raw", "version": "1"},
        )
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def leave(self) -> tuple[int, str]:
        """Close the input; the exit code, and what the server said on stderr."""
        _, errors = self.process.communicate(timeout=600)
        return self.process.returncode, errors.decode()


@pytest.fixture
def raw(root: Path) -> Iterator[RawClient]:
    client = RawClient(root)
    with client.process:
        yield client
        client.process.kill()


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.fixture
def said() -> Callable[[CallToolResult], str]:
    """The one text block of an answer."""
    return text_of
