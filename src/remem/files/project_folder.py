"""The project of a conversation: the repository or folder that a host was started in."""

from __future__ import annotations

import os
from pathlib import Path

from remem.model.project import project_tag


def project_of(folder: Path | None, workspace: Path, home: Path) -> str | None:
    """Return the tag of the project that a folder belongs to; None if it belongs to none.

    The project is the nearest repository that contains the folder, or else the folder itself. The
    home folder, the folders above it and the workspace are not projects.
    """
    if folder is None:
        return None
    folder, workspace, home = (Path(os.path.realpath(path)) for path in (folder, workspace, home))
    candidates = [path for path in (folder, *folder.parents) if not home.is_relative_to(path)]
    root = next((path for path in candidates if (path / ".git").exists()), folder)
    if not folder.is_dir() or root not in candidates or root.is_relative_to(workspace):
        return None
    in_home = root.is_relative_to(home)
    return project_tag(f"~/{root.relative_to(home).as_posix()}" if in_home else str(root))
