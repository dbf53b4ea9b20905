"""Add settings to a workspace without changing the lines that a person wrote."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from typing import Final

from remem.files import atomic
from remem.files.layout import Layout

_MARK: Final = "  # added by remem setup"


def add_extra_paths(layout: Layout, paths: Sequence[str]) -> bool:
    """Add paths for search to read; return False if the owner has set `extra_paths` themselves.

    The line is added at the top of the file, before any TOML table. A line that setup has added
    earlier, and that nobody has edited, is extended.
    """
    old = atomic.decode_text(atomic.read(layout.config_file) or b"", layout.config_file)
    mark = "\ufeff" if old.startswith("\ufeff") else ""
    old = old.removeprefix(mark)
    known = tomllib.loads(old).get("extra_paths")
    if known is None:
        new = _line(paths) + "\n" + old
    elif isinstance(known, list) and old.startswith(_line(known)):
        new = _line([*known, *paths]) + old.removeprefix(_line(known))
    else:
        return False
    atomic.replace_file(layout.config_file, (mark + new).encode())
    return True


def _line(paths: Sequence[str]) -> str:
    return f"extra_paths = {json.dumps(list(paths), ensure_ascii=False)}{_MARK}"
