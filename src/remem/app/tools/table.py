"""The table of all tools, their profiles, and the audit tool, which counts their cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.curation import CURATE
from remem.app.tools.declare import PROFILES, Parameter, Tool, input_schema
from remem.app.tools.entries import FORGET, RECALL, REINFORCE, STATUS, STORE
from remem.app.tools.facts import FACT
from remem.app.tools.files import CONSOLIDATE, FLUSH, GET, HEARTBEAT, OPEN, SEARCH
from remem.app.tools.graph import GRAPH_INGEST, GRAPH_QUERY
from remem.app.tools.spaces import SHARED_HANDLE, SHARED_PROPOSALS, SHARED_RECALL, SHARED_STORE
from remem.errors import InvalidInput, quoted
from remem.model.arguments import AUDIT_SCOPES

if TYPE_CHECKING:
    from remem.admin.audit.result import Audit
    from remem.app.workspace import Workspace


def tool_texts(profile: str) -> str:
    """Return the tools of a profile as JSON, as a host adds them to every conversation."""
    texts = [
        {"name": tool.name, "description": tool.purpose, "inputSchema": input_schema(tool)}
        for tool in tools_of(profile)
    ]
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":"))


def _audit(workspace: Workspace, values: Mapping[str, Any]) -> Audit:
    return workspace.audit(**values, tools=tool_texts(workspace.profile))


AUDIT: Final = Tool(
    name="memory_audit",
    command="audit",
    title="Token audit",
    purpose=(
        "Audit what the memory costs in tokens. "
        "Call it when someone asks why conversations start so large or how to tidy MEMORY.md. "
        "Returns tokens by source and when each is loaded, duplicates, contradictions, stale "
        "entries and noise. It changes nothing: the owner applies a recommendation with "
        "`remem audit --apply`."
    ),
    help="""Show what the memory costs in tokens.

Lists the cost of each file and what every conversation pays for; also duplicates, contradictions,
noise, and what was not seen for a month. --apply changes MEMORY.md after showing the change, and
--undo restores it.""",
    examples=(
        "remem audit",
        "remem audit --recommend",
        "remem audit --apply 1",
        "remem audit --undo",
    ),
    parameters=(
        Parameter("scope", "choice", "what to audit", default="all", choices=AUDIT_SCOPES),
        Parameter("recommend", "boolean", "add recommendations with savings and risk"),
    ),
    returns="remem.admin.audit.result:Audit",
    run=_audit,
    read_only=True,
)

TOOLS: Final[tuple[Tool, ...]] = (
    SEARCH,
    GET,
    STORE,
    RECALL,
    STATUS,
    AUDIT,
    OPEN,
    FLUSH,
    HEARTBEAT,
    CONSOLIDATE,
    CURATE,
    FACT,
    GRAPH_QUERY,
    GRAPH_INGEST,
    REINFORCE,
    FORGET,
    SHARED_STORE,
    SHARED_RECALL,
    SHARED_PROPOSALS,
    SHARED_HANDLE,
)


def tools_of(profile: str) -> tuple[Tool, ...]:
    """Return the tools of a profile."""
    if profile not in PROFILES:
        raise InvalidInput(
            f"unknown profile {quoted(profile)}", hint=f"use one of: {', '.join(PROFILES)}"
        )
    if profile == "full":
        return TOOLS
    if profile == "mcp-memory":
        from remem.app.tools.knowledge import KNOWLEDGE_TOOLS  # few servers offer them

        return KNOWLEDGE_TOOLS
    return tuple(tool for tool in TOOLS if profile in tool.profiles)


def tool_named(name: str, tools: tuple[Tool, ...] = TOOLS) -> Tool:
    """Return the tool with a name; raise InvalidInput if it is not offered."""
    for tool in tools:
        if tool.name == name:
            return tool
    raise InvalidInput(
        f"unknown tool {quoted(name)}",
        hint=f"the tools are: {', '.join(tool.name for tool in tools)}",
    )
