"""Read OpenClaw transcripts (versions 3 and 4, and archives), and find the scope of each.

`sessions.json` names, for every session key, its session, its file (a path or an identifier), and
the sessions that it had before a reset, whose transcripts are archives now. A file that no key
names, or that keys of different scopes name, belongs to no scope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.transcripts.openclaw_text import (
    UnwrappedTurn,
    after_system_lines,
    is_generated,
    is_heartbeat,
    is_machine_key,
    is_not_a_person,
    is_recalled,
    is_silence,
    says_machine_run,
    unwrap,
    without_directives,
)
from remem.files.transcripts.records import (
    JsonRecord,
    Role,
    SessionReader,
    Skipped,
    SkipReason,
    TranscriptFile,
    TranscriptReader,
    TranscriptSearch,
    Turn,
    files_in,
    folders_in,
    is_same_folder,
    lines,
    parse_record,
    text_blocks,
    time_of,
    turn_of,
)
from remem.model.scope import Scope
from remem.text.words import flatten

_TOOL_ROLES: Final = frozenset({"toolResult", "tool", "bashExecution"})
_ARCHIVE: Final = re.compile(r".+\.jsonl\.(?:reset|deleted)\.[^/]+")
_HINTS_AT_MACHINE_RUN: Final = (b"dreaming-narrative-", b":cron:")
SESSIONS_FILE: Final = "sessions.json"
_TRANSCRIPT_NAME: Final = re.compile(
    r"(?P<base>[^/]+?\.jsonl)(?:\.(?:reset|deleted)\.\d{4}-\d\d-\d\dT[\d.:-]{5,20}Z?)?"
)
_SHARED_CHATS: Final = frozenset({"group", "channel", "room", "thread", "forum"})
_PLAIN_NAME: Final = re.compile(r"[^/\\\x00]{1,200}")


@dataclass(frozen=True, slots=True)
class _Message:
    role: Role
    raw: str
    time: str | None


def _turns(records: Iterable[JsonRecord], skipped: Skipped) -> Iterator[Turn]:
    """Yield the turns; after a heartbeat, everything is skipped until a person writes again."""
    after_heartbeat = False
    for record in records:
        message = _parse(record.value)
        if not isinstance(message, _Message):
            skipped[message] += 1
        elif message.role == "user":
            unwrapped_turn = unwrap(message.raw)
            if _is_heartbeat_turn(unwrapped_turn):
                after_heartbeat = True
                skipped["host"] += 1
            elif turn := _turn(record.line, message, unwrapped_turn.text, skipped):
                after_heartbeat = False
                yield turn
        elif after_heartbeat:
            skipped["host"] += 1
        elif turn := _turn(record.line, message, without_directives(message.raw), skipped):
            yield turn


def _is_scheduled_prompt(value: dict[str, Any]) -> bool | None:
    """Return whether a user turn is a scheduled prompt; None if the record is not a user turn."""
    message = _parse(value)
    if not isinstance(message, _Message) or message.role != "user":
        return None
    return flatten(unwrap(message.raw[:2000]).text).startswith("[cron:")


def _parse(value: dict[str, Any]) -> _Message | SkipReason:
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
    if is_not_a_person(provenance):
        return "memory" if is_recalled(provenance) else "host"
    raw = text_blocks(message.get("content"))
    if raw is None:
        return "tool" if isinstance(message.get("content"), list) else "wrong shape"
    return _Message(role, raw, time_of(message.get("timestamp"), value.get("timestamp")))


def _is_heartbeat_turn(turn: UnwrappedTurn) -> bool:
    """Return whether a turn is a heartbeat.

    A turn with an envelope is not: it is a person's message, which may quote a heartbeat.
    """
    return not turn.enveloped and is_heartbeat(flatten(after_system_lines(turn.text)))


def _turn(line: int, message: _Message, text: str, skipped: Skipped) -> Turn | None:
    """Return a turn; None, counted in `skipped`, if the host generated it or it is empty."""
    flat = flatten(text)
    if is_silence(flat) or (message.role == "user" and is_generated(flat)):
        skipped["host"] += 1
        return None
    turn = turn_of(line, message.role, text, message.time)
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


def _is_machine_run(path: Path) -> bool:
    """Return whether a transcript is of a scheduled run or a dreaming run.

    The record that says so may be the last one, so all lines are scanned, but only those that
    contain a hint are parsed. `sessions.json` may no longer have the key of an archive, so there
    the first user turn is checked as well.
    """
    check_first_turn = _ARCHIVE.fullmatch(path.name) is not None
    with closing(lines(path, Skipped())) as stream:
        for number, line in stream:
            has_hint = any(hint in line for hint in _HINTS_AT_MACHINE_RUN)
            if not has_hint and not (check_first_turn and b'"user"' in line):
                continue
            record = parse_record(number, line, Skipped())
            if record is None:
                continue
            if check_first_turn:
                is_scheduled = _is_scheduled_prompt(record.value)
                if is_scheduled:
                    return True
                check_first_turn = is_scheduled is None
            if says_machine_run(record.value):
                return True
    return False


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The names of the transcript files of a session key.

    `chat_type` is the kind of chat according to the host; `machine` says that no person takes part.
    """

    key: str
    chat_type: str | None
    machine: bool
    names: frozenset[str]


def _sources(search: TranscriptSearch) -> Iterator[Iterator[TranscriptFile]]:
    """Yield the transcripts of each configured agent, or of all agents."""
    homes = search.homes
    for agent in folders_in(homes.openclaw / "agents"):
        if not homes.agents or agent.name in homes.agents:
            known = bool(homes.agents) or _is_workspace_of(agent.name, search)
            yield _transcripts_of(agent, search, known_to_belong=known)


def _is_workspace_of(agent: str, search: TranscriptSearch) -> bool:
    """Return whether the workspace is the default workspace of an OpenClaw agent."""
    names = [f"workspace-{agent}"] + (["workspace"] if agent == "main" else [])
    return any(is_same_folder(str(search.homes.openclaw / name), search.root) for name in names)


def _transcripts_of(
    agent: Path, search: TranscriptSearch, *, known_to_belong: bool
) -> Iterator[TranscriptFile]:
    """Yield the transcripts of one agent that belong to the scope."""
    folder = agent / "sessions"
    files = files_in(folder)
    scopes = scopes_by_file(folder, agent.name, search.session_of_key) if files else {}
    for path in files:
        if scopes.get(base_name(path.name) or "") == search.scope:
            reference = f"sessions/{agent.name}/{path.name}"
            yield TranscriptFile(path, reference, "openclaw", known_to_belong)


def base_name(name: str) -> str | None:
    """Return the name that a transcript had before it was archived; None for any other file."""
    match = _TRANSCRIPT_NAME.fullmatch(name)
    return match["base"] if match else None


def scopes_by_file(folder: Path, agent: str, session_of_key: SessionReader) -> dict[str, Scope]:
    """Return the scopes of the transcripts, by file name; archived ones by their original name."""
    candidates: dict[str, set[Scope | None]] = {}
    for session_files in session_files_in(folder):
        scope = _scope_of(session_files, agent, session_of_key)
        for name in session_files.names:
            candidates.setdefault(name, set()).add(scope)
    unique = ((name, scopes.pop()) for name, scopes in candidates.items() if len(scopes) == 1)
    return {name: scope for name, scope in unique if scope is not None}


def session_files_in(folder: Path) -> tuple[SessionFiles, ...]:
    """Return the transcript files of each session key of an agent.

    Errors do not quote `sessions.json`, because it names all chats.
    """
    path = folder / SESSIONS_FILE
    data = atomic.read(path)
    if data is None:
        return ()
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise FileError(
            f"{path} is not valid JSON", hint="until it is fixed, its transcripts are ignored"
        ) from None
    return tuple(_session_files(value, folder)) if isinstance(value, dict) else ()


def _scope_of(
    session_files: SessionFiles, agent: str, session_of_key: SessionReader
) -> Scope | None:
    """Return the scope of a session key; None if it has none.

    A private key whose chat is a group according to the host has none either.
    """
    session = session_of_key(session_files.key)
    if session_files.machine or session.scope is None or session.agent != agent.lower():
        return None
    if session_files.chat_type in _SHARED_CHATS and session.scope.kind != "group":
        return None
    return session.scope


def _session_files(value: dict[str, Any], folder: Path) -> Iterator[SessionFiles]:
    for key, entry in value.items():
        if isinstance(entry, dict):
            chat_type = entry.get("chatType")
            yield SessionFiles(
                key,
                chat_type if isinstance(chat_type, str) else None,
                is_machine_key(key) or is_machine_key(entry.get("spawnedBy")),
                frozenset(_names(entry, folder)),
            )


def _names(entry: dict[str, Any], folder: Path) -> Iterator[str]:
    """Yield the names of the transcript files that the value of a session key names."""
    related = entry.get("usageFamilySessionIds")
    earlier = related if isinstance(related, list) else []
    for id_ in (entry.get("sessionId"), entry.get("previousSessionId"), *earlier):
        if isinstance(id_, str) and _PLAIN_NAME.fullmatch(id_):
            yield f"{id_}.jsonl"
    file = entry.get("sessionFile")
    if isinstance(file, str) and (name := _name_in_folder(file, folder)):
        yield name


def _name_in_folder(text: str, folder: Path) -> str | None:
    """Return the name of the file in this folder that `sessionFile` names.

    It is None if the file is in another folder. Only the last folders of the path are compared,
    because the home folder may have been moved.
    """
    path = PurePosixPath(text.replace("\\", "/"))
    if path.parent != PurePosixPath(".") and path.parent.parts[-3:] != folder.parts[-3:]:
        return None
    if not path.name or ".." in path.parts:
        return None
    return base_name(path.name) or f"{path.name}.jsonl"


READER: Final = TranscriptReader("openclaw", _sources, _recognises, _cwd, _turns, _is_machine_run)
