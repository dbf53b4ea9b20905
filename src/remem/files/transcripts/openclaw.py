"""Whose is a transcript of OpenClaw? Its session key tells, which stands in `sessions.json`.

A file that two keys claim, or none, has no key: it belongs to nobody. An entry names its
session, its file (which may be an identifier) and the sessions that it had before a reset,
whose transcripts now lie in archives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from remem.core.scope import Scope, Session
from remem.errors import FileError
from remem.notes import files
from remem.notes.transcripts.chatter import is_machine_key

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
    data = files.read(path)
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
