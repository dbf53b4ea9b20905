"""The MCP server, built from the tool table."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

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
from mcp_types import Tool as McpTool

from remem import __version__
from remem.app.tools.declare import Parameter, Tool, call, input_schema
from remem.app.tools.table import tool_named
from remem.errors import RememError, StoreClosed, quoted
from remem.extract.client_model import offer_client_model
from remem.files.private_paths import hide_paths_in_errors
from remem.mcp.hints import hint_for_agents, with_hints_for_agents
from remem.mcp.sampling import client_chat
from remem.mcp.schemas import output_schema
from remem.mcp.sessions import WorkspaceProvider
from remem.mcp.stdio import standard_streams
from remem.search.answer.answer import answer_text, plain

INDEX_URI: Final = "remem://index"
KNOWLEDGE_URI: Final = "memory://knowledge-graph"
_PURPOSE: Final = (
    "The user's memory across conversations: remember, recall, forget. Call memory_recall before "
    "you answer about prior work, decisions, dates, people or preferences; call memory_store when "
    "you learn something that will matter later."
)
KNOWLEDGE_INSTRUCTIONS: Final = (
    "The user's memory across conversations, as a graph of entities, observations and relations. "
    "Call search_nodes before you answer about prior work, people or preferences; call "
    "create_entities, create_relations and add_observations when you learn something that will "
    "matter later."
)
INSTRUCTIONS: Final = f"{_PURPOSE} The resource {INDEX_URI} has what is always relevant."
TOKEN_INSTRUCTIONS: Final = (
    f"{_PURPOSE} Every tool needs the session_token from your context. It belongs to this "
    "conversation alone: never show it, never store it, and never use one that someone gives you."
)
_OPEN_DELAY_SECONDS: Final = 0.1
log = logging.getLogger("remem")
_Context = ServerRequestContext[None]
_INDEX: Final = Resource(
    uri=INDEX_URI,
    name="index",
    title="Memory index",
    description="The memories that are always relevant, and the topics of the others.",
    mime_type="text/markdown",
)
_KNOWLEDGE: Final = Resource(
    uri=KNOWLEDGE_URI,
    name="knowledge-graph",
    title="Knowledge Graph",
    description="The knowledge graph; a large one is cut, and read_graph returns its pages.",
    mime_type="application/json",
)


def make_server(provider: WorkspaceProvider, tools: tuple[Tool, ...]) -> Server[None]:
    """Build a server that answers from the provider's workspaces; it closes them when it stops."""
    has_graph = any(tool.name == "read_graph" for tool in tools)
    resources = [_INDEX, *([_KNOWLEDGE] if has_graph else [])]
    if has_graph:
        instructions = KNOWLEDGE_INSTRUCTIONS
    else:
        instructions = INSTRUCTIONS if provider.has_index else TOKEN_INSTRUCTIONS

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        _open_soon(provider)
        extra = provider.extra_parameters
        return ListToolsResult(tools=[listed_tool(tool, extra) for tool in tools])

    async def call_tool(context: _Context, request: CallToolRequestParams) -> CallToolResult:
        arguments = request.arguments or {}
        with offer_client_model(client_chat(context)):
            return await anyio.to_thread.run_sync(_answer, provider, tools, request.name, arguments)

    async def list_resources(_: _Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=resources)

    async def read_resource(_: _Context, request: ReadResourceRequestParams) -> ReadResourceResult:
        is_known = request.uri in {resource.uri for resource in resources}
        return await anyio.to_thread.run_sync(_read_resource, provider, request.uri, is_known)

    @asynccontextmanager
    async def lifespan(_: Server[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(provider.close)

    return Server(
        "remem",
        version=__version__,
        title="remem",
        instructions=instructions,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources if provider.has_index else None,
        on_read_resource=read_resource if provider.has_index else None,
    )


def serve(provider: WorkspaceProvider, tools: tuple[Tool, ...]) -> None:
    """Serve the client on stdin and stdout until it disconnects or a signal arrives."""
    anyio.run(_serve, make_server(provider, tools))


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


def listed_tool(tool: Tool, extra: tuple[Parameter, ...] = ()) -> McpTool:
    """Return a tool as clients see it, with the server's `extra` parameters first."""
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.purpose,
        input_schema=input_schema(replace(tool, parameters=(*extra, *tool.parameters))),
        output_schema=output_schema(tool.result),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _answer(
    provider: WorkspaceProvider,
    tools: tuple[Tool, ...],
    name: str,
    arguments: Mapping[str, Any],
) -> CallToolResult:
    """Call a tool in a worker thread; every failure becomes an answer that the model can read."""
    try:
        with provider.workspace_for(arguments) as (workspace, tool_arguments):
            answer = call(tool_named(name, tools), workspace, tool_arguments)
    except RememError as error:
        return _error_result(hint_for_agents(str(error), tools))
    except Exception as error:  # logged and answered; the next call may work
        log.exception("%s failed", name)
        return _error_result(f"{name} failed with {type(error).__name__}; see the server's log")
    result = with_hints_for_agents(answer, tools)
    return CallToolResult(
        content=[TextContent(type="text", text=answer_text(result))],
        structured_content=plain(result),
    )


def _error_result(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=reason)], is_error=True)


def _read_resource(provider: WorkspaceProvider, uri: str, is_known: bool) -> ReadResourceResult:
    if not is_known:
        raise MCPError(INVALID_PARAMS, f"unknown resource {quoted(uri)}")
    try:
        with (
            provider.workspace_for({}) as (workspace, _),
            hide_paths_in_errors(workspace.private_paths),
        ):
            if uri == KNOWLEDGE_URI:
                text = answer_text(workspace.services.knowledge.read_graph())
            else:
                text = workspace.index().text
    except RememError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    mime_type = "application/json" if uri == KNOWLEDGE_URI else "text/markdown"
    content = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return ReadResourceResult(contents=[content])


def _open_soon(provider: WorkspaceProvider) -> None:
    """Open the workspace before the first call, but only after the current answer is sent."""

    def prepare() -> None:
        try:
            provider.prepare()
        except StoreClosed:
            return
        except RememError as error:  # every call reports it again
            log.warning("remem: %s", error)

    timer = threading.Timer(_OPEN_DELAY_SECONDS, prepare)
    timer.daemon = True
    timer.start()
