"""Whether remem wrote a domain file as it stands: a keyed checksum in its end line proves it.

A program that can write a domain file can write any bullet with any id and any trust into it, but
not the checksum: its key is derived from the workspace's key, which only the owner can read.
Entries that a database has lost come back from their files with the trust that they had only where
the checksum is right.

The secret key of a workspace, with which remem signs what it may read again.

It is 32 random bytes in `.remem/workspace.key`, readable by its owner only, created with the
workspace or when something is signed for the first time. It never appears in an export. A backup
holds it, as it holds every memory: what was signed before a disk was lost can still be verified.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.domain_file.document import Document
from remem.files.layout import Layout
from remem.model.proof import KEY_BYTES, derived_key
from remem.model.scope import Scope


def new_key() -> bytes:
    """The content of a key file."""
    return os.urandom(KEY_BYTES).hex().encode() + b"\n"


def read(layout: Layout) -> bytes | None:
    """The key; None if nothing was signed here yet."""
    atomic.refuse_links(layout.root, layout.key_file.parent)
    data = atomic.read(layout.key_file)
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
    atomic.create(layout.key_file, new_key())
    return read_or_create(layout)


def carry_over(source: Layout, target: Layout) -> None:
    """Let another workspace have the same key, if there is one that can be read."""
    try:
        key = read(source)
    except FileError:  # a damaged key verifies nothing: the other's own serves as well
        return
    if key is not None:
        atomic.make_folder(target.key_file.parent)
        atomic.renew(target.key_file, key.hex().encode() + b"\n")


_SHOWN: Final = 16
"""Hexadecimal digits: 64 bits, against guesses that take one lost database each."""


@dataclass(frozen=True, slots=True)
class Checksums:
    """Makes and checks the checksums of one scope's domain files."""

    layout: Layout
    scope: Scope

    def proof(self, mark: str, items: Mapping[str, str]) -> str | None:
        """The checksum of a file by the ids and digests of its items; None without a key."""
        key = self._key()
        if key is None:
            return None
        said = json.dumps([mark, sorted(items.items())]).encode()
        return hmac.digest(key, said, "sha256").hex()[:_SHOWN]

    def proves(self, mark: str, document: Document, proof: str | None) -> bool:
        """Whether a file holds exactly the items that were written with this checksum."""
        if proof is None or document.duplicates:
            return False
        wanted = self.proof(mark, {item.id: item.digest for item in document.items if item.id})
        return wanted is not None and hmac.compare_digest(wanted, proof)

    def _key(self) -> bytes | None:
        """What cannot be read proves nothing, and must not keep a file from being written."""
        with suppress(RememError):
            if (key := read(self.layout)) is not None:
                return derived_key(key, "domain files", str(self.scope))
        return None
