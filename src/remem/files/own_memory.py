"""Find the folders in which agents keep their own memory, and the project that each is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.transcripts.claude_code import names_of_project

CLAUDE_CODE: Final = "Claude Code"
CODEX: Final = "Codex"
_MAX_TRANSCRIPTS: Final = 5
_MAX_RECORDS: Final = 50


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """A folder in which an agent keeps its own memory, as Markdown.

    `project` is the tag of the project that it is about; None if it is general or unknown. `names`
    are the files that contain memories; empty if all of them do.
    """

    agent: str
    path: Path
    project: str | None = None
    names: tuple[str, ...] = ()

    def contains(self, file: Path) -> bool:
        """Return whether a file contains memories, rather than notes on how they were made."""
        if not file.is_relative_to(self.path):
            return False
        return not self.names or file.relative_to(self.path).as_posix() in self.names


def own_memories(
    claude: Path, codex: Path, tag_of: Callable[[Path], str | None] = lambda _folder: None
) -> Iterator[OwnMemory]:
    """Yield the memory of Claude Code for each project, and that of Codex, if they exist.

    `tag_of` returns the tag of the project to which a folder belongs.
    """
    for path in sorted(claude.glob("projects/*/memory")):
        if path.is_dir():
            folder = _working_folder_of(path.parent)
            yield OwnMemory(CLAUDE_CODE, path, tag_of(folder) if folder else None)
    if (codex / "memories").is_dir():
        yield OwnMemory(CODEX, codex / "memories", names=("MEMORY.md",))


def own_memory_of(file: Path, memories: Sequence[OwnMemory]) -> OwnMemory | None:
    """Return the memory that contains a file, if any."""
    return next((memory for memory in memories if memory.contains(file)), None)


def _working_folder_of(folder: Path) -> Path | None:
    """Return the working folder of a project of Claude Code, given the project's own folder.

    The name of the project's folder cannot be turned back into a path, so the working folder is
    read from the transcripts.
    """
    transcripts = sorted(folder.glob("*.jsonl"), reverse=True)
    for path in transcripts[:_MAX_TRANSCRIPTS]:
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
            for line in islice(file, _MAX_RECORDS):
                working_folder = _working_folder_in(line)
                if working_folder and folder.name in names_of_project(working_folder):
                    return Path(working_folder)
    return None


def _working_folder_in(line: str) -> str | None:
    """Return the working folder that a record of a transcript names."""
    try:
        record = json.loads(line)
    except ValueError:  # a record that is being written
        return None
    value = record.get("cwd") if isinstance(record, dict) else None
    return value if isinstance(value, str) else None
