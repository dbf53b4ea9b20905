"""How is a transcript of Codex read? The messages of the model, and events that have none.

Codex writes most turns twice: as what the model sees, and as what the screen shows. The first
is taken; the second only where the first is missing. Which of them comes first differs, so a
few turns are held back until their twin must have come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from remem.files.transcripts.cleaning import moment_of, text_blocks, turn_of, without_blocks
from remem.files.transcripts.records import Reader, Record, Role, Skipped, Turn, Why

_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context")
_TOOLS: Final = frozenset(
    {"function_call", "function_call_output", "reasoning", "custom_tool_call", "web_search_call"}
    | {"custom_tool_call_output", "local_shell_call", "mcp_tool_call_begin", "mcp_tool_call_end"}
)
_EVENTS: Final[dict[str, Role]] = {"user_message": "user", "agent_message": "assistant"}
_ADDED: Final = (
    *("environment_context", "user_instructions", "permissions", "permissions instructions"),
    *("recommended_plugins", "turn_aborted", "task-notification", "in-app-browser-context"),
    *("collaboration_mode", "skill", "subagent_notification", "remem"),
)
_STARTS: Final = ("# AGENTS.md instructions",)
_HELD: Final = 64
_HELD_CHARACTERS: Final = 2**22


@dataclass(slots=True)
class _Held:
    turn: Turn
    source: Literal["message", "event"]
    paired: bool = False


def _turns(records: Iterable[Record], skipped: Skipped) -> Iterator[Turn]:
    held, characters = deque[_Held](), 0
    for record in records:
        said = _said(record)
        if not isinstance(said, _Held):
            skipped[said] += 1
            continue
        _pair(said, held)
        held.append(said)
        characters += len(said.turn.text)
        while len(held) > _HELD or (characters > _HELD_CHARACTERS and len(held) > 1):
            oldest = held.popleft()
            characters -= len(oldest.turn.text)
            yield from _released(oldest, skipped)
    for each in held:
        yield from _released(each, skipped)


def _pair(said: _Held, held: Iterable[_Held]) -> None:
    """Each event has one message at most, and each message one event."""
    for other in held:
        if other.source == said.source or other.paired:
            continue
        if other.turn.role == said.turn.role and other.turn.text == said.turn.text:
            other.paired = said.paired = True
            return


def _released(held: _Held, skipped: Skipped) -> Iterator[Turn]:
    if held.source == "event" and held.paired:
        skipped["repeated"] += 1
    else:
        yield held.turn


def _said(record: Record) -> _Held | Why:
    value, payload = record.value, record.value.get("payload")
    if value.get("type") not in ("response_item", "event_msg"):
        return "other record"
    if not isinstance(payload, dict) or not isinstance(payload.get("type"), str):
        return "wrong shape"
    kind, when = payload["type"], moment_of(value.get("timestamp"))
    if kind in _TOOLS:
        return "tool"
    if value["type"] == "event_msg":
        if kind not in _EVENTS:
            return "other record"
        raw = payload.get("message")
        return _held(record.line, _EVENTS[kind], raw, when, "event")
    if kind != "message" or payload.get("role") not in ("user", "assistant"):
        return "other record"
    raw = text_blocks(payload.get("content"), ("input_text", "output_text", "text"))
    return _held(record.line, payload["role"], raw, when, "message")


def _held(
    line: int, role: Role, raw: Any, when: str | None, source: Literal["message", "event"]
) -> _Held | Why:
    if not isinstance(raw, str):
        return "wrong shape"
    if role == "user":
        raw = without_blocks(raw, _ADDED).strip()
        if raw.startswith(_STARTS) or not raw:
            return "host"
    turn = turn_of(line, role, raw, when)
    return _Held(turn, source) if turn else "empty"


def is_subagent(value: dict[str, Any]) -> bool:
    """Whether a record says that its whole session is another agent's errand."""
    payload = value.get("payload")
    source = payload.get("source") if isinstance(payload, dict) else None
    return value.get("type") == "session_meta" and isinstance(source, dict) and "subagent" in source


def _recognises(value: dict[str, Any]) -> bool:
    return value.get("type") in _TYPES and isinstance(value.get("payload"), dict)


def _cwd(value: dict[str, Any]) -> str | None:
    payload = value.get("payload")
    cwd = payload.get("cwd") if isinstance(payload, dict) else None
    return cwd if value.get("type") == "session_meta" and isinstance(cwd, str) else None


READER: Final = Reader("codex", _recognises, _cwd, _turns)
