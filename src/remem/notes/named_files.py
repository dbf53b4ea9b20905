"""Which file is called that? A person's own spelling of a name comes first."""

from __future__ import annotations

import os
from pathlib import Path

from remem.core.scope import folder_name
from remem.core.words import fold
from remem.notes.disk import explained


def file_called(folder: Path, name: str) -> str:
    """The name of the Markdown file for a name: the one that is there, else a safe new one."""
    wanted = {fold(name), folder_name(name), folder_name(fold(name).replace(" ", "-"))}
    found = sorted(each for each in markdown_in(folder) if fold(each.removesuffix(".md")) in wanted)
    return found[0] if found else f"{folder_name(fold(name).replace(' ', '-'))}.md"


def markdown_in(folder: Path) -> list[str]:
    """The Markdown files that lie directly in a folder; links are none."""
    with explained(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                files = [each for each in found if each.is_file(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return []
    return sorted(each.name for each in files if each.name.endswith(".md"))
