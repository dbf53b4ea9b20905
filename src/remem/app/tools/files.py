"""Which tools reach the memory files? Search and get, to the letter of the hosts' contract."""

from __future__ import annotations

from typing import Final

from remem.core.corpus import LEAST_SCORE, LINES, MOST_RESULTS, READ, SEARCHED
from remem.tools.shape import Parameter, Tool


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
        _number("maxResults", "most results", MOST_RESULTS),
        Parameter(
            "minScore",
            "number",
            "least score, 0 to 1",
            default=LEAST_SCORE,
            refusal="minScore must be a finite number",
        ),
        _corpus(SEARCHED),
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
        _number("from", "first line", 1),
        _number("lines", "how many lines", LINES),
        _corpus(READ),
    ),
    returns="remem.disclosure.excerpt:Excerpt",
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
