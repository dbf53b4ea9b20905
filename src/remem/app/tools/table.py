"""The table of all tools and the profiles that offer them."""

from __future__ import annotations

from typing import Final

from remem.app.tools.declare import PROFILES, Tool
from remem.app.tools.entries import FACT, FORGET, RECALL, REINFORCE, STATUS, STORE
from remem.app.tools.files import AUDIT, CONSOLIDATE, FLUSH, GET, HEARTBEAT, OPEN, SEARCH
from remem.errors import InvalidInput, shown

TOOLS: Final[tuple[Tool, ...]] = (
    SEARCH,
    GET,
    STORE,
    RECALL,
    STATUS,
    AUDIT,
    OPEN,
    FLUSH,
    HEARTBEAT,
    CONSOLIDATE,
    FACT,
    REINFORCE,
    FORGET,
)


def tools_of(profile: str) -> tuple[Tool, ...]:
    """The tools that a host is offered."""
    if profile not in PROFILES:
        raise InvalidInput(
            f"profile {shown(profile)} is not offered", hint=f"use one of: {', '.join(PROFILES)}"
        )
    if profile == "full":
        return TOOLS
    return tuple(tool for tool in TOOLS if profile in tool.profiles)


def tool_named(name: str, offered: tuple[Tool, ...] = TOOLS) -> Tool:
    for tool in offered:
        if tool.name == name:
            return tool
    raise InvalidInput(
        f"no tool has the name {shown(name)}",
        hint=f"the tools are: {', '.join(tool.name for tool in offered)}",
    )
