"""Turn a folder into a workspace: create missing files and folders, overwrite nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from remem.config import EXAMPLE
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.workspace_key import new_key
from remem.model.scope import MAIN


def initialise(layout: Layout) -> list[Path]:
    """Create folders, settings and the key; return the paths that were created."""
    created = []
    for folder in (layout.state_folder(MAIN), layout.domains(MAIN)):
        if not folder.exists():
            make_folder(folder)
            created.append(folder)
    contents: dict[Path, Callable[[], bytes]] = {
        layout.config_file: EXAMPLE.encode,
        layout.git_ignore: lambda: b"*\n",  # `git clean` and `git add` ignore the folder
        layout.key_file: new_key,
    }
    for path, content in contents.items():
        if not path.exists() and atomic.create(path, content()):
            created.append(path)
    return created
