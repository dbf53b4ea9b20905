"""The id of a workspace in a shared store, and the id of this copy of its files.

Several machines may share a store, each with its own checkout of the Markdown files. What remem has
written to a file is recorded for each checkout separately, so that an edit in one of them is not
overwritten. Both ids are in `.remem`, which git ignores; other machines name the id of the
workspace in the address of the store. A copied folder gets a new checkout id.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from pathlib import Path
from typing import Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.layout import Layout

_ID_BYTES: Final = 10


def workspace_id(layout: Layout) -> str:
    """Return the id of the workspace, which is created on first use."""
    return _read_or_create(layout.root / ".remem" / "workspace.id", "ws")


def checkout_id(layout: Layout) -> str:
    """Return the id of this copy of the files, which is created on first use.

    The name of its file depends on the machine, the path and the folder itself. So a copy of the
    folder does not use the file that was copied with it, and gets an id of its own.
    """
    root = os.path.realpath(layout.root)
    place = f"{platform.node()}\n{root}\n{Path(root).stat().st_ino}"
    name = hashlib.sha256(place.encode(errors="surrogateescape")).hexdigest()[:16]
    return _read_or_create(layout.root / ".remem" / f"checkout-{name}.id", "co")


def _read_or_create(path: Path, prefix: str) -> str:
    data = atomic.read(path)
    if data is None:
        atomic.create(path, f"{prefix}-{secrets.token_hex(_ID_BYTES)}\n".encode())
        data = atomic.read(path) or b""
    text = data.decode(errors="replace").strip()
    if not text:
        raise FileError(f"{path} is empty", hint="put back its content, or remove the file")
    return text
