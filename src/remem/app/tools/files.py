"""Tools for files and conversations: search, get, open, flush, heartbeat, consolidate, audit.

Search and get keep the hosts' contract to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.declare import Parameter, Tool, input_schema
from remem.model.arguments import (
    AUDIT_SCOPES,
    DEFAULT_LINES,
    DEFAULT_MIN_SCORE,
    DEFAULT_RESULTS,
    GET_CORPORA,
    SEARCH_CORPORA,
)
from remem.model.lesson import LESSON_KINDS

if TYPE_CHECKING:
    from remem.admin.audit.result import Audit
    from remem.app.workspace import Workspace


def _number(name: str, help_: str, default: int) -> Parameter:
    refusal = f"{name} must be a positive integer"
    return Parameter(name, "integer", help_, default=default, minimum=1, refusal=refusal)


def _corpus(choices: tuple[str, ...]) -> Parameter:
    refusal = f"corpus must be one of: {', '.join(choices)}"
    return Parameter("corpus", "choice", "where to look", choices=choices, refusal=refusal)


SEARCH: Final = Tool(
    name="memory_search",
    command="search",
    title="Search memory files",
    purpose=(
        "Search MEMORY.md, notes and transcripts. "
        "Mandatory before you answer about prior work, decisions, dates, people, preferences or "
        "todos that memory_recall did not settle; then read only the needed lines with "
        "memory_get. Tell the user when results are partial, stale or unavailable."
    ),
    parameters=(
        Parameter("query", "text", "words or question", required=True, refusal="query required"),
        _number("maxResults", "most results", DEFAULT_RESULTS),
        Parameter(
            "minScore",
            "number",
            "least score, 0 to 1",
            default=DEFAULT_MIN_SCORE,
            refusal="minScore must be a finite number",
        ),
        _corpus(SEARCH_CORPORA),
    ),
    returns="remem.search.passages.snippet:SearchResult",
    run=lambda workspace, given: workspace.search(
        given["query"],
        max_results=given.get("maxResults"),
        min_score=given.get("minScore"),
        corpus=given.get("corpus"),
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    profiles=("legacy", "core"),
)

GET: Final = Tool(
    name="memory_get",
    command="get",
    title="Read a memory file",
    purpose=(
        "Safe exact read of lines of a memory file that a result names. "
        "nextFrom says where to go on."
    ),
    parameters=(
        Parameter("path", "text", "as in results", required=True, refusal="path required"),
        _number("from", "first line", 1),
        _number("lines", "how many lines", DEFAULT_LINES),
        _corpus(GET_CORPORA),
    ),
    returns="remem.disclose.get:Excerpt",
    run=lambda workspace, given: workspace.get(
        given["path"],
        from_line=given.get("from"),
        lines=given.get("lines"),
        corpus=given.get("corpus"),
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    profiles=("legacy", "core"),
)


OPEN: Final = Tool(
    name="memory_open",
    command="open",
    title="Open the room's memory",
    purpose=(
        "Load what a message needs of this chat's own files: its gate and the one file that fits. "
        "In a group call it first: until the gate is read, get, search and recall answer "
        "GATE_FIRST. Follow the gate's hard rules. "
        "Returns pages, and a trace of what was loaded, refused and why; call it again when the "
        "topic changes."
    ),
    parameters=(Parameter("message", "text", "the user's message", required=True),),
    returns="remem.disclose.open.result:OpenResult",
    run=lambda workspace, given: workspace.open(given["message"]),
    read_only=True,
    destructive=False,
    idempotent=True,
)


FLUSH: Final = Tool(
    name="memory_flush",
    command="flush",
    title="Write the conversation down",
    purpose=(
        "Write what this conversation taught into memory. "
        "Call it on /remem, before the context is compacted, and as soon as something is decided "
        "or a task changes. One item per statement, in full words; never invent. "
        "Each goes to its one home, once: calling again is safe. "
        "Returns what was written where, known, refused and why."
    ),
    parameters=(
        Parameter(
            "items",
            "objects",
            "what was learned",
            required=True,
            fields=(
                Parameter("kind", "choice", "", required=True, choices=LESSON_KINDS),
                Parameter("text", "text", "", required=True),
                Parameter("project", "text", "its name"),
                Parameter("topic", "text", "of a rule"),
                Parameter("status", "text", "of a task: open, done, …"),
                Parameter("why", "text", "it matters"),
                Parameter("trust", "choice", "of a stranger's words", choices=("untrusted",)),
            ),
        ),
    ),
    returns="remem.learn.flush.result:FlushResult",
    run=lambda workspace, given: workspace.flush(given["items"]),
    read_only=False,
    destructive=False,
    idempotent=True,
)


HEARTBEAT: Final = Tool(
    name="memory_heartbeat",
    command="heartbeat",
    title="Learn from what was said lately",
    purpose=(
        "Take what lasts from recent conversations and daily notes into memory. "
        "Call it from time to time, and when an answer says that memory is behind. "
        "Each statement goes to its one home, once, with the file and line it comes from: "
        "calling again is safe. "
        "Returns what was written where, how much was known, what was passed over and why."
    ),
    parameters=(Parameter("days", "integer", "how far back", default=7, minimum=1, maximum=3_650),),
    returns="remem.learn.heartbeat:Heartbeat",
    run=lambda workspace, given: workspace.heartbeat(**given),
    read_only=False,
    destructive=False,
    idempotent=True,
    profiles=("full",),
)

CONSOLIDATE: Final = Tool(
    name="memory_consolidate",
    command="consolidate",
    title="Keep what came back",
    purpose=(
        "Keep what was said in several conversations: as a memory or a fact, or as strength of "
        "one that says it. Call it once a week; what is new is read first, as by "
        "memory_heartbeat, and calling again is safe. "
        "Returns taken, each with why and where it was said, and contradictions: put those to "
        "the user. `remem consolidate --undo` takes a run back."
    ),
    parameters=(
        Parameter("days", "integer", "how far back", default=60, minimum=1, maximum=3_650),
    ),
    returns="remem.learn.consolidate.result:Consolidation",
    run=lambda workspace, given: workspace.consolidate(**given),
    read_only=False,
    destructive=False,
    idempotent=True,
    profiles=("full",),
)


def listed(tools: Sequence[Tool]) -> str:
    """Tools as a host puts them into a conversation."""
    entries = [
        {"name": tool.name, "description": tool.purpose, "inputSchema": input_schema(tool)}
        for tool in tools
    ]
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def tool_texts(workspace: Workspace) -> str:
    """What a conversation with this memory pays for its tools."""
    from remem.app.tools.table import tools_of  # the table holds this tool too

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
    returns="remem.admin.audit.result:Audit",
    run=_run,
    read_only=True,
    destructive=False,
    idempotent=True,
)
