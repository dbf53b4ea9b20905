"""The files that migration reads: MEMORY.md, USER.md, the notes, and the agents' own memories.

They are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from remem.errors import InvalidInput, RememError, quoted
from remem.extract.lasting import is_page
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.own_memory import OwnMemory, own_memory_of
from remem.files.walking import CURATED, MemoryFile
from remem.model.page import DERIVED, blank_generated_lines
from remem.model.scope import MAIN
from remem.text.markdown import front_matter_size, lines_of
from remem.text.timestamps import format_time

_NOTES: Final = "memory/"
_GATE: Final = "memory/main/index.md"
_POINTER: Final = re.compile(r"^[ \t]*[-*] +\[[^\]\n]+\]\(([\w./-]+\.md)\).*$", re.MULTILINE)
_ABOUT_USER: Final = "type: user"
"""A line of front matter in Claude Code's own memory."""


@dataclass(frozen=True, slots=True)
class Source:
    """A memory file that was read; `saved_at` is when it was last written.

    - `is_curated`: every line was written to be found.
    - `is_owners`: it is MEMORY.md or USER.md, which have the owner's trust; all others have the
      agent's.
    - `is_page`: it was written to be looked up, like a curated file, but may contain logs.
    - `project` is the tag of the project that an agent's own memory is about.
    """

    path: str
    text: str
    saved_at: str
    is_curated: bool
    is_owners: bool
    is_page: bool = False
    project: str | None = None


@dataclass(frozen=True, slots=True)
class FileChoice:
    """Patterns of the files to read: those that match `only`, if given, without `exclude`."""

    only: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def select(self, files: Sequence[MemoryFile]) -> list[MemoryFile]:
        """Return the chosen files; a pattern that no file matches is an error."""
        for pattern in (*self.only, *self.exclude):
            if not any(fnmatchcase(file.path, pattern) for file in files):
                raise InvalidInput(
                    f"no memory file matches {quoted(pattern)}",
                    hint="give a path such as MEMORY.md or a pattern such as 'memory/2026-*'",
                )
        return [file for file in files if self._has(file.path)]

    def _has(self, path: str) -> bool:
        is_chosen = not self.only or any(fnmatchcase(path, pattern) for pattern in self.only)
        return is_chosen and not any(fnmatchcase(path, pattern) for pattern in self.exclude)


def files_to_migrate(
    layout: Layout, problems: list[str], own_memories: Sequence[OwnMemory] = ()
) -> list[MemoryFile]:
    """Return the files to migrate, among them the files of the agents' own memories.

    Curated files come first, so that a statement in a note counts as a repetition of theirs. Fact
    files are not migrated.
    """
    files = []
    for file in memory_files(layout, MAIN, tuple(str(memory.path) for memory in own_memories)):
        if not (_is_migrated(file) or own_memory_of(file.absolute, own_memories)):
            continue
        if file.refused:
            problems.append(f"skipped {file.path}: {file.refused}")
        else:
            files.append(file)
    return sorted(files, key=lambda file: (file.path not in CURATED, file.kind != "curated"))


def read_sources(
    files: Sequence[MemoryFile],
    problems: list[str],
    all_files: Sequence[MemoryFile] = (),
    own_memories: Sequence[OwnMemory] = (),
) -> Iterator[Source]:
    """Read the files one by one; unreadable ones are added to `problems` and skipped.

    Whether a file is a page depends on what MEMORY.md and USER.md say about it. They are looked for
    in `all_files`, because `files` may be a choice of them.
    """
    owners_files = [file for file in all_files or files if file.path in CURATED]
    owners_text = "\n".join(map(_text_of, owners_files))
    for file in files:
        try:
            data = atomic.read(file.absolute)
        except RememError as error:
            problems.append(str(error))
            continue
        if data is None or file.status is None:
            problems.append(f"{file.path} was removed before it was read")
            continue
        text = data.decode(errors="replace").replace("\0", "\ufffd")
        if "\ufffd" in text:
            problems.append(f"{file.path} is not valid UTF-8; bad bytes became \ufffd")
        if file.path in DERIVED:
            text = blank_generated_lines(text)
        own_memory = own_memory_of(file.absolute, own_memories)
        if own_memory is not None:
            text = _without_pointers(text, file.absolute.parent)
        has_project = own_memory is not None and not _is_about_user(text)
        yield Source(
            file.path,
            text,
            saved_at=format_time(datetime.fromtimestamp(int(file.status.st_mtime), UTC)),
            is_curated=file.kind == "curated" and own_memory is None,
            is_owners=file.path in CURATED,
            is_page=own_memory is not None or is_page(file.path, owners_text),
            project=own_memory.project if own_memory and has_project else None,
        )


def _without_pointers(text: str, folder: Path) -> str:
    """Blank the list items that only point to another file of an agent's own memory."""

    def replacement(match: re.Match[str]) -> str:
        return "" if (folder / match[1]).is_file() else match[0]

    return _POINTER.sub(replacement, text)


def _is_about_user(text: str) -> bool:
    """Return whether the front matter says that a memory is about the user, in all projects."""
    lines = lines_of(text)
    front_matter = lines[: front_matter_size(lines)]
    return any(line.strip() == _ABOUT_USER for line in front_matter)


def _text_of(file: MemoryFile) -> str:
    try:
        return (atomic.read(file.absolute) or b"").decode(errors="replace")
    except RememError:  # reported when the file is read for migration
        return ""


def _is_migrated(file: MemoryFile) -> bool:
    if file.kind not in ("curated", "note", "folder"):
        return False
    return file.path in CURATED or (file.path.startswith(_NOTES) and file.path != _GATE)
