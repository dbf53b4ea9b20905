"""Whose is a transcript of OpenClaw? Its session key tells, which stands in `sessions.json`.

A file that two keys claim, or none, has no key: it belongs to nobody. An entry names its
session, its file (which may be an identifier) and the sessions that it had before a reset,
whose transcripts now lie in archives.

How is a transcript of OpenClaw read? Versions 3 and 4, and what its archives keep of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.transcripts import cleaning
from remem.files.transcripts.cleaning import (
    Heard,
    after_system_lines,
    is_machine_key,
    moment_of,
    one_line,
    spoken,
    text_blocks,
    turn_of,
    unwrapped,
)
from remem.files.transcripts.records import Reader, Record, Role, Skipped, Turn, Why
from remem.model.scope import Scope, Session

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
    if cleaning.not_a_person(provenance):
        return "memory" if cleaning.is_recalled(provenance) else "host"
    raw = text_blocks(message.get("content"))
    if raw is None:
        return "tool" if isinstance(message.get("content"), list) else "wrong shape"
    when = moment_of(message.get("timestamp"), value.get("timestamp"))
    return _Said(role, raw, when)


def _wakes(heard: Heard) -> bool:
    """A person who quotes a heartbeat comes in an envelope, and cannot silence the agent."""
    return not heard.enveloped and cleaning.is_heartbeat(one_line(after_system_lines(heard.text)))


def _kept(line: int, said: _Said, words: str, skipped: Skipped) -> Turn | None:
    flat = one_line(words)
    if cleaning.is_silence(flat) or (said.role == "user" and cleaning.is_generated(flat)):
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


FILE: Final = "sessions.json"
_TRANSCRIPT: Final = re.compile(
    r"(?P<base>[^/]+?\.jsonl)(?:\.(?:reset|deleted)\.\d{4}-\d\d-\d\dT[\d.:-]{5,20}Z?)?"
)
_SHARED_CHATS: Final = frozenset({"group", "channel", "room", "thread", "forum"})
_PLAIN: Final = re.compile(r"[^/\\\x00]{1,200}")


Whose = Callable[[str], Session]
"""Reads a session key."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A key with the kind of chat that the host says it is, and the files that it names."""

    key: str
    chat_type: str | None
    machine: bool
    names: frozenset[str]


def base_name(name: str) -> str | None:
    """The name that a transcript had before it was archived; None if it is no transcript."""
    match = _TRANSCRIPT.fullmatch(name)
    return match["base"] if match else None


def owners_in(folder: Path, agent: str, whose: Whose) -> dict[str, Scope]:
    """The scope of every transcript that has one, by its name before it was archived."""
    scopes: dict[str, set[Scope | None]] = {}
    for claim in claims_in(folder):
        scope = _scope_of(claim, agent, whose)
        for name in claim.names:
            scopes.setdefault(name, set()).add(scope)
    agreed = ((name, found.pop()) for name, found in scopes.items() if len(found) == 1)
    return {name: scope for name, scope in agreed if scope is not None}


def claims_in(folder: Path) -> tuple[Claim, ...]:
    """What the keys of an agent claim. No error quotes the file: it speaks of every chat."""
    path = folder / FILE
    data = atomic.read(path)
    if data is None:
        return ()
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise FileError(
            f"{path} cannot be read as JSON", hint="until it can, its transcripts are nobody's"
        ) from None
    return tuple(_claims(value, folder)) if isinstance(value, dict) else ()


def _scope_of(claim: Claim, agent: str, whose: Whose) -> Scope | None:
    """The key's scope. A host may fold a group into a private key: its kind of chat tells."""
    session = whose(claim.key)
    if claim.machine or session.scope is None or session.agent != agent.lower():
        return None
    if claim.chat_type in _SHARED_CHATS and session.scope.kind != "group":
        return None
    return session.scope


def _claims(value: dict[str, Any], folder: Path) -> Iterator[Claim]:
    for key, entry in value.items():
        if isinstance(entry, dict):
            chat_type = entry.get("chatType")
            yield Claim(
                key,
                chat_type if isinstance(chat_type, str) else None,
                is_machine_key(key) or is_machine_key(entry.get("spawnedBy")),
                frozenset(_names(entry, folder)),
            )


def _names(entry: dict[str, Any], folder: Path) -> Iterator[str]:
    family = entry.get("usageFamilySessionIds")
    earlier = family if isinstance(family, list) else []
    for known in (entry.get("sessionId"), entry.get("previousSessionId"), *earlier):
        if isinstance(known, str) and _PLAIN.fullmatch(known):
            yield f"{known}.jsonl"
    if isinstance(file := entry.get("sessionFile"), str) and (name := _file(file, folder)):
        yield name


def _file(text: str, folder: Path) -> str | None:
    """The file that `sessionFile` names in this folder; a path that leads elsewhere is none.

    The home may have moved since: what counts of a path are its last folders.
    """
    path = PurePosixPath(text.replace("\\", "/"))
    if path.parent != PurePosixPath(".") and path.parent.parts[-3:] != folder.parts[-3:]:
        return None
    if not path.name or ".." in path.parts:
        return None
    return base_name(path.name) or f"{path.name}.jsonl"
