"""Read the files of a workspace that a host may load: in the root, skills, notes and domain files.

A file that cannot be read is left out, and the reason is added to `problems`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import file_errors, subfolders
from remem.files.layout import Layout, stem_and_part
from remem.files.safe_open import identities
from remem.files.walking import not_notes
from remem.model.scope import Scope


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file; `path` is relative to the workspace, with forward slashes."""

    path: str
    data: bytes

    @property
    def text(self) -> str:
        """The text, with replacement characters for bytes that are not UTF-8."""
        return self.data.decode(errors="replace")


def owners_file(layout: Layout, name: str, problems: list[str]) -> FileContent | None:
    """Return a file in the root of the workspace, where all files belong to main."""
    return read_content(layout, layout.root / name, problems)


def skill_files(layout: Layout, problems: list[str]) -> Iterator[FileContent]:
    """Yield the files skills/*/SKILL.md, sorted by name."""
    try:
        folders = subfolders(layout.root / "skills")
    except RememError as error:
        problems.append(str(error))
        return
    for folder in folders:
        if content := read_content(layout, folder / "SKILL.md", problems):
            yield content


def note_files(layout: Layout, problems: list[str]) -> Iterator[FileContent]:
    """Yield the owner's Markdown files below memory/."""
    for path in note_paths(layout, problems):
        if content := read_content(layout, path, problems):
            yield content


def note_paths(layout: Layout, problems: list[str]) -> Iterator[Path]:
    """Yield the paths of the owner's Markdown files below memory/.

    Files that remem generates and files of other scopes are left out.
    """

    def add_problem(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            problems.append(f"{error.filename} cannot be listed: {error.strerror}")

    other_folders = not_notes(layout)
    for parent, folders, names in os.walk(layout.memory, onerror=add_problem, followlinks=False):
        folders[:] = sorted(
            folder
            for folder in folders
            if not folder.startswith(".") and not identities([Path(parent, folder)]) & other_folders
        )
        for path in sorted(Path(parent) / name for name in names if name.endswith(".md")):
            if path != layout.index_file and not path.is_symlink():
                yield path


def domain_files(layout: Layout, scope: Scope, problems: list[str]) -> Iterator[FileContent]:
    """Yield the domain files of a scope; outside main, hard-linked files are refused."""
    folder = layout.domains(scope)
    try:
        atomic.refuse_links(layout.root, folder)
        with file_errors(folder, "read"):
            paths = sorted(folder.iterdir()) if folder.is_dir() else []
    except RememError as error:
        problems.append(str(error))
        return
    for path in paths:
        if stem_and_part(path.name) is not None:
            content = read_content(layout, path, problems, single_link=scope.kind != "main")
            if content is not None:
                yield content


def note_lines(layout: Layout, path: str, first: int, last: int) -> str | None:
    """Return the lines `first` to `last` of a note, counted from 1; None if there is no note."""
    parts = path.split("/")
    file = layout.root / path
    if parts[0] != "memory" or ".." in parts or identities(file.parents) & not_notes(layout):
        return None
    try:
        atomic.refuse_links(layout.root, file)
        data = atomic.read(file)
    except (RememError, ValueError):
        return None
    if data is None:
        return None
    return "\n".join(data.decode(errors="replace").split("\n")[max(first - 1, 0) : last])


def read_content(
    layout: Layout, path: Path, problems: list[str], *, single_link: bool = False
) -> FileContent | None:
    """Return the content of a file; None if there is none or it cannot be read."""
    data = atomic.read_or_report(layout.root, path, problems, single_link=single_link)
    return None if data is None else FileContent(layout.relative(path), data)
