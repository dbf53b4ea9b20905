"""The peers: what is installed of each, its settings, and remarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.peers.measure import Peer
from scripts.peers.memories import BasicMemory, McpMemoryService, MemPalace, MemSearch, Remem

Settings = Callable[[Path, str], Sequence[Peer]]
"""From its programs and the endpoint for vectors to each setting that is measured."""


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    packages: Sequence[str]
    settings: Settings
    able_to: str = "pass"
    """What its interpreter must be able to run."""


KINDS: Final = (
    Kind("remem", (".",), lambda here, _: [Remem(here, "no model"), Remem(here)]),
    Kind(
        "mcp-memory-service",
        ("mcp-memory-service==12.2.0",),
        lambda here, vectors: [
            McpMemoryService(here, vectors),
            McpMemoryService(here, vectors, "hybrid, in one conversation"),
        ],
        "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)",
    ),
    Kind("mempalace", ("mempalace==3.11.0",), lambda here, vectors: [MemPalace(here, vectors)]),
    Kind("memsearch", ("memsearch==0.4.23",), lambda here, vectors: [MemSearch(here, vectors)]),
    Kind(
        "basic-memory",
        ("basic-memory==0.23.2", "pysqlite3-binary"),
        lambda here, vectors: [BasicMemory(here, vectors)],
        "import sys; assert sys.version_info >= (3, 12)",
    ),
)

NOTES: Final = {
    "basic-memory": "0.24 pins a fastmcp whose certifi could not be had; a title is the first "
    "words and a digest; it asks the endpoint through litellm",
    "all": "one model: a peer whose own is a download asks a loopback endpoint for remem's",
    "mcp-memory-service": "by default it refuses what is like something that it has",
    "memsearch": "it has no MCP server; its Python interface is called, with one file a fact",
    "OpenClaw": "its own engine behind a gateway on loopback; the facts are files that we write",
    "QMD": "the facts are files that we write; its three models (2 GB) are a download, so "
    "keywords alone",
}
