"""Transcripts of a host: JSONL of sessions, with all records that are not speech.

Tool results, thinking and images are most of the bytes; a third of the user's turns are the
host's own; the others carry an envelope. One line is as long as a photograph.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from tests.samples.fake_secrets import secrets
from tests.samples.room_files import ALLOTMENT_KEY, CHOIR_KEY
from tests.samples.world import World, world

MAIN_KEY, CRON_KEY = "agent:main:main", "agent:main:cron:digest:run:41"
SAID = {
    MAIN_KEY: "Remember that the lighthouse tour starts at the blue buoy.",
    CHOIR_KEY: "Note for the choir: the soloist arrives a day early.",
    ALLOTMENT_KEY: "The bee keeper wants the upper plot.",
    CRON_KEY: "Daily digest was made.",
}
IMAGE_LINE = 432_000
_START = datetime(2026, 11, 10, 9, 0, tzinfo=UTC)
_NOISE = (
    "System: [2026-11-10 09:02:11 UTC] Exec completed (code 0)",
    "System (untrusted): [2026-11-10] hook fired",
    "[cron:5f2c digest] Make the daily digest.",
    "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK.",
)


def transcripts(home: Path, seed: int = 1, turns: int = 60) -> None:
    """Sessions of one agent below `home/agents/main/sessions`, and two archives."""
    spoken = world("english", seed)
    folder = home / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    index: dict[str, Any] = {}
    for key, said in SAID.items():
        random = spoken.random(f"transcript {key}")
        session = str(UUID(int=random.getrandbits(128), version=4))
        lines = list(_lines(spoken, session, said, turns, random))
        (folder / f"{session}.jsonl").write_text("".join(lines), encoding="utf-8")
        kind = {"telegram": "group", "cron": "cron"}.get(key.split(":")[2], "direct")
        index[key] = {"sessionId": session, "updatedAt": 1_794_300_000_000, "chatType": kind}
        if key == MAIN_KEY:
            for ending in ("reset", "deleted"):
                archive = folder / f"{session}.jsonl.{ending}.2026-11-09T08-00-00.000Z"
                archive.write_text("".join(lines[: len(lines) // 3]), encoding="utf-8")
    (folder / "sessions.json").write_text(json.dumps(index, indent=2), encoding="utf-8")


def _lines(spoken: World, session: str, said: str, turns: int, random: Random) -> Iterator[str]:
    at = _START
    header = {"type": "session", "version": random.choice((3, 4)), "id": session}
    yield _json({**header, "timestamp": _stamp(at), "cwd": "/home/jonas/workspace"})
    yield _json({"type": "model_change", "id": "m1", "parentId": None, "modelId": "Delphi-flash"})
    yield _json({"type": "thinking_level_change", "id": "t1", "parentId": "m1", "level": "low"})
    parent: str | None = None
    for number in range(turns):
        messages = _turn(spoken, said if number == turns // 2 else "", number, random)
        for message in messages:
            at += timedelta(seconds=random.randint(2, 90))
            record = f"{random.getrandbits(32):08x}"
            message["timestamp"] = int(at.timestamp() * (1 if number % 7 == 0 else 1000))
            yield _json({"type": "message", "id": record, "parentId": parent,
                         "timestamp": _stamp(at), "message": message})  # fmt: skip
            parent = record
    yield '{"type":"message","id":"cut off in the mi\n'
    yield _json({"type": "custom", "data": {"unknown": True}})


def _turn(spoken: World, said: str, number: int, random: Random) -> Iterator[dict[str, Any]]:
    """What the user or the host says, and all that the assistant does before it answers."""
    if not said and number % 3 == 0:
        yield {"role": "user", "content": random.choice(_NOISE)}
        yield _assistant({"type": "text", "text": random.choice(("HEARTBEAT_OK", "NO_REPLY"))})
        return
    words = said or spoken.event(random)
    envelope = f"[Telegram Jonas id:88{number:04d} 2026-11-10 09:{number % 60:02d} UTC] "
    yield {"role": "user", "content": [{"type": "text", "text": envelope + words}]}
    call = {"type": "toolCall", "id": f"call_{number}", "name": "read", "arguments": {"path": "x"}}
    thinking = " ".join(spoken.event(random) for _ in range(4))
    yield _assistant({"type": "thinking", "thinking": thinking}, call)
    result = "\n".join(spoken.event(random) for _ in range(20))
    if number == 5:
        result = secrets(spoken.seed)[0].line
    yield {"role": "toolResult", "toolCallId": f"call_{number}", "toolName": "read",
           "content": [{"type": "text", "text": result}]}  # fmt: skip
    if number == 8:
        data = base64.b64encode(random.randbytes(IMAGE_LINE * 3 // 4)).decode()
        image = {"type": "image", "mimeType": "image/png", "data": data}
        yield {"role": "user", "content": [image, {"type": "text", "text": "What is this?"}]}
    yield _assistant({"type": "text", "text": spoken.event(random)})


def _assistant(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts), "provider": "none", "stopReason": "stop"}


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
