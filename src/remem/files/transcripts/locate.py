"""Finds the transcripts that belong to a scope, if the owner allows it for that scope.

OpenClaw serves many chats: a transcript belongs to the scope of its session key, and to none
without one. Claude Code and Codex serve one person: their transcripts belong to main, in the
workspace they ran in.
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
    """A transcript of one scope; `reference` is how it is cited."""

    reference: str
    file: Path
    host: HostName
    moment: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Listing:
    """The transcripts of a scope, oldest first, and what could not be read."""

    transcripts: tuple[Transcript, ...] = ()
    troubles: tuple[str, ...] = ()


def transcripts_of(scope: Scope, root: Path, homes: HostHomes, read_key: SessionReader) -> Listing:
    """Every transcript that belongs to a scope of the workspace at `root`.

    The answer for a scope never depends on the files of another. A folder or file that cannot be
    read does not hide the others.
    """
    troubles: list[str] = []
    sources = []
    try:
        for agent in openclaw.agents_in(homes.openclaw, homes.agents):
            certain = bool(homes.agents) or _is_workspace_of(agent.name, homes.openclaw, root)
            sources.append(openclaw.transcripts_of(agent, scope, read_key, certain=certain))
    except FileError as error:
        troubles.append(str(error))
    if scope == MAIN:
        sources.append(claude_code.transcripts_in(homes.claude, root))
        sources.append(codex.transcripts_in(homes.codex / "sessions"))
    found: list[Transcript] = []
    for source in sources:
        try:
            for file in source:
                found += _listed(file, root, troubles)
        except FileError as error:
            troubles.append(str(error))
    found.sort(key=lambda transcript: (transcript.moment, transcript.reference))
    return Listing(tuple(found), tuple(troubles))


def _is_workspace_of(agent: str, home: Path, root: Path) -> bool:
    names = [f"workspace-{agent}"] + (["workspace"] if agent == "main" else [])
    return any(_same(str(home / name), root) for name in names)


def _listed(file: TranscriptFile, root: Path, troubles: list[str]) -> list[Transcript]:
    """The transcript, if it is certain, or its records name the folder `root`."""
    found = signature(file.path)
    if found is None:
        return []
    if not file.certain:
        try:
            cwd = head_of(file.path).cwd
        except FileError as error:
            troubles.append(str(error))
            return []
        if cwd is None or not _same(cwd, root):
            return []
    changed = format_time(datetime.fromtimestamp(found[0] // 10**9, UTC))
    return [Transcript(file.reference, file.path, file.host, changed, found)]


def _same(cwd: str, root: Path) -> bool:
    if "\x00" in cwd or not Path(cwd).is_absolute():
        return False
    return os.path.realpath(cwd) == os.path.realpath(root)


def allowed_transcripts(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str]
) -> Listing:
    """The transcripts that belong to a scope, if its conversations may be searched."""
    if str(scope) not in config.transcripts:
        return Listing()
    # Only a group needs the names of rooms: main works without them.
    rooms = read_rooms(layout.root) if scope.kind == "group" else Rooms()

    def read_key(key: str) -> Session:
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )

    return transcripts_of(scope, layout.root, host_homes(config, environment), read_key)
