"""Which tool says what the memory costs?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from remem.core.audit_scope import AUDIT_SCOPES
from remem.tools.arguments import input_schema
from remem.tools.shape import Parameter, Tool

if TYPE_CHECKING:
    from remem.audit.result import Audit
    from remem.workspace import Workspace


def listed(tools: Sequence[Tool]) -> str:
    """Tools as a host puts them into a conversation."""
    entries = [
        {"name": tool.name, "description": tool.purpose, "inputSchema": input_schema(tool)}
        for tool in tools
    ]
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def tool_texts(workspace: Workspace) -> str:
    """What a conversation with this memory pays for its tools."""
    from remem.tools.table import tools_of  # the table holds this tool too

    return listed(tools_of(workspace.profile))


def _run(workspace: Workspace, given: Mapping[str, Any]) -> Audit:
    return workspace.audit(**given, tools=tool_texts(workspace))


AUDIT: Final = Tool(
    name="memory_audit",
    command="audit",
    title="Token audit",
    purpose=(
        "What the memory costs in tokens. "
        "Call it when someone asks why conversations start so large or how to tidy MEMORY.md. "
        "Returns tokens by source and when each is loaded, duplicates, contradictions, stale "
        "entries and noise. It changes nothing: the owner applies a recommendation with "
        "`remem audit --apply`."
    ),
    parameters=(
        Parameter("scope", "choice", "what to look at", default="all", choices=AUDIT_SCOPES),
        Parameter("recommend", "boolean", "add what to do, with savings and risk"),
    ),
    returns="remem.audit.result:Audit",
    run=_run,
    read_only=True,
    destructive=False,
    idempotent=True,
)
