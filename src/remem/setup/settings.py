"""Add settings to a workspace without changing the lines that a person wrote."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence

from remem.files import atomic
from remem.files.layout import Layout


def add_extra_paths(layout: Layout, paths: Sequence[str]) -> bool:
    """Add paths for search to read; return False if the owner has set `extra_paths` already.

    The line is added at the top of the file, before any TOML table.
    """
    old = atomic.decode_text(atomic.read(layout.config_file) or b"", layout.config_file)
    mark = "\ufeff" if old.startswith("\ufeff") else ""
    old = old.removeprefix(mark)
    if "extra_paths" in tomllib.loads(old):
        return False
    line = f"extra_paths = {json.dumps(list(paths), ensure_ascii=False)}  # added by remem setup\n"
    atomic.replace_file(layout.config_file, (mark + line + old).encode())
    return True
