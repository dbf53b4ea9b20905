"""Tools for files and conversations: search, get, open, flush, heartbeat, consolidate.

Search and get follow the hosts' contract exactly, error messages included.
"""

from __future__ import annotations

from typing import Final

from remem.app.tools.declare import Parameter, Tool
from remem.model.arguments import (
    DEFAULT_LINES,
    DEFAULT_MIN_SCORE,
    DEFAULT_RESULTS,
    GET_CORPORA,
    LESSON_KINDS,
    SEARCH_CORPORA,
)


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
    help="""Search the memory files.

QUERY is a question or some of its words, in any language. If it is `-`, or missing in a pipe, it
is read from standard input. Search finds lines of MEMORY.md, notes and other Markdown that belongs
to the memory, and lines of conversations where the settings allow it.""",
    examples=(
        'remem search "gateway host"',
        'remem search "PR 42" -n 3 --json',
        "remem --session agent:main:telegram:group:-100123 search deploy",
    ),
    argument="query",
    parameters=(
        Parameter("query", "text", "a question or words", required=True, refusal="query required"),
        _number("maxResults", "maximum number of results", DEFAULT_RESULTS),
        Parameter(
            "minScore",
            "number",
            "minimum score, 0 to 1",
            default=DEFAULT_MIN_SCORE,
            refusal="minScore must be a finite number",
        ),
        _corpus(SEARCH_CORPORA),
    ),
    returns="remem.search.passages.snippet:SearchResult",
    run=lambda workspace, arguments: workspace.services.files.search_for_host(
        arguments["query"],
        max_results=arguments.get("maxResults"),
        min_score=arguments.get("minScore"),
        corpus=arguments.get("corpus"),
    ),
    read_only=True,
    profiles=("legacy", "core"),
)

GET: Final = Tool(
    name="memory_get",
    command="get",
    title="Read a memory file",
    purpose=(
        "Get exact lines of a memory file that a result names: a safe read. "
        "nextFrom says where to continue."
    ),
    help="""Read lines of a memory file.

PATH is a path from the search results, relative to the workspace. Files of other chats, and
files that are not part of the memory, cannot be read.""",
    examples=(
        "remem get MEMORY.md",
        "remem get memory/2026-11-15.md --from 40 --lines 20",
    ),
    argument="path",
    parameters=(
        Parameter("path", "text", "as in search results", required=True, refusal="path required"),
        _number("from", "first line", 1),
        _number("lines", "number of lines", DEFAULT_LINES),
        _corpus(GET_CORPORA),
    ),
    returns="remem.disclose.get:Excerpt",
    run=lambda workspace, arguments: workspace.services.files.get_for_host(
        arguments["path"],
        from_line=arguments.get("from"),
        lines=arguments.get("lines"),
        corpus=arguments.get("corpus"),
    ),
    read_only=True,
    profiles=("legacy", "core"),
)


OPEN: Final = Tool(
    name="memory_open",
    command="open",
    title="Open the room's memory",
    purpose=(
        "Open the memory of this chat: load its gate and the one file that a message needs. "
        "In a group, call this first: until the gate is read, get, search and recall answer "
        "GATE_FIRST. Follow the gate's hard rules. "
        "Returns pages, and a trace of what was loaded, refused and why; call it again when the "
        "topic changes."
    ),
    help="""Load the files of a chat that a message needs.

MESSAGE is the user's message. If it is `-`, or missing in a pipe, it is read from standard input.
A group's gate is loaded first, then the one file that fits, then at most one of its conventions.
Main's files are loaded in the same way. The answer lists what each step did.""",
    examples=(
        'remem --session agent:main:telegram:group:-100123 open "who decided on the database?"',
        'remem open "what is next for atlas?" --json',
    ),
    argument="message",
    parameters=(Parameter("message", "text", "the user's message", required=True),),
    returns="remem.disclose.open.result:OpenResult",
    run=lambda workspace, arguments: workspace.open(arguments["message"]),
    read_only=True,
)


FLUSH: Final = Tool(
    name="memory_flush",
    command="flush",
    title="Write the conversation down",
    purpose=(
        "Flush this conversation into memory: remember its decisions, tasks, facts and people "
        "in one call. Call it on /remem, before the context is compacted, and "
        "when a piece of work ends; to save a single thing right away, use memory_store. "
        "One item per statement, in full sentences; never invent. "
        "Each is written to one place, once: calling again is safe. "
        "Returns what was written where, what was known, and what was refused and why."
    ),
    help="""Write what was learned in a conversation into memory.

ITEMS is a file with a JSON list of items. If it is `-`, or missing in a pipe, the list is read from
standard input. Each item has a kind (decision, task, person, fact, rule, context, preference or
insight) and a text, and may have a project, a topic, a status, a reason (why) and a trust. With
--transcript, a host's transcript is read from where it was last flushed. Repeating the command
changes nothing.""",
    examples=(
        'echo \'[{"kind": "task", "text": "Order seeds", "status": "done"}]\' | remem flush',
        "remem flush items.json --json",
        "remem flush --transcript ~/.claude/projects/-home-me-garden/3f2a.jsonl",
    ),
    argument="items",
    parameters=(
        Parameter(
            "items",
            "objects",
            "what was learned",
            required=True,
            fields=(
                Parameter("kind", "choice", "", required=True, choices=LESSON_KINDS),
                Parameter("text", "text", "", required=True),
                Parameter("project", "text", "name of the project"),
                Parameter("topic", "text", "topic of a rule"),
                Parameter("status", "text", "status of a task: open, done, …"),
                Parameter("why", "text", "why it matters"),
                Parameter("trust", "choice", "for a stranger's words", choices=("untrusted",)),
            ),
        ),
    ),
    returns="remem.learn.flush.result:FlushResult",
    run=lambda workspace, arguments: workspace.flush(arguments["items"]),
)


HEARTBEAT: Final = Tool(
    name="memory_heartbeat",
    command="heartbeat",
    title="Learn from recent conversations",
    purpose=(
        "Store lasting statements from recent conversations and daily notes. "
        "Call it from time to time, and when an answer says that memory is out of date. "
        "Each statement is written to one place, once, with the file and line it comes from: "
        "calling again is safe. "
        "Returns what was written where, how much was known, what was passed over and why."
    ),
    help="""Learn from recent conversations and daily notes.

Conversations are read where the settings allow it (`transcripts`), from where they were last
read. Every statement names the file and line it comes from; what is passed over is counted.""",
    examples=(
        "remem heartbeat",
        "remem heartbeat --days 30",
    ),
    parameters=(
        Parameter("days", "integer", "how many days back", default=7, minimum=1, maximum=3_650),
    ),
    returns="remem.learn.heartbeat:Heartbeat",
    run=lambda workspace, arguments: workspace.maintenance.heartbeat(**arguments),
    profiles=("full",),
)

CONSOLIDATE: Final = Tool(
    name="memory_consolidate",
    command="consolidate",
    title="Keep what recurred",
    purpose=(
        "Keep what was said in several conversations: as a new memory or fact, or by strengthening "
        "one that says the same. Call it once a week; what is new is read first, as by "
        "memory_heartbeat, and calling again is safe. "
        "Returns taken, each with why and where it was said, and contradictions: ask "
        "the user about those. `remem consolidate --undo` undoes the last run."
    ),
    help="""Keep what recurred in several conversations.

A statement made in two conversations on two days becomes an entry, or reinforces the entry
that says the same thing; a statement about a known entity becomes a fact, or confirms one.
Contradictions are reported with their places and left to you. What is new in conversations
and notes is read first, as by `remem heartbeat`. --undo undoes the last run and leaves alone
what has changed since.""",
    examples=(
        "remem consolidate --explain",
        "remem consolidate --undo",
    ),
    parameters=(
        Parameter("days", "integer", "how many days back", default=60, minimum=1, maximum=3_650),
    ),
    returns="remem.learn.consolidate.result:Consolidation",
    run=lambda workspace, arguments: workspace.maintenance.consolidate(**arguments),
    profiles=("full",),
)
