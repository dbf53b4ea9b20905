"""Rewrite hints for agents, which call tools and have no command line.

Messages name commands. Over MCP, a command that is also a tool is replaced with the name of the
tool. "Run" before any other command, or before one with options, becomes "ask the owner to run"; a
command that is only mentioned stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.app.tools.declare import Tool

_COMMAND: Final = re.compile(
    r"(?P<run>(?<!can )\brun )?`remem (?P<command>[a-z-]+)(?P<rest>[^`]*)`", re.IGNORECASE
)
_HINT_FIELDS: Final = ("action", "hint", "warning")


def hint_for_agents(text: str, tools: Sequence[Tool]) -> str:
    """Return the text with tools in place of their commands."""
    by_command = {tool.command: tool for tool in tools}

    def for_agents(match: re.Match[str]) -> str:
        run, rest = match["run"] or "", match["rest"].split()
        tool = by_command.get(match["command"])
        if tool and not any(word.startswith("-") for word in rest):
            call = f"{'C' if run.startswith('R') else 'c'}all " if run else ""
            is_action = bool(rest) and tool.argument == "action"
            return call + (f"{tool.name} with action {rest[0]}" if is_action else tool.name)
        if run:
            command = match[0].removeprefix(run)
            return f"{'A' if run.startswith('R') else 'a'}sk the owner to run {command}"
        return match[0]

    return _COMMAND.sub(for_agents, text)


def with_hints_for_agents(result: DataclassInstance, tools: Sequence[Tool]) -> DataclassInstance:
    """Return a result whose hints name tools; stored texts are not changed."""
    changed: dict[str, Any] = {}
    for field in fields(result):
        value = getattr(result, field.name)
        if field.name in _HINT_FIELDS and isinstance(value, str):
            changed[field.name] = hint_for_agents(value, tools)
        elif is_dataclass(value) and not isinstance(value, type):
            changed[field.name] = with_hints_for_agents(value, tools)
    return replace(result, **changed) if changed else result
