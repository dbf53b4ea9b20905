"""Which tools reach the memory files? Search and get, to the letter of the hosts' contract."""

from __future__ import annotations

from typing import Final

from remem.core.corpus import READ, SEARCHED
from remem.disclosure.get import LINES
from remem.recall.search import LEAST_SCORE, MOST_RESULTS
from remem.tools.shape import Parameter, Tool

_POSITIVE: Final = "{} must be a positive integer"
_CHOICE: Final = "corpus must be one of: {}"

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
        Parameter(
            "maxResults",
            "integer",
            "most results",
            default=MOST_RESULTS,
            minimum=1,
            refusal=_POSITIVE.format("maxResults"),
        ),
        Parameter(
            "minScore",
            "number",
            "least score, 0 to 1",
            default=LEAST_SCORE,
            refusal="minScore must be a finite number",
        ),
        Parameter(
            "corpus",
            "choice",
            "where to look",
            choices=SEARCHED,
            refusal=_CHOICE.format(", ".join(SEARCHED)),
        ),
    ),
    returns="remem.recall.found:Found",
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
        Parameter(
            "from",
            "integer",
            "first line",
            default=1,
            minimum=1,
            refusal=_POSITIVE.format("from"),
        ),
        Parameter(
            "lines",
            "integer",
            "how many lines",
            default=LINES,
            minimum=1,
            refusal=_POSITIVE.format("lines"),
        ),
        Parameter(
            "corpus",
            "choice",
            "where to look",
            choices=READ,
            refusal=_CHOICE.format(", ".join(READ)),
        ),
    ),
    returns="remem.disclosure.get:Excerpt",
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
