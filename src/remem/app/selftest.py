"""The self-test: call every tool in a temporary workspace and check the answers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.app.opening import open_workspace
from remem.app.tools.declare import Tool, call
from remem.app.tools.table import TOOLS
from remem.errors import RememError
from remem.files import atomic
from remem.search.answer.answer import answer_text
from remem.setup.validate.result import ToolResult

if TYPE_CHECKING:
    from remem.app.workspace import Workspace

_STATEMENT: Final = "The self-test planted a linden tree in the courtyard."
_LINE_OF_FILE: Final = "- The quince hedge behind the shed was cut in autumn."
_FILES: Final = {
    ".remem/config.toml": 'embedder = "none"\n',
    "MEMORY.md": f"# Garden\n\n{_LINE_OF_FILE}\n",
}

Probe = tuple[Callable[["Workspace"], Mapping[str, Any]], Callable[[Mapping[str, Any]], bool]]
"""A function that returns the arguments for a tool, and one that checks the answer."""


def _stored_id(workspace: Workspace) -> str:
    """Store an entry for a probe to change, and return its id."""
    return workspace.store(category="insight", content="The self-test may forget this.").id


def _memory_in_new_space(workspace: Workspace) -> dict[str, Any]:
    """Create a shared space for a probe to use; return a memory for it."""
    workspace.spaces.create("self-test")
    return {"space": "self-test", "category": "fact", "content": _STATEMENT}


_PROBES: Final[Mapping[str, Probe]] = {
    "memory_store": (
        lambda _: {"category": "fact", "content": _STATEMENT, "tags": ["self-test"]},
        lambda reply: reply["stored"] is True and reply["id"],
    ),
    "memory_recall": (
        lambda _: {"query": "where was the linden tree planted?"},
        lambda reply: any(_STATEMENT in entry["content"] for entry in reply["entries"]),
    ),
    "memory_index_status": (
        lambda _: {},
        lambda reply: reply["progressive"]["total_entries"] > 0,
    ),
    "memory_search": (
        lambda _: {"query": "quince hedge"},
        lambda reply: any(hit["path"] == "MEMORY.md" for hit in reply["results"]),
    ),
    "memory_get": (
        lambda _: {"path": "MEMORY.md", "from": 3, "lines": 1},
        lambda reply: reply["text"] == _LINE_OF_FILE,
    ),
    "memory_audit": (
        lambda _: {"recommend": True},
        lambda reply: reply["analysis"]["total_tokens"] > 0,
    ),
    "memory_open": (
        lambda _: {"message": "which task is next?"},
        lambda reply: [step["step"] for step in reply["trace"]][:2] == ["mapping", "gate"],
    ),
    "memory_flush": (
        lambda _: {"items": [{"kind": "task", "text": "Prune the quince hedge."}]},
        lambda reply: reply["written"][0]["home"] == "memory/main/attention.md",
    ),
    "memory_heartbeat": (lambda _: {}, lambda reply: reply["problems"] == []),
    "memory_consolidate": (lambda _: {}, lambda reply: reply["problems"] == []),
    "memory_curate": (
        lambda workspace: {"verdicts": [{"answer": "keep", "items": [_stored_id(workspace)]}]},
        lambda reply: len(reply["applied"]) == 1,
    ),
    "memory_fact": (
        lambda _: {"action": "record", "entity": "Quince hedge", "fact": _STATEMENT},
        lambda reply: reply["facts"][0]["fact"] == _STATEMENT,
    ),
    "memory_graph_ingest": (
        lambda _: {"statements": [{"subject": "Hedge", "relation": "grows in", "object": "Bern"}]},
        lambda reply: reply["kept"][0]["statement"] == "[[Hedge]] grows in [[Bern]]",
    ),
    "memory_graph_query": (
        lambda _: {"query": "MATCH (:Memory) RETURN count(*) AS memories"},
        lambda reply: reply["rows"][0][0] > 0,
    ),
    "memory_forget": (lambda workspace: {"id": _stored_id(workspace)}, bool),
    "memory_reinforce": (
        lambda workspace: {"id": _stored_id(workspace)},
        lambda reply: reply["strength"] > 1,
    ),
    "memory_shared_store": (_memory_in_new_space, lambda reply: reply["stored"] is True),
    "memory_shared_recall": (
        lambda _: {"query": "where was the linden tree planted?"},
        lambda reply: reply["entries"][0]["author"] == "owner",
    ),
    "memory_shared_handle": (
        lambda _: {"name": "scout", "spaces": ["self-test"]},
        lambda reply: reply["levels"] == {"self-test": "read"},
    ),
    "memory_shared_proposals": (lambda _: {}, lambda reply: reply["waiting"] == []),
}


def self_test(tools: tuple[Tool, ...] = TOOLS) -> tuple[ToolResult, ...]:
    """Call every tool, in the order of the table, because recall needs what store has stored."""
    try:
        with tempfile.TemporaryDirectory(prefix="remem-self-test-") as folder:
            for name, text in _FILES.items():
                atomic.create(Path(folder) / name, text.encode())
            with open_workspace(folder, background=False, environment={}) as workspace:
                return tuple(ToolResult(tool.name, _failure(tool, workspace)) for tool in tools)
    except (RememError, OSError) as error:
        return tuple(
            ToolResult(tool.name, f"the temporary workspace failed: {error}") for tool in tools
        )


def _failure(tool: Tool, workspace: Workspace) -> str | None:
    """Return why a tool does not work; None if it does."""
    if tool.name not in _PROBES:
        return "the self-test has no probe for it"
    arguments, is_right = _PROBES[tool.name]
    try:
        reply = json.loads(answer_text(call(tool, workspace, arguments(workspace))))
        passed = is_right(reply)
    except RememError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - it is the result of the test
        return f"it fails with {type(error).__name__}: {error}"
    return None if passed else f"unexpected answer: {json.dumps(reply)[:200]}"
