"""Handles: what a session lets its sub-agents do in shared spaces.

A handle is a session token that is bound to spaces and tools. It allows at most what the session
itself may do at the time of each call, and ends with the session's conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from remem.app.services.spaces import SpaceService
from remem.entries.spaces.listing import spaces_of
from remem.entries.spaces.log import SpaceUse, log_read
from remem.errors import InvalidInput, NotAllowed, quoted
from remem.files.session_tokens import IssuedHandle, SessionTokens
from remem.model.arguments import one_of
from remem.model.scope import HANDLE_TOOLS, LEVELS, Handle, Level
from remem.model.session import DEFAULT_LIMIT_SECONDS, Lifetime, parse_duration, sub_agent_of

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


def give_handle(
    service: SpaceService,
    name: str,
    spaces: Sequence[str],
    *,
    level: Level,
    tools: Sequence[str] | None,
    expires_in: str,
) -> IssuedHandle:
    """Give a sub-agent a handle on some of the session's own spaces."""
    if service.session.handle is not None:
        raise NotAllowed("a sub-agent cannot give handles to others", hint="ask your parent")
    handle = _checked_handle(name, spaces, one_of(level, LEVELS, "level"), tools)
    lifetime = _lifetime(expires_in)
    for space in handle.spaces:
        service.require_level(space, level)
    granted = spaces_of(service.space_list, sub_agent_of(service.session, handle))
    tokens = SessionTokens(service.layout, service.clock, service.random_bytes)
    issued = tokens.issue(service.session.key, service.conversation, lifetime, handle)
    for space in handle.spaces:
        detail = f"{handle.name} {granted[space]}"
        use = SpaceUse(service.clock(), service.writer, "handle", (), detail)
        log_read(service.workspace_of(space).services.store, use)
    return IssuedHandle(issued.token, handle.name, granted, handle.tools, issued.expires_in)


def _checked_handle(
    name: str, spaces: Sequence[str], level: Level, tools: Sequence[str] | None
) -> Handle:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"a handle cannot be named {quoted(name)}",
            hint="use up to 40 letters, digits, - and _",
        )
    if not spaces:
        raise InvalidInput("no space was named", hint="name at least one of your spaces")
    return Handle(name, tuple(dict.fromkeys(spaces)), level, _tools(tools, level))


def _tools(names: Sequence[str] | None, level: Level) -> tuple[str, ...]:
    """Return the tools of a handle: those that its level needs, or some of them."""
    needed = HANDLE_TOOLS[: 1 if level == "read" else 2]
    for tool in names or ():
        if tool not in needed:
            raise InvalidInput(
                f"a handle of level {level} cannot have the tool {quoted(tool)}",
                hint=f"use one of: {', '.join(needed)}",
            )
    return tuple(tool for tool in needed if tool in (names or needed))


def _lifetime(expires_in: str) -> Lifetime:
    seconds = parse_duration(expires_in, "expires_in")
    if seconds > DEFAULT_LIMIT_SECONDS:
        raise InvalidInput(
            f"expires_in {quoted(expires_in)} is too long", hint="a handle lasts at most a day"
        )
    return Lifetime(seconds, seconds)
