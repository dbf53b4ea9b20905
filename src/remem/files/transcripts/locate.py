"""Finds the transcripts that belong to a scope, if the owner allows it for that scope.

OpenClaw serves many chats: a transcript belongs to the scope of its session key; without a key it
belongs to no scope. Claude Code and Codex serve one person: their transcripts belong to main, in
the workspace in which they ran.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from remem.config import Config
from remem.errors import FileError
from remem.files.host_folders import HostHomes, host_homes
from remem.files.layout import Layout
from remem.files.locks import Signature, signature
from remem.files.rooms import read_rooms
from remem.files.transcripts import claude_code, codex, openclaw
from remem.files.transcripts.openclaw import SessionReader
from remem.files.transcripts.reading import head_of
from remem.files.transcripts.records import HostName, TranscriptFile
from remem.model.rooms import Rooms
from remem.model.scope import MAIN, Scope, Session
from remem.model.session import read_session
from remem.text.timestamps import format_time


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript of one scope; `reference` is the path under which it is cited."""

    reference: str
    file: Path
    host: HostName
    modified_at: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Listing:
    """The transcripts of a scope, oldest first; `problems` says what could not be read."""

    transcripts: tuple[Transcript, ...] = ()
    problems: tuple[str, ...] = ()


def transcripts_of(
    scope: Scope, root: Path, homes: HostHomes, session_of_key: SessionReader
) -> Listing:
    """Every transcript that belongs to a scope of the workspace at `root`.

    The result for a scope never depends on the files of another scope. A folder or file that
    cannot be read does not hide the others.
    """
    problems: list[str] = []
    sources = []
    try:
        for agent in openclaw.agents_in(homes.openclaw, homes.agents):
            known = bool(homes.agents) or _is_workspace_of(agent.name, homes.openclaw, root)
            sources.append(
                openclaw.transcripts_of(agent, scope, session_of_key, known_to_belong=known)
            )
    except FileError as error:
        problems.append(str(error))
    if scope == MAIN:
        sources.append(claude_code.transcripts_in(homes.claude, root))
        sources.append(codex.transcripts_in(homes.codex / "sessions"))
    found: list[Transcript] = []
    for source in sources:
        try:
            for file in source:
                found += _transcripts_from(file, root, problems)
        except FileError as error:
            problems.append(str(error))
    found.sort(key=lambda transcript: (transcript.modified_at, transcript.reference))
    return Listing(tuple(found), tuple(problems))


def _is_workspace_of(agent: str, openclaw_home: Path, root: Path) -> bool:
    """Whether `root` is the default workspace of an OpenClaw agent."""
    names = [f"workspace-{agent}"] + (["workspace"] if agent == "main" else [])
    return any(_is_same_folder(str(openclaw_home / name), root) for name in names)


def _transcripts_from(file: TranscriptFile, root: Path, problems: list[str]) -> list[Transcript]:
    """The transcript as a list; empty unless it is known to belong to the workspace or its
    records name the folder `root`."""
    found = signature(file.path)
    if found is None:
        return []
    if not file.known_to_belong:
        try:
            cwd = head_of(file.path).cwd
        except FileError as error:
            problems.append(str(error))
            return []
        if cwd is None or not _is_same_folder(cwd, root):
            return []
    modified_at = format_time(datetime.fromtimestamp(found[0] // 10**9, UTC))
    return [Transcript(file.reference, file.path, file.host, modified_at, found)]


def _is_same_folder(path: str, root: Path) -> bool:
    if "\x00" in path or not Path(path).is_absolute():
        return False
    return os.path.realpath(path) == os.path.realpath(root)


def allowed_transcripts(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str]
) -> Listing:
    """The transcripts that belong to a scope, if its conversations may be searched."""
    if str(scope) not in config.transcripts:
        return Listing()
    # Only groups need the names of rooms; an unreadable list must not affect main.
    rooms = read_rooms(layout.root) if scope.kind == "group" else Rooms()

    def session_of_key(key: str) -> Session:
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )

    return transcripts_of(scope, layout.root, host_homes(config, environment), session_of_key)
