"""The event that a host reports, read from the field names of each host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from remem.errors import InvalidInput

HOSTS: Final = ("claude-code", "codex", "openclaw")
EVENTS: Final = (
    "session-start",
    "prompt",
    "pre-compact",
    "stop",
    "session-end",
    "bootstrap",
    "remem",
)


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook. `session` is the key of the chat; hosts that serve one person have
    but main. `conversation` is the host's own id of it, `position` how far it has come."""

    name: str
    host: str
    session: str = "main"
    conversation: str = ""
    transcript: Path | None = None
    position: int = 0
    prompt: str = ""
    reason: str = ""
    workspace: Path | None = None
    has_token: bool = False
    sub_agent: bool = False


def read_event(name: str, host: str, data: bytes) -> Event:
    """The event in the bytes that a host has written to stdin."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the host's input is not JSON") from error
    if not isinstance(said, dict):
        raise InvalidInput("the host's input is not an object")
    return _of_openclaw(name, said) if host == "openclaw" else _of_one_person(name, host, said)


def _of_one_person(name: str, host: str, said: Mapping[str, Any]) -> Event:
    """Claude Code and Codex: the same names."""
    return Event(
        name=name,
        host=host,
        conversation=_text(said, "session_id"),
        transcript=_path(said, "transcript_path"),
        position=_size(_path(said, "transcript_path")),
        prompt=_whole(_text(said, "prompt")),
        reason=_text(said, "source", "trigger", "reason"),
        sub_agent=bool(_text(said, "agent_id")),
    )


def _of_openclaw(name: str, said: Mapping[str, Any]) -> Event:
    count = said.get("messageCount")
    transcript = _path(said, "sessionFile")
    return Event(
        name=name,
        host="openclaw",
        session=_text(said, "sessionKey") or "unknown",
        conversation=_text(said, "sessionId"),
        transcript=transcript,
        position=_size(transcript) or (count if isinstance(count, int) and count > 0 else 0),
        reason=_text(said, "reason"),
        workspace=_path(said, "workspaceDir"),
        has_token=said.get("hasToken") is True,
    )


def _text(said: Mapping[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(value := said.get(name), str) and value:
            return value
    return ""


def _whole(text: str) -> str:
    """Without halves of characters, which JSON can carry and nothing else."""
    return text.encode(errors="replace").decode()


def _path(said: Mapping[str, Any], name: str) -> Path | None:
    """An absolute path; a host may also give an id where a path is expected."""
    value = _text(said, name)
    if not value or "\0" in value:
        return None
    path = Path(value).expanduser() if value.startswith("~/") else Path(value)
    return path if path.is_absolute() else None


def _size(path: Path | None) -> int:
    """How long the transcript is now; what is said later belongs to a later call."""
    try:
        return path.stat().st_size if path else 0
    except OSError:
        return 0
