"""Find memory files, and the files of agents, on a machine where remem is not set up yet.

Nothing is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from remem.errors import counted
from remem.files.host_folders import HostFolders
from remem.files.own_memory import CLAUDE_CODE, CODEX, own_memories

_CURATED: Final = ("MEMORY.md", "USER.md")
_PROJECT_FILES: Final = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
_SERVER_FILES: Final = ("memory.jsonl", "memory.json")
_NEW_WORKSPACE: Final = "agent"
_MAX_FILES: Final = 2000
_MIN_NOTES: Final = 2
_MIN_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class WorkspaceMemory:
    """The memory files in a folder: MEMORY.md, USER.md, and the number of notes."""

    curated: tuple[str, ...]
    notes: int

    def __bool__(self) -> bool:
        return bool(self.curated or self.notes)

    def __str__(self) -> str:
        notes = [counted(self.notes, "note")] if self.notes else []
        return ", ".join([*self.curated, *notes])


@dataclass(frozen=True, slots=True)
class OtherMemory:
    """A file or folder that recall can search too: notes, or what an agent keeps for itself.

    `is_migrated` means that migration reads it, because an agent keeps its own memory there.
    """

    owner: str
    path: Path
    is_migrated: bool = False


def memory_in(folder: Path) -> WorkspaceMemory:
    """Return the memory files that a folder contains."""
    notes = [path for path in folder.glob("memory/**/*.md") if path.is_file()]
    own = [path for path in notes if not _is_written_by_remem(path.relative_to(folder))]
    return WorkspaceMemory(
        tuple(name for name in _CURATED if _has_content(folder / name)), len(own)
    )


def propose_workspace(current: Path, default: Path | None, folders: HostFolders) -> Path:
    """Return the folder to make a workspace.

    It is the first of these that is a workspace or contains memory files: the current folder, the
    default workspace, the workspace of OpenClaw. Otherwise it is a new folder in the home folder.
    """
    for folder in (current, default, folders.openclaw / "workspace"):
        if folder and ((folder / ".remem").is_dir() or memory_in(folder)):
            return folder
    return folders.home / _NEW_WORKSPACE


def other_memories(folders: HostFolders, workspace: Path) -> list[OtherMemory]:
    """Return the files and folders outside the workspace that recall could search too.

    They are the current folder, if it contains notes, and the files in which agents of this machine
    keep instructions and memories.
    """
    agent_files = [
        OtherMemory(CLAUDE_CODE, folders.claude / "CLAUDE.md"),
        OtherMemory(CODEX, folders.codex / "AGENTS.md"),
        *(
            OtherMemory(f"{memory.agent}'s own memory", memory.path, is_migrated=True)
            for memory in own_memories(folders.claude, folders.codex)
        ),
        OtherMemory("Gemini CLI", folders.home / ".gemini" / "GEMINI.md"),
        *(OtherMemory("this folder", folders.project / name) for name in _PROJECT_FILES),
    ]
    others = [
        memory
        for memory in agent_files
        if not memory.path.is_relative_to(workspace) and _has_content(memory.path)
    ]
    is_inside = folders.project != workspace and folders.project.is_relative_to(workspace)
    notes = [] if is_inside else _notes_in(folders.project, folders.home)
    return [*notes, *others]


def _notes_in(folder: Path, home: Path) -> list[OtherMemory]:
    """Return the folder if most of its files are notes, and it has no MEMORY.md or daily notes.

    A repository with some documents is not a folder of notes.
    """
    if home.is_relative_to(folder) or memory_in(folder):
        return []
    files = [path for path in islice(_visible_files(folder), _MAX_FILES) if path.suffix]
    notes = sum(path.suffix == ".md" and path.name not in _PROJECT_FILES for path in files)
    is_notes = notes >= _MIN_NOTES and notes >= _MIN_SHARE * len(files)
    return [OtherMemory(counted(notes, "note"), folder)] if is_notes else []


def _visible_files(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        folders[:] = [inner for inner in folders if not inner.startswith(".")]
        yield from (Path(name, file) for file in files if not file.startswith("."))


def memory_server_files(folders: HostFolders) -> list[Path]:
    """Return the files of the MCP memory server in its own package, its default place."""
    package = Path("node_modules/@modelcontextprotocol/server-memory/dist")
    parents = [
        *sorted((folders.home / ".npm" / "_npx").glob("*")),
        folders.home / ".npm-global" / "lib",
        Path("/usr/local/lib"),
        Path("/usr/lib"),
    ]
    files = [parent / package / name for parent in parents for name in _SERVER_FILES]
    return [file for file in files if _has_content(file)]


def _has_content(path: Path) -> bool:
    if path.is_dir():
        return any(file.is_file() and file.stat().st_size for file in path.glob("**/*.md"))
    return path.is_file() and path.stat().st_size > 0


def _is_written_by_remem(path: Path) -> bool:
    return path.parts[1:2] == ("domains",) or path.parts[1:] == ("INDEX.md",)
