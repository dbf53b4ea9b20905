"""Find memory files, and the files of agents, on a machine where remem is not set up yet.

Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import counted
from remem.files.host_folders import HostFolders

_CURATED: Final = ("MEMORY.md", "USER.md")
_PROJECT_FILES: Final = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
_SERVER_FILES: Final = ("memory.jsonl", "memory.json")
_NEW_WORKSPACE: Final = "agent"


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
class AgentMemory:
    """A file or folder outside the workspace in which an agent keeps its own memory."""

    owner: str
    path: Path


def memory_in(folder: Path) -> WorkspaceMemory:
    """Return the memory files that a folder contains."""
    notes = [path for path in folder.glob("memory/**/*.md") if path.is_file()]
    own = [path for path in notes if not _is_written_by_remem(path.relative_to(folder))]
    return WorkspaceMemory(
        tuple(name for name in _CURATED if _has_content(folder / name)), len(own)
    )


def propose_workspace(current: Path, default: Path | None, folders: HostFolders) -> Path:
    """Return the folder to make a workspace: the one with memory, or else a new one in the home
    folder.

    The current folder comes first, then the default workspace, then the workspace of OpenClaw.
    """
    for folder in (current, default, folders.openclaw / "workspace"):
        if folder and ((folder / ".remem").is_dir() or memory_in(folder)):
            return folder
    return folders.home / _NEW_WORKSPACE


def agent_memories(folders: HostFolders, workspace: Path) -> list[AgentMemory]:
    """Return the files in which agents of this machine keep instructions and memories."""
    memories = [
        AgentMemory("Claude Code", folders.claude / "CLAUDE.md"),
        *(AgentMemory("Claude Code", folder) for folder in _claude_memories(folders.claude)),
        AgentMemory("Codex", folders.codex / "AGENTS.md"),
        AgentMemory("Codex", folders.codex / "memories"),
        AgentMemory("Gemini CLI", folders.home / ".gemini" / "GEMINI.md"),
        *(AgentMemory("this folder", folders.project / name) for name in _PROJECT_FILES),
    ]
    return [
        memory
        for memory in memories
        if not memory.path.is_relative_to(workspace) and _has_content(memory.path)
    ]


def memory_server_files(folders: HostFolders) -> list[Path]:
    """Return the files of the MCP memory server where it keeps them by default: in its own
    package."""
    package = Path("node_modules/@modelcontextprotocol/server-memory/dist")
    parents = [
        *sorted((folders.home / ".npm" / "_npx").glob("*")),
        folders.home / ".npm-global" / "lib",
        Path("/usr/local/lib"),
        Path("/usr/lib"),
    ]
    files = [parent / package / name for parent in parents for name in _SERVER_FILES]
    return [file for file in files if _has_content(file)]


def _claude_memories(claude: Path) -> Iterator[Path]:
    """Yield the folders in which Claude Code keeps its own memory, one for each project."""
    yield from sorted(claude.glob("projects/*/memory"))


def _has_content(path: Path) -> bool:
    if path.is_dir():
        return any(file.is_file() and file.stat().st_size for file in path.glob("**/*.md"))
    return path.is_file() and path.stat().st_size > 0


def _is_written_by_remem(path: Path) -> bool:
    return path.parts[1:2] == ("domains",) or path.parts[1:] == ("INDEX.md",)
