"""How is a transcript of OpenClaw read? Versions 3 and 4, and what its archives keep of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from remem.notes.transcripts import chatter
from remem.notes.transcripts.cleaning import moment_of, one_line, text_blocks, turn_of
from remem.notes.transcripts.envelopes import Heard, after_system_lines, spoken, unwrapped
from remem.notes.transcripts.turns import Reader, Record, Role, Skipped, Turn, Why

_TOOL_ROLES: Final = frozenset({"toolResult", "tool", "bashExecution"})


@dataclass(frozen=True, slots=True)
class _Said:
    role: Role
    raw: str
    moment: str | None


def _turns(records: Iterable[Record], skipped: Skipped) -> Iterator[Turn]:
    """After a heartbeat nothing counts until a person speaks again."""
    woken = False
    for record in records:
        said = _said(record.value)
        if not isinstance(said, _Said):
            skipped[said] += 1
        elif said.role == "user":
            heard = unwrapped(said.raw)
            if _wakes(heard):
                woken = True
                skipped["host"] += 1
            elif turn := _kept(record.line, said, heard.text, skipped):
                woken = False
                yield turn
        elif woken:
            skipped["host"] += 1
        elif turn := _kept(record.line, said, spoken(said.raw), skipped):
            yield turn


def is_scheduled_prompt(value: dict[str, Any]) -> bool | None:
    """Whether a user's turn is the prompt of a schedule; None if it is no user's turn."""
    said = _said(value)
    if not isinstance(said, _Said) or said.role != "user":
        return None
    return one_line(unwrapped(said.raw[:2000]).text).startswith("[cron:")


def _said(value: dict[str, Any]) -> _Said | Why:
    if value.get("type") != "message":
        return "other record"
    message = value.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return "wrong shape"
    role, provenance = message["role"], message.get("provenance")
    if role in _TOOL_ROLES:
        return "tool"
    if role not in ("user", "assistant"):
        return "other record"
    if chatter.not_a_person(provenance):
        return "memory" if chatter.is_recalled(provenance) else "host"
    raw = text_blocks(message.get("content"))
    if raw is None:
        return "tool" if isinstance(message.get("content"), list) else "wrong shape"
    when = moment_of(message.get("timestamp"), value.get("timestamp"))
    return _Said(role, raw, when)


def _wakes(heard: Heard) -> bool:
    """A person who quotes a heartbeat comes in an envelope, and cannot silence the agent."""
    return not heard.enveloped and chatter.is_heartbeat(one_line(after_system_lines(heard.text)))


def _kept(line: int, said: _Said, words: str, skipped: Skipped) -> Turn | None:
    flat = one_line(words)
    if chatter.is_silence(flat) or (said.role == "user" and chatter.is_generated(flat)):
        skipped["host"] += 1
        return None
    turn = turn_of(line, said.role, words, said.moment)
    if turn is None:
        skipped["empty"] += 1
    return turn


def _recognises(value: dict[str, Any]) -> bool:
    if value.get("type") == "session":
        return isinstance(value.get("id"), str) and isinstance(value.get("version"), int)
    message = value.get("message")
    return (
        value.get("type") == "message"
        and isinstance(message, dict)
        and isinstance(message.get("role"), str)
        and "content" in message
    )


def _cwd(value: dict[str, Any]) -> str | None:
    cwd = value.get("cwd")
    return cwd if value.get("type") == "session" and isinstance(cwd, str) else None


READER: Final = Reader("openclaw", _recognises, _cwd, _turns)
