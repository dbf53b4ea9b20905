"""Hints over MCP: tools for the agent, commands only for the owner."""

from __future__ import annotations

from dataclasses import dataclass

from remem.app.tools.table import TOOLS, tools_of
from remem.mcp.hints import hint_for_agents, with_hints_for_agents
from tests.tables import each_row


@each_row(
    ("hint", "wanted"),
    [
        ("`remem recall` shows ids", "memory_recall shows ids"),
        ("`remem fact list` shows ids", "memory_fact with action list shows ids"),
        ("Run `remem doctor`.", "Ask the owner to run `remem doctor`."),
        ("run `remem consolidate` first", "call memory_consolidate first"),
        (
            "`remem recall` and `remem fact list` show ids",
            "memory_recall and memory_fact with action list show ids",
        ),
        ("the owner can run `remem rooms`", "the owner can run `remem rooms`"),
        ("`remem review` lets the owner confirm it", "`remem review` lets the owner confirm it"),
        ("run `remem audit --apply 1`", "ask the owner to run `remem audit --apply 1`"),
        ("use one of: fact, person", "use one of: fact, person"),
    ],
)
def test_a_command_becomes_a_tool_or_a_request_to_the_owner(hint: str, wanted: str) -> None:
    assert hint_for_agents(hint, TOOLS) == wanted


def test_a_tool_that_is_not_offered_stays_a_command() -> None:
    hint = "`remem fact list` shows ids"

    assert hint_for_agents(hint, tools_of("core")) == hint


def test_only_hints_are_reworded_and_never_what_the_memory_contains() -> None:
    @dataclass(frozen=True)
    class Debug:
        action: str

    @dataclass(frozen=True)
    class Result:
        content: str
        hint: str | None
        debug: Debug

    note = "Type `remem recall` to look something up."
    result = Result(note, note, Debug("Run `remem status`."))

    assert with_hints_for_agents(result, TOOLS) == Result(
        note, "Type memory_recall to look something up.", Debug("Call memory_index_status.")
    )
