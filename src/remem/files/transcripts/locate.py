"""Finds the transcripts that belong to a scope, if the owner allows it for that scope.

OpenClaw serves many chats: a transcript belongs to the scope of its session key, and to none
without one. Claude Code and Codex serve one person: their transcripts belong to main, in the
workspace they ran in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from remem.config import Config
from remem.errors import ConfigError, FileError, shown
from remem.files.disk import file_errors
from remem.files.layout import Layout
from remem.files.locks import Signature, signature
from remem.files.rooms import read_rooms
from remem.files.transcripts.openclaw import SessionReader, base_name, scopes_by_file
from remem.files.transcripts.reading import head_of
from remem.files.transcripts.records import HostName
from remem.model.rooms import Rooms
from remem.model.scope import MAIN, Scope, Session
from remem.model.session import read_session
from remem.text.timestamps import format_time

# Characters of the cwd that become dashes in the name of a project folder, earlier and now.
_AS_DASH: Final = (re.compile(r"[/.\\:]"), re.compile(r"[^A-Za-z0-9]"))


@dataclass(frozen=True, slots=True)
class HostHomes:
    """The home folders of the hosts; None for one to be ignored.

    `agents` are the OpenClaw agents that work in this workspace. If there are none, an agent counts
    if its default workspace is this one, or a transcript names this folder.
    """

    openclaw: Path | None = None
    claude: Path | None = None
    codex: Path | None = None
    agents: tuple[str, ...] = ()


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


_Found = Transcript | str


def transcripts_of(scope: Scope, root: Path, homes: HostHomes, read_key: SessionReader) -> Listing:
    """Every transcript that belongs to a scope of the workspace at `root`.

    The answer for a scope never depends on the files of another.
    """
    found = list(_openclaw(scope, root, homes, read_key))
    if scope == MAIN:
        found += _with_errors(_claude(root, homes.claude))
        found += _with_errors(_codex(root, homes.codex))
    transcripts = [item for item in found if isinstance(item, Transcript)]
    return Listing(
        tuple(sorted(transcripts, key=lambda item: (item.moment, item.reference))),
        tuple(item for item in found if isinstance(item, str)),
    )


def _openclaw(
    scope: Scope, root: Path, homes: HostHomes, read_key: SessionReader
) -> Iterator[_Found]:
    home = homes.openclaw
    if home is None:
        return
    for agent in _folders(home / "agents"):
        if not homes.agents or agent.name in homes.agents:
            sure = bool(homes.agents) or _is_workspace_of(agent.name, home, root)
            yield from _with_errors(_of_agent(agent, scope, None if sure else root, read_key))


def _of_agent(
    agent: Path, scope: Scope, root: Path | None, read_key: SessionReader
) -> Iterator[_Found]:
    folder = agent / "sessions"
    files = _files(folder)
    scopes = scopes_by_file(folder, agent.name, read_key) if files else {}
    for path in files:
        if scopes.get(base_name(path.name) or "") == scope:
            yield from _listed(path, f"sessions/{agent.name}/{path.name}", "openclaw", root)


def _is_workspace_of(agent: str, home: Path, root: Path) -> bool:
    names = [f"workspace-{agent}"] + (["workspace"] if agent == "main" else [])
    return any(_same(str(home / name), root) for name in names)


def _claude(root: Path, home: Path | None) -> Iterator[_Found]:
    """Transcripts of Claude Code. The folder's name is derived from the cwd, but two can share
    one, so the records decide. A process's cwd has links resolved, unlike the workspace path."""
    if home is None:
        return
    paths = (str(root), os.path.realpath(root))
    for name in sorted({pattern.sub("-", path) for pattern in _AS_DASH for path in paths}):
        for path in _files(home / "projects" / name):
            if path.name.endswith(".jsonl"):
                yield from _listed(path, f"sessions/claude-code/{path.name}", "claude-code", root)


def _codex(root: Path, home: Path | None) -> Iterator[_Found]:
    if home is None:
        return
    for path in _below(home / "sessions"):
        if path.name.endswith(".jsonl"):
            yield from _listed(path, f"sessions/codex/{path.name}", "codex", root)


def _listed(path: Path, reference: str, host: HostName, root: Path | None) -> Iterator[_Found]:
    """The file, if its records name the folder `root`; with None they are not read."""
    found = signature(path)
    if found is None:
        return
    try:
        cwd = None if root is None else head_of(path).cwd
    except FileError as error:
        yield str(error)
        return
    if root is None or (cwd is not None and _same(cwd, root)):
        changed = format_time(datetime.fromtimestamp(found[0] // 10**9, UTC))
        yield Transcript(reference, path, host, changed, found)


def _with_errors(found: Iterator[_Found]) -> Iterator[_Found]:
    """Yield the error for a folder that cannot be read, so that others are still listed."""
    try:
        yield from found
    except FileError as error:
        yield str(error)


def _same(cwd: str, root: Path) -> bool:
    if "\x00" in cwd or not Path(cwd).is_absolute():
        return False
    return os.path.realpath(cwd) == os.path.realpath(root)


def _below(folder: Path) -> Iterator[Path]:
    yield from _files(folder)
    for subfolder in _folders(folder):
        yield from _below(subfolder)


def _folders(folder: Path) -> list[Path]:
    return sorted(
        Path(entry.path) for entry in _entries(folder) if entry.is_dir(follow_symlinks=False)
    )


def _files(folder: Path) -> list[Path]:
    return sorted(
        Path(entry.path) for entry in _entries(folder) if entry.is_file(follow_symlinks=False)
    )


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder; none if it is a link or does not exist."""
    with file_errors(folder, "listed"):
        try:
            if folder.is_symlink():
                return []
            with os.scandir(folder) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except PermissionError as error:
            reason = f"{folder} cannot be listed: {error.strerror}"
            hint = "allow the user that runs remem to read that folder"
            raise FileError(reason, hint=hint) from error


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


def host_homes(config: Config, environment: Mapping[str, str]) -> HostHomes:
    """The home folders of the hosts: configured, from their own variables, or the defaults."""

    def home(configured: str, variable: str, default: str) -> Path:
        path = configured or environment.get(variable) or default
        try:
            return Path(path).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"the home folder in {shown(path)} is unknown") from error

    return HostHomes(
        openclaw=home(config.openclaw_home, "OPENCLAW_STATE_DIR", "~/.openclaw"),
        claude=home(config.claude_home, "CLAUDE_CONFIG_DIR", "~/.claude"),
        codex=home(config.codex_home, "CODEX_HOME", "~/.codex"),
        agents=config.openclaw_agents,
    )
