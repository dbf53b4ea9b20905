"""Turn a folder into a workspace, and add settings to it; nothing that exists is overwritten."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from remem.config import EXAMPLE
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.workspace_key import new_key
from remem.model.scope import MAIN

_MARK: Final = "  # added by remem setup"


def initialise(layout: Layout) -> list[Path]:
    """Create folders, settings and the key; return the paths that were created."""
    new_paths = []
    for folder in (layout.state_folder(MAIN), layout.domains(MAIN)):
        if not folder.exists():
            make_folder(folder)
            new_paths.append(folder)
    contents: dict[Path, Callable[[], bytes]] = {
        layout.config_file: EXAMPLE.encode,
        layout.git_ignore: lambda: b"*\n",  # so that git ignores the folder
        layout.key_file: new_key,
    }
    for path, content in contents.items():
        if not path.exists() and atomic.create(path, content()):
            new_paths.append(path)
    return new_paths


def add_extra_paths(layout: Layout, paths: Sequence[str]) -> bool:
    """Add paths for search to read; return False if the owner has set `extra_paths` themselves.

    The line is added at the top of the file, before any TOML table. A line that setup has added
    earlier, and that nobody has edited, is extended.
    """
    old = atomic.decode_text(atomic.read(layout.config_file) or b"", layout.config_file)
    mark = "\ufeff" if old.startswith("\ufeff") else ""
    old = old.removeprefix(mark)
    paths_before = tomllib.loads(old).get("extra_paths")
    if paths_before is None:
        new = _line(paths) + "\n" + old
    elif isinstance(paths_before, list) and old.startswith(_line(paths_before)):
        new = _line([*paths_before, *paths]) + old.removeprefix(_line(paths_before))
    else:
        return False
    atomic.replace_file(layout.config_file, (mark + new).encode())
    return True


def _line(paths: Sequence[str]) -> str:
    return f"extra_paths = {json.dumps(list(paths), ensure_ascii=False)}{_MARK}"
