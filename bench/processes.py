"""Measure cold starts of programs in turn, and the memory of a server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from compileall import compile_dir
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import remem
from remem.embed.runtime import NO_TELEMETRY

HELLO: Final = """
import asyncio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(context, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("hello", version="1", on_list_tools=tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

asyncio.run(main())
"""
"""The smallest server of the same SDK."""

PARTS: Final = (
    f"import os; os.putenv{NO_TELEMETRY}; import apsw, click, numpy, onnxruntime"  # see runtime.py
)
"""The dependencies that `remem recall` imports."""

_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST: Final = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def server_command(workspace: Path) -> list[str]:
    return [sys.executable, "-m", "remem", "--workspace", str(workspace), "serve"]


def recall_command(workspace: Path, question: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "remem",
        "--workspace",
        str(workspace),
        "recall",
        "--json",
        question,
    ]


def side_by_side(
    first: Sequence[str], second: Sequence[str], *, served: bool, rounds: int
) -> tuple[float, float]:
    """The median seconds of two commands, run in turn so that noise affects both alike."""
    compile_remem()
    timed = until_listed if served else until_exit
    times = [(timed(first), timed(second)) for _ in range(rounds + 1)][1:]
    return median(a for a, _ in times), median(b for _, b in times)


def compile_remem() -> None:
    """Compile the package as `pip install` does, so that no start has to compile it again."""
    compile_dir(Path(remem.__file__).parent, quiet=2)


def until_exit(command: Sequence[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own command
    return perf_counter() - start


def until_listed(command: Sequence[str]) -> float:
    """From starting an MCP server to its list of tools."""
    start = perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message, answered in ((_INITIALIZE, True), (_INITIALIZED, False), (_LIST, True)):
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            if answered and b'"result"' not in server.stdout.readline():
                raise RuntimeError(f"{command} did not answer {message['method']}")
        seconds = perf_counter() - start
        server.stdin.close()
        server.wait()
    return seconds


def memory_of(workspace: Path, questions: Sequence[str]) -> float:
    """The peak memory in megabytes of a fresh process that answers some questions.

    Read from the kernel: the figure of `getrusage` starts with that of the parent.
    """
    program = (
        "import sys\n"
        "from remem.app.opening import open_workspace\n"
        "with open_workspace(sys.argv[1], background=False) as memory:\n"
        "    for question in sys.argv[2:]: memory.recall(question)\n"
        "peak = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(int(peak[0].split()[1]) / 1024)\n"
    )
    command = [sys.executable, "-c", program, str(workspace), *questions]
    done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own
    return float(done.stdout)
