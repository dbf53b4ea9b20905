"""How does a host's model use a memory? A server for its session, made from the tool table."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from remem import __version__
from remem.app.tools.declare import Parameter, Tool, call, input_schema
from remem.app.tools.table import tool_named
from remem.errors import RememError, StoreClosed, shown
from remem.extract.client_model import offered as its_model
from remem.files.private_places import hide_in
from remem.mcp.sampling import client_chat
from remem.mcp.schemas import output_schema
from remem.mcp.sessions import Entrance
from remem.mcp.stdio import standard_streams
from remem.search.answer.answer import answer_text, plain

INDEX_URI: Final = "remem://index"
_PURPOSE: Final = (
    "remem is a memory that outlasts this conversation. Call memory_recall before you answer "
    "about prior work, decisions, dates, people or preferences; call memory_store when you learn "
    "something that will matter later."
)
INSTRUCTIONS: Final = f"{_PURPOSE} The resource {INDEX_URI} holds what is always relevant."
TOKEN_INSTRUCTIONS: Final = (
    f"{_PURPOSE} Every tool needs the session_token that stands in your context: it belongs to "
    "this conversation alone, so never show it, store it or take one that somebody gives you."
)
_A_MOMENT: Final = 0.1
log = logging.getLogger("remem")
_Context = ServerRequestContext[None]

if TYPE_CHECKING:
    from remem.app.workspace import Workspace


def make_server(door: Entrance, offered: tuple[Tool, ...]) -> Server[None]:
    """A server that answers from a session's memory; it opens and closes the door."""

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        _open_soon(door)
        return ListToolsResult(tools=[listed(tool, door.asks) for tool in offered])

    async def call_tool(context: _Context, asked: CallToolRequestParams) -> CallToolResult:
        given = asked.arguments or {}
        with its_model(client_chat(context)):
            return await anyio.to_thread.run_sync(_answer, door, offered, asked.name, given)

    async def list_resources(_: _Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=[_INDEX])

    async def read_resource(_: _Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        return await anyio.to_thread.run_sync(_read_index, door, asked.uri)

    @asynccontextmanager
    async def lifespan(_: Server[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(door.close)

    return Server(
        "remem",
        version=__version__,
        title="remem",
        instructions=INSTRUCTIONS if door.has_index else TOKEN_INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources if door.has_index else None,
        on_read_resource=read_resource if door.has_index else None,
    )


def serve(door: Entrance, offered: tuple[Tool, ...]) -> None:
    """Serve the client at stdin and stdout until it leaves or a signal ends us."""
    anyio.run(_serve, make_server(door, offered))


async def _serve(server: Server[None]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_at_signal, tasks.cancel_scope)
        async with standard_streams() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_at_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()


def listed(tool: Tool, asked: tuple[Parameter, ...] = ()) -> Listed:
    """A tool as clients see it; `asked` is what its server needs besides."""
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.purpose,
        input_schema=input_schema(replace(tool, parameters=(*asked, *tool.parameters))),
        output_schema=output_schema(tool.result),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _answer(
    door: Entrance, offered: tuple[Tool, ...], name: str, given: Mapping[str, Any]
) -> CallToolResult:
    """Runs in a worker thread. Whatever goes wrong is an answer that the model can read."""
    try:
        with door.entered(given) as (workspace, own):
            result = call(tool_named(name, offered), workspace, own)
    except RememError as error:
        return _failed(str(error))
    except Exception as error:  # the outermost edge: the next call must find a living server
        log.exception("%s failed", name)
        return _failed(f"{name} failed with {type(error).__name__}; the server's log says more")
    return CallToolResult(
        content=[TextContent(type="text", text=answer_text(result))],
        structured_content=plain(result),
    )


def _failed(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=reason)], is_error=True)


def _read_index(door: Entrance, uri: str) -> ReadResourceResult:
    if uri != INDEX_URI:
        raise MCPError(INVALID_PARAMS, f"no resource has the address {shown(uri)}")
    try:
        with door.entered({}) as (workspace, _):
            text = _index_of(workspace)
    except RememError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    content = TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
    return ReadResourceResult(contents=[content])


def _index_of(workspace: Workspace) -> str:
    try:
        return workspace.index().text
    except RememError as error:
        hide_in(error, workspace.private_places)
        raise


_INDEX: Final = Resource(
    uri=INDEX_URI,
    name="index",
    title="Memory index",
    description="What is always relevant, and what else can be recalled.",
    mime_type="text/markdown",
)


def _open_soon(door: Entrance) -> None:
    """While the model still thinks about its first call, but not while the client waits."""

    def open_() -> None:
        try:
            door.prepare()
        except StoreClosed:
            return
        except RememError as error:  # told again with every call
            log.warning("remem: %s", error)

    timer = threading.Timer(_A_MOMENT, open_)
    timer.daemon = True
    timer.start()
