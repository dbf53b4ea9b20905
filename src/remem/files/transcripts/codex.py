"""Read Codex transcripts: the messages of the model, and events that have no such message.

Codex writes most turns twice: as the message that the model sees, and as the event that the screen
shows. The event is used only if there is no such message. Either can come first, so turns are held
back until many others have followed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from remem.files.transcripts.records import (
    HEAD_RECORDS,
    JsonRecord,
    Role,
    Skipped,
    SkipReason,
    TranscriptFile,
    TranscriptReader,
    TranscriptSearch,
    Turn,
    files_in,
    folders_in,
    records,
    text_blocks,
    time_of,
    turn_of,
    typed_text,
)
from remem.model.scope import MAIN

_RECORD_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context")
_TOOL_TYPES: Final = frozenset(
    {"function_call", "function_call_output", "reasoning", "custom_tool_call", "web_search_call"}
    | {"custom_tool_call_output", "local_shell_call", "mcp_tool_call_begin", "mcp_tool_call_end"}
)
_ROLE_OF_EVENT: Final[dict[str, Role]] = {"user_message": "user", "agent_message": "assistant"}
_HOST_TAGS: Final = (
    *("environment_context", "user_instructions", "permissions", "permissions instructions"),
    *("recommended_plugins", "turn_aborted", "task-notification", "in-app-browser-context"),
    *("collaboration_mode", "skill", "subagent_notification", "remem"),
)
_HOST_PREFIXES: Final = ("# AGENTS.md instructions",)
_TEXT_BLOCKS: Final = ("input_text", "output_text", "text")
_MAX_HELD: Final = 64
_MAX_HELD_CHARACTERS: Final = 2**22


@dataclass(slots=True)
class _HeldTurn:
    """A turn that is held back; it is `paired` if it was written as a message and as an event."""

    turn: Turn
    is_event: bool
    paired: bool = False


def _turns(stream: Iterable[JsonRecord], skipped: Skipped) -> Iterator[Turn]:
    held_turns, characters = deque[_HeldTurn](), 0
    for record in stream:
        new = _parse(record)
        if not isinstance(new, _HeldTurn):
            skipped[new] += 1
            continue
        _pair(new, held_turns)
        held_turns.append(new)
        characters += len(new.turn.text)
        while len(held_turns) > _MAX_HELD or (
            characters > _MAX_HELD_CHARACTERS and len(held_turns) > 1
        ):
            oldest = held_turns.popleft()
            characters -= len(oldest.turn.text)
            yield from _release(oldest, skipped)
    for remaining in held_turns:
        yield from _release(remaining, skipped)


def _pair(new: _HeldTurn, held_turns: Iterable[_HeldTurn]) -> None:
    """Pair a turn with its counterpart; an event belongs to at most one message."""
    for other in held_turns:
        if other.is_event == new.is_event or other.paired:
            continue
        if other.turn.role == new.turn.role and other.turn.text == new.turn.text:
            other.paired = new.paired = True
            return


def _release(held_turn: _HeldTurn, skipped: Skipped) -> Iterator[Turn]:
    """Yield a turn, unless it is an event that repeats a message."""
    if held_turn.is_event and held_turn.paired:
        skipped["repeated"] += 1
    else:
        yield held_turn.turn


def _parse(record: JsonRecord) -> _HeldTurn | SkipReason:
    value, payload = record.value, record.value.get("payload")
    if value.get("type") not in ("response_item", "event_msg"):
        return "other record"
    if not isinstance(payload, dict) or not isinstance(payload.get("type"), str):
        return "wrong shape"
    kind = payload["type"]
    if kind in _TOOL_TYPES:
        return "tool"
    is_event = value["type"] == "event_msg"
    role = _ROLE_OF_EVENT.get(kind) if is_event else payload.get("role")
    if role not in ("user", "assistant") or (kind != "message" and not is_event):
        return "other record"
    raw = payload.get("message") if is_event else text_blocks(payload.get("content"), _TEXT_BLOCKS)
    if not isinstance(raw, str):
        return "wrong shape"
    text = typed_text(raw, _HOST_TAGS, _HOST_PREFIXES) if role == "user" else raw
    if text is None:
        return "host"
    turn = turn_of(record.line, role, text, time_of(value.get("timestamp")))
    return _HeldTurn(turn, is_event) if turn else "empty"


def _is_subagent_session(path: Path) -> bool:
    """Return whether one of the first records says that the session belongs to a sub-agent."""
    with closing(records(path, Skipped())) as stream:
        return any(_is_subagent(record.value) for record in islice(stream, HEAD_RECORDS))


def _is_subagent(value: dict[str, Any]) -> bool:
    payload = value.get("payload")
    source = payload.get("source") if isinstance(payload, dict) else None
    return value.get("type") == "session_meta" and isinstance(source, dict) and "subagent" in source


def _recognises(value: dict[str, Any]) -> bool:
    return value.get("type") in _RECORD_TYPES and isinstance(value.get("payload"), dict)


def _cwd(value: dict[str, Any]) -> str | None:
    payload = value.get("payload")
    cwd = payload.get("cwd") if isinstance(payload, dict) else None
    return cwd if value.get("type") == "session_meta" and isinstance(cwd, str) else None


def _sources(search: TranscriptSearch) -> Iterator[Iterator[TranscriptFile]]:
    if search.scope == MAIN:
        yield _transcripts_in(search.homes.codex / "sessions")


def _transcripts_in(folder: Path) -> Iterator[TranscriptFile]:
    """Yield all transcripts below a folder; Codex makes subfolders for years, months and days."""
    for path in files_in(folder):
        if path.name.endswith(".jsonl"):
            yield TranscriptFile(path, f"sessions/codex/{path.name}", "codex")
    for subfolder in folders_in(folder):
        yield from _transcripts_in(subfolder)


READER: Final = TranscriptReader("codex", _sources, _recognises, _cwd, _turns, _is_subagent_session)
