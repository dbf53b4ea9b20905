"""Read the event that a host reports; hosts use different field names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from remem.errors import InvalidInput
from remem.fast_dataclass import dataclass

HOSTS: Final = ("claude-code", "codex", "openclaw")
EVENTS: Final = (
    "session-start",
    "prompt",
    "pre-compact",
    "stop",
    "session-end",
    "bootstrap",
    "remem",  # the user wrote /remem
)


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook.

    `session` is the key of the chat; hosts for a single user have only main. `conversation` is
    the host's id of the conversation, and `position` its length so far: the size of the transcript,
    or else the number of messages. `folder` is the folder that the host works in, and `workspace`
    the workspace of the agent, if the host names it. `reason` is why the event occurred, in the
    words of the host. `has_token` says that the host still has a valid session token, and
    `sub_agent` that the call comes from a sub-agent.
    """

    name: str
    host: str
    session: str = "main"
    conversation: str = ""
    transcript: Path | None = None
    position: int = 0
    folder: Path | None = None
    prompt: str = ""
    reason: str = ""
    workspace: Path | None = None
    has_token: bool = False
    sub_agent: bool = False


def read_event(name: str, host: str, data: bytes) -> Event:
    """Return the event in the bytes that a host has written to stdin."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "the host's input is not JSON", hint="write the event as one JSON object to stdin"
        ) from error
    if not isinstance(values, dict):
        raise InvalidInput("the host's input is not an object")
    return (
        _openclaw_event(name, values)
        if host == "openclaw"
        else _single_user_event(name, host, values)
    )


def _single_user_event(name: str, host: str, values: Mapping[str, Any]) -> Event:
    """Return the event of Claude Code or Codex, which use the same field names."""
    return Event(
        name=name,
        host=host,
        conversation=_text(values, "session_id"),
        transcript=_path(values, "transcript_path"),
        position=_size(_path(values, "transcript_path")),
        folder=_path(values, "cwd"),
        prompt=_without_surrogates(_text(values, "prompt")),
        reason=_text(values, "source", "trigger", "reason"),  # its name depends on the event
        sub_agent=bool(_text(values, "agent_id")),
    )


def _openclaw_event(name: str, values: Mapping[str, Any]) -> Event:
    """Return the event of OpenClaw, which names the chat and the workspace."""
    count = values.get("messageCount")
    transcript = _path(values, "sessionFile")
    return Event(
        name=name,
        host="openclaw",
        session=_text(values, "sessionKey") or "unknown",
        conversation=_text(values, "sessionId"),
        transcript=transcript,
        position=_size(transcript) or (count if isinstance(count, int) and count > 0 else 0),
        reason=_text(values, "reason"),
        workspace=_path(values, "workspaceDir"),
        has_token=values.get("hasToken") is True,
    )


def _text(values: Mapping[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(value := values.get(name), str) and value:
            return value
    return ""


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can contain and UTF-8 cannot."""
    return text.encode(errors="replace").decode()


def _path(values: Mapping[str, Any], name: str) -> Path | None:
    """Return a field as an absolute path; None if the host gave something else, such as an id."""
    value = _text(values, name)
    if not value or "\0" in value:
        return None
    path = Path(value).expanduser() if value.startswith("~/") else Path(value)
    return path if path.is_absolute() else None


def _size(path: Path | None) -> int:
    """Return the current size of a file; 0 if it cannot be read."""
    try:
        return path.stat().st_size if path else 0
    except OSError:
        return 0
