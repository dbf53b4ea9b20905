"""Find the transcripts that belong to a scope, if the owner allows it for that scope.

OpenClaw serves many chats: a transcript belongs to the scope of its session key; without a key it
belongs to no scope. Claude Code and Codex serve one person: their transcripts belong to main, in
the workspace in which they ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from remem.config import Config
from remem.errors import RememError
from remem.files.host_folders import host_homes
from remem.files.layout import Layout
from remem.files.locks import Signature, signature
from remem.files.rooms import read_rooms
from remem.files.transcripts.reading import READERS, head_of
from remem.files.transcripts.records import (
    HostName,
    TranscriptFile,
    TranscriptSearch,
    is_same_folder,
)
from remem.model.rooms import Rooms
from remem.model.scope import Scope, Session
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
class TranscriptListing:
    """The transcripts of a scope, oldest first; `problems` says what could not be read."""

    transcripts: tuple[Transcript, ...] = ()
    problems: tuple[str, ...] = ()


def transcripts_of(search: TranscriptSearch) -> TranscriptListing:
    """Return every transcript that belongs to a scope of a workspace.

    A folder or file that cannot be read is reported, and the others are still returned.
    """
    problems: list[str] = []
    transcripts: list[Transcript] = []
    for reader in READERS.values():
        try:
            for source in reader.sources(search):
                transcripts += _transcripts_in(source, search.root, problems)
        except RememError as error:
            problems.append(str(error))
    transcripts.sort(key=lambda transcript: (transcript.modified_at, transcript.reference))
    return TranscriptListing(tuple(transcripts), tuple(problems))


def _transcripts_in(
    source: Iterator[TranscriptFile], root: Path, problems: list[str]
) -> Iterator[Transcript]:
    try:
        for file in source:
            yield from _transcripts_from(file, root, problems)
    except RememError as error:
        problems.append(str(error))


def _transcripts_from(file: TranscriptFile, root: Path, problems: list[str]) -> list[Transcript]:
    """Return a list with the transcript, empty if it does not belong to the workspace `root`.

    It belongs to it if that is known, or if its records name the folder.
    """
    current = signature(file.path)
    if current is None:
        return []
    if not file.known_to_belong:
        try:
            cwd = head_of(file.path).cwd
        except RememError as error:
            problems.append(str(error))
            return []
        if cwd is None or not is_same_folder(cwd, root):
            return []
    modified_at = format_time(datetime.fromtimestamp(current[0] // 10**9, UTC))
    return [Transcript(file.reference, file.path, file.host, modified_at, current)]


def allowed_transcripts(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str]
) -> TranscriptListing:
    """Return the transcripts that belong to a scope, if its conversations may be searched."""
    if str(scope) not in config.transcripts:
        return TranscriptListing()
    # Only groups need the names of rooms, so that an unreadable list does not affect main.
    rooms = read_rooms(layout.root) if scope.kind == "group" else Rooms()

    def session_of_key(key: str) -> Session:
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )

    homes = host_homes(config, environment)
    return transcripts_of(TranscriptSearch(scope, layout.root, homes, session_of_key))
