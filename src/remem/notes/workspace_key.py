"""The secret key of a workspace, with which remem signs what it may read again.

It is 32 random bytes in `.remem/workspace.key`, readable by its owner only, created with the
workspace or when something is signed for the first time. It never appears in an export. A backup
holds it, as it holds every memory: what was signed before a disk was lost can still be verified.
"""

from __future__ import annotations

import os

from remem.core.proof import KEY_BYTES
from remem.errors import FileError
from remem.notes import files
from remem.notes.layout import Layout


def new_key() -> bytes:
    """The content of a key file."""
    return os.urandom(KEY_BYTES).hex().encode() + b"\n"


def read(layout: Layout) -> bytes | None:
    """The key; None if nothing was signed here yet."""
    files.refuse_links(layout.root, layout.key_file.parent)
    data = files.read(layout.key_file)
    if data is None:
        return None
    try:
        key = bytes.fromhex(data.decode())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise FileError(
            f"{layout.key_file} is damaged",
            hint="restore it from a backup, or remove it: exports made until now then count as "
            "foreign",
        )
    return key


def read_or_create(layout: Layout) -> bytes:
    """The key, which is made if there is none. Of two processes that make one, both use that of
    the first."""
    known = read(layout)
    if known is not None:
        return known
    files.create(layout.key_file, new_key())
    return read_or_create(layout)


def carry_over(source: Layout, target: Layout) -> None:
    """Let another workspace have the same key, if there is one that can be read."""
    try:
        key = read(source)
    except FileError:  # a damaged key verifies nothing: the other's own serves as well
        return
    if key is not None:
        files.make_folder(target.key_file.parent)
        files.renew(target.key_file, key.hex().encode() + b"\n")
