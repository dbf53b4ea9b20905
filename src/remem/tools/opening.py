"""Which tool brings a conversation to its room's files? Read at every start, so it is brief."""

from __future__ import annotations

from typing import Final

from remem.tools.shape import Parameter, Tool

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
    returns="remem.disclosure.open.result:Disclosed",
    run=lambda workspace, given: workspace.open(given["message"]),
    read_only=True,
    destructive=False,
    idempotent=True,
)
