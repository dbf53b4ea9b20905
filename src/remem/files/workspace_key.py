"""Whether remem wrote a domain file as it stands: a keyed checksum in its end line proves it.

A program that can write a domain file can write any bullet with any id and any trust into it, but
not the checksum: its key is derived from the workspace's key, which only the owner can read.
Entries that a database has lost come back from their files with the trust that they had only where
the checksum is right.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from remem.core.proof import derived_key
from remem.core.scope import Scope
from remem.errors import RememError
from remem.notes import workspace_key
from remem.notes.domain_item import Document
from remem.notes.layout import Layout

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
        wanted = self.proof(mark, {each.id: each.digest for each in document.items if each.id})
        return wanted is not None and hmac.compare_digest(wanted, proof)

    def _key(self) -> bytes | None:
        """What cannot be read proves nothing, and must not keep a file from being written."""
        with suppress(RememError):
            if (key := workspace_key.read(self.layout)) is not None:
                return derived_key(key, "domain files", str(self.scope))
        return None
