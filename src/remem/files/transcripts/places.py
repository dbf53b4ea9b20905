"""Which conversations may a scope remember? None, until the owner allows it for that scope.

Where do transcripts lie, and whose are they? Each belongs to the scope of its session key.

OpenClaw serves many chats: there the key decides, and a transcript without one is nobody's.
Claude Code and Codex serve one person: theirs are main's, of the workspace they ran in.
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
from remem.files.disk import explained
from remem.files.layout import Layout
from remem.files.locks import Signature, signature
from remem.files.rooms import read_rooms
from remem.files.transcripts.openclaw import Whose, base_name, owners_in
from remem.files.transcripts.reading import head_of
from remem.files.transcripts.records import HostName
from remem.model.rooms import Rooms
from remem.model.scope import MAIN, Scope, Session
from remem.model.session import read_session
from remem.text.timestamps import stamp

# How the cwd is spelt in the name of a project's folder: as it once was, and as it is now.
_AS_DASH: Final = (re.compile(r"[/.\\:]"), re.compile(r"[^A-Za-z0-9]"))


@dataclass(frozen=True, slots=True)
class Places:
    """The homes of the hosts; None for one that is not to be looked at.

    `agents` are those of OpenClaw that work in this workspace. Without them an agent counts
    if OpenClaw's own naming of workspaces says so, or a transcript names this folder.
    """

    openclaw: Path | None = None
    claude: Path | None = None
    codex: Path | None = None
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file of one scope. `reference` is how it is cited; it is read with `run.read`."""

    reference: str
    file: Path
    host: HostName
    moment: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Listing:
    """The transcripts of a scope, oldest first, and what could not be looked at."""

    transcripts: tuple[Transcript, ...] = ()
    troubles: tuple[str, ...] = ()


_Found = Transcript | str


def transcripts_of(scope: Scope, root: Path, places: Places, whose: Whose) -> Listing:
    """Every transcript that belongs to a scope of the workspace at `root`.

    `whose` reads a session key. What a scope is told never depends on the files of another.
    """
    found = list(_openclaw(scope, root, places, whose))
    if scope == MAIN:
        found += _told(_claude(root, places.claude))
        found += _told(_codex(root, places.codex))
    transcripts = [transcript for transcript in found if isinstance(transcript, Transcript)]
    return Listing(
        tuple(sorted(transcripts, key=lambda each: (each.moment, each.reference))),
        tuple(each for each in found if isinstance(each, str)),
    )


def _openclaw(scope: Scope, root: Path, places: Places, whose: Whose) -> Iterator[_Found]:
    home = places.openclaw
    if home is None:
        return
    for agent in _folders(home / "agents"):
        if not places.agents or agent.name in places.agents:
            sure = bool(places.agents) or _is_workspace_of(agent.name, home, root)
            yield from _told(_of_agent(agent, scope, None if sure else root, whose))


def _of_agent(agent: Path, scope: Scope, root: Path | None, whose: Whose) -> Iterator[_Found]:
    folder = agent / "sessions"
    files = _files(folder)
    owners = owners_in(folder, agent.name, whose) if files else {}
    for path in files:
        if owners.get(base_name(path.name) or "") == scope:
            yield from _listed(path, f"sessions/{agent.name}/{path.name}", "openclaw", root)


def _is_workspace_of(agent: str, home: Path, root: Path) -> bool:
    names = [f"workspace-{agent}"] + (["workspace"] if agent == "main" else [])
    return any(_same(str(home / name), root) for name in names)


def _claude(root: Path, home: Path | None) -> Iterator[_Found]:
    """The folder's name is made of the cwd, but two can share one: the records decide. A
    program's cwd is what a link leads to, whatever the workspace is called here."""
    if home is None:
        return
    spelt = (str(root), os.path.realpath(root))
    for name in sorted({pattern.sub("-", each) for pattern in _AS_DASH for each in spelt}):
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
    """The file, if its records name the folder `root`; None spares the look at them."""
    seen = signature(path)
    if seen is None:
        return
    try:
        cwd = None if root is None else head_of(path).cwd
    except FileError as error:
        yield str(error)
        return
    if root is None or (cwd is not None and _same(cwd, root)):
        changed = stamp(datetime.fromtimestamp(seen[0] // 10**9, UTC))
        yield Transcript(reference, path, host, changed, seen)


def _told(found: Iterator[_Found]) -> Iterator[_Found]:
    """A folder that cannot be looked at is told of, and stops no other."""
    try:
        yield from found
    except FileError as error:
        yield str(error)


def _same(cwd: str, root: Path) -> bool:
    if "\x00" in cwd or not Path(cwd).is_absolute():
        return False
    return os.path.realpath(cwd) == os.path.realpath(root)


def _below(place: Path) -> Iterator[Path]:
    yield from _files(place)
    for folder in _folders(place):
        yield from _below(folder)


def _folders(place: Path) -> list[Path]:
    return sorted(
        Path(entry.path) for entry in _entries(place) if entry.is_dir(follow_symlinks=False)
    )


def _files(place: Path) -> list[Path]:
    return sorted(
        Path(entry.path) for entry in _entries(place) if entry.is_file(follow_symlinks=False)
    )


def _entries(place: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder; one that is a link, or is not there, holds nothing."""
    with explained(place, "listed"):
        try:
            if place.is_symlink():
                return []
            with os.scandir(place) as found:
                return list(found)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except PermissionError as error:
            reason = f"{place} cannot be listed: {error.strerror}"
            raise FileError(reason, hint="let remem's user read that folder") from error


def allowed_transcripts(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str]
) -> Listing:
    """The transcripts that belong to a scope, if its conversations may be searched."""
    if str(scope) not in config.transcripts:
        return Listing()
    # Only a group needs the names of rooms: main works without them.
    rooms = read_rooms(layout.root) if scope.kind == "group" else Rooms()

    def whose(key: str) -> Session:
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )

    return transcripts_of(scope, layout.root, places_of(config, environment), whose)


def places_of(config: Config, environment: Mapping[str, str]) -> Places:
    """The homes of the hosts: as configured, as the hosts' own variables say, or the usual."""

    def home(configured: str, variable: str, usual: str) -> Path:
        path = configured or environment.get(variable) or usual
        try:
            return Path(path).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"the home of {shown(path)} is unknown") from error

    return Places(
        openclaw=home(config.openclaw_home, "OPENCLAW_STATE_DIR", "~/.openclaw"),
        claude=home(config.claude_home, "CLAUDE_CONFIG_DIR", "~/.claude"),
        codex=home(config.codex_home, "CODEX_HOME", "~/.codex"),
        agents=config.openclaw_agents,
    )
