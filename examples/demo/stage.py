"""The setting of the demo: real servers in real processes, a real client, a real folder."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent, TextResourceContents

from remem.app.environment import models_folder
from remem.files.layout import Layout
from remem.setup.init import initialise

_INDEX: Final = "remem://index"


@dataclass
class Stage:
    """The demo's workspace and its audience; `broken` collects the claims that do not hold."""

    folder: Path
    log: Path
    broken: list[str] = field(default_factory=list)

    def chapter(self, number: int, title: str) -> None:
        click.secho(f"\n{number}. {title}", bold=True, fg="cyan")

    def say(self, text: str, **style: Any) -> None:
        click.secho(f"   {text}", **style)

    def claim(self, text: str, holds: bool) -> None:
        """Something the chapter promised; the demo fails if it is not so."""
        click.secho(f"   {'✓' if holds else '✗'} {text}", fg="green" if holds else "red")
        if not holds:
            self.broken.append(text)

    @asynccontextmanager
    async def server(self, session: str) -> AsyncIterator[Host]:
        """A server for a session in a process of its own, and a client that talks to it."""
        async with self._serve("--session", session) as host:
            yield host

    @asynccontextmanager
    async def token_server(self) -> AsyncIterator[Host]:
        """A server that offers every tool to the session of each call's token."""
        async with self._serve("--tokens", "--profile", "full") as host:
            yield host

    @asynccontextmanager
    async def _serve(self, *options: str) -> AsyncIterator[Host]:
        initialise(Layout(self.folder))  # a server refuses a folder that is not a workspace
        arguments = ["-m", "remem", "--workspace", str(self.folder), "serve", *options]
        parameters = StdioServerParameters(
            command=sys.executable, args=arguments, env={"REMEM_MODELS": str(models_folder())}
        )
        with self.log.open("a", encoding="utf-8") as log:
            async with Client(stdio_client(parameters, errlog=log)) as client:
                yield Host(client)


@dataclass(frozen=True, slots=True)
class Host:
    """What an agent's host does with the server."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> Reply:
        result = await self.client.call_tool(tool, arguments)
        return Reply(_text(result), result.is_error)

    async def index(self) -> str:
        (content,) = (await self.client.read_resource(_INDEX)).contents
        assert isinstance(content, TextResourceContents)
        return content.text


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model receives: a text, which is JSON unless it is an error."""

    text: str
    refused: bool

    @property
    def value(self) -> dict[str, Any]:
        """The answer as data; an error has none."""
        value: dict[str, Any] = {} if self.refused else json.loads(self.text)
        return value


def _text(result: CallToolResult) -> str:
    return "".join(
        text_content.text
        for text_content in result.content
        if isinstance(text_content, TextContent)
    )
