"""Which tools let a memory learn by itself?"""

from __future__ import annotations

from typing import Final

from remem.tools.shape import Parameter, Tool

HEARTBEAT: Final = Tool(
    name="memory_heartbeat",
    command="heartbeat",
    title="Learn from what was said lately",
    purpose=(
        "Take what lasts from recent conversations and daily notes into memory. "
        "Call it from time to time, and when you are told that memory is behind. "
        "Each statement goes to its one home, once, with the file and line it comes from: "
        "calling again is safe. "
        "Returns what was written where, how much was known, what was passed over and why."
    ),
    parameters=(Parameter("days", "integer", "how far back", default=7, minimum=1, maximum=3_650),),
    returns="remem.maintenance.learning.result:Heartbeat",
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
    returns="remem.maintenance.consolidation.result:Consolidated",
    run=lambda workspace, given: workspace.consolidate(**given),
    read_only=False,
    destructive=False,
    idempotent=True,
    profiles=("full",),
)
