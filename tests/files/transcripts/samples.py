"""Transcripts as the hosts write them, made up line by line."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remem.files.transcripts.reading import open_transcript
from remem.files.transcripts.records import Turn

HEARTBEAT = (
    "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or "
    "repeat old tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK."
)


def session(version: int = 4, cwd: str = "/w") -> dict[str, Any]:
    return {
        "type": "session",
        "version": version,
        "id": "5b0e7a3c-0000-4000-8000-000000000001",
        "timestamp": "2026-11-10T09:00:00.000Z",
        "cwd": cwd,
    }


def said(
    role: str, content: Any, *, timestamp: Any = 1774146087067, **message: Any
) -> dict[str, Any]:
    """A message of OpenClaw; a text becomes one block."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {
        "type": "message",
        "id": "2b273513",
        "parentId": None,
        "timestamp": "2026-11-10T09:00:01.000Z",
        "message": {"role": role, "content": blocks, "timestamp": timestamp, **message},
    }


def user(content: Any, **message: Any) -> dict[str, Any]:
    return said("user", content, **message)


def assistant(content: Any, **message: Any) -> dict[str, Any]:
    return said("assistant", content, provider="p", model="m", stopReason="stop", **message)


def tool_call(name: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": "call_1", "name": name, "arguments": {"path": "MEMORY.md"}}


def tool_result(text: str, name: str = "memory_get") -> dict[str, Any]:
    return said("toolResult", text, toolCallId="call_1", toolName=name, isError=False, details={})


def typed(content: Any, **envelope: Any) -> dict[str, Any]:
    """A turn of the person in Claude Code."""
    return claude("user", content, **envelope)


def claude(role: str, content: Any, **envelope: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/w",
        "sessionId": "s-1",
        "version": "2.1.0",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": "u-1",
        "timestamp": "2026-11-10T09:00:02.500Z",
        **envelope,
    }


def meta(cwd: str = "/w", **payload: Any) -> dict[str, Any]:
    """The first record of a transcript of Codex."""
    return codex("session_meta", id="c-1", cwd=cwd, cli_version="0.153.4", **payload)


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-10T09:00:03Z", "type": kind, "payload": payload}


def item(role: str, text: str) -> dict[str, Any]:
    block = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return codex("response_item", type="message", role=role, content=[block])


def event(kind: str, text: str) -> dict[str, Any]:
    return codex("event_msg", type=kind, message=text)


def written(path: Path, records: Sequence[Any]) -> Path:
    """A file of these records; bytes are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()
        for record in records
    )
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def lines_of(path: Path) -> list[Turn]:
    return list(open_transcript(path).lines())


def texts_of(path: Path) -> list[str]:
    return [line.text for line in lines_of(path)]
