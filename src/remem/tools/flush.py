"""Which tool writes a conversation down? Read at every start, so each word has its price."""

from __future__ import annotations

from typing import Final

from remem.core.lesson_kinds import LESSON_KINDS
from remem.tools.shape import Parameter, Tool

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
    returns="remem.maintenance.flush.result:Flushed",
    run=lambda workspace, given: workspace.flush(given["items"]),
    read_only=False,
    destructive=False,
    idempotent=True,
)
