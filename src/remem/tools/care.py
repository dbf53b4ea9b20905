"""Which tools look at the memory as a whole?"""

from __future__ import annotations

from typing import Final

from remem.tools.shape import Parameter, Tool

STATUS: Final = Tool(
    name="memory_index_status",
    command="status",
    title="Status of the memory",
    purpose=(
        "How the memory is doing. "
        "Call it when recall seems incomplete or someone asks about the memory itself. "
        "Returns counts by category and priority, token costs, when it was last used, and in "
        "health what is degraded and why."
    ),
    parameters=(),
    returns="remem.audit.status:Status",
    run=lambda workspace, _: workspace.status(),
    read_only=True,
    destructive=False,
    idempotent=True,
)

FORGET: Final = Tool(
    name="memory_forget",
    command="forget",
    title="Forget a memory",
    purpose=(
        "Archive one memory that is wrong or no longer wanted: recall leaves it out, its id "
        "still reads it. Call it when you are asked to forget something; to correct a memory, "
        "store the new one with supersedes instead."
    ),
    parameters=(Parameter("id", "text", "the memory's id", required=True),),
    returns="remem.maintenance.lifecycle:Forgotten",
    run=lambda workspace, given: workspace.forget(**given),
    read_only=False,
    destructive=False,
    idempotent=True,
    profiles=("full",),
)

REINFORCE: Final = Tool(
    name="memory_reinforce",
    command="reinforce",
    title="Reinforce a memory",
    purpose=(
        "Mark one memory as still relevant. "
        "Call it when a memory proved right or useful although you did not read it by its id, "
        "or to bring back one that has faded. Memories that nobody uses rank lower with time, "
        "and low ones are archived. "
        "Returns strength, uses, revived, and stale_on: when it would be archived if unused."
    ),
    parameters=(Parameter("id", "text", "the memory's id", required=True),),
    returns="remem.maintenance.decay.result:Reinforced",
    run=lambda workspace, given: workspace.reinforce(**given),
    read_only=False,
    destructive=False,
    idempotent=False,
    profiles=("full",),
)
