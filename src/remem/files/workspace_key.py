"""The secret key of a workspace, and the keyed checksums of its domain files.

The key is 32 random bytes in `.remem/workspace.key`, readable only by its owner. It is created with
the workspace or when something is signed for the first time, and never exported. A backup contains
it, so that what was signed before a disk was lost can still be verified.

A program that can write a domain file can write any bullet with any id and trust into it, but
without the key it cannot compute the proof in the end line: a keyed checksum. When entries of a
lost database are restored from their files, they keep their trust only if that proof is right.

The key is never used directly. A separate key is derived from it for every purpose and scope, so
that a proof for one scope or purpose is not valid for another.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from remem.errors import FileError, RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.files.domain_file.document import DomainDocument

KEY_BYTES: Final = 32
_DIGEST: Final = "sha256"
_PROOF_DIGITS: Final = 16
"""The number of hexadecimal digits of the proof of a domain file. 64 bits are enough, because a
guess can be tried only when a database is lost."""


def derived_key(key: bytes, purpose: str, scope: str) -> bytes:
    """Return the key for one purpose in one scope; neither name may contain a NUL character."""
    return hmac.digest(key, f"{purpose}\0{scope}".encode(), _DIGEST)


def proof_of(key: bytes, value: Mapping[str, Any]) -> str:
    """Return the proof of a value, in hexadecimal; the order of its keys does not matter."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, text.encode(), _DIGEST).hex()


def is_proven(key: bytes, value: Mapping[str, Any], proof: object) -> bool:
    """Return whether a proof was computed with this key for exactly this value."""
    return (
        isinstance(proof, str)
        and proof.isascii()
        and hmac.compare_digest(proof_of(key, value), proof)
    )


def new_key() -> bytes:
    """Return the content of a new key file."""
    return os.urandom(KEY_BYTES).hex().encode() + b"\n"


def read(layout: Layout) -> bytes | None:
    """Return the key; None if nothing has been signed yet."""
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
            hint="restore it from a backup, or remove it; without it, earlier exports cannot be "
            "verified",
        )
    return key


def read_or_create(layout: Layout) -> bytes:
    """Return the key, which is created if there is none.

    If two processes create one at the same time, both use the first.
    """
    known = read(layout)
    if known is not None:
        return known
    atomic.create(layout.key_file, new_key())
    return read_or_create(layout)


def carry_over(source: Layout, target: Layout) -> None:
    """Copy the key to another workspace, if it can be read."""
    try:
        key = read(source)
    except FileError:  # a damaged key verifies nothing, so the target keeps its own
        return
    if key is not None:
        make_folder(target.key_file.parent)
        atomic.replace_file(target.key_file, key.hex().encode() + b"\n")


@dataclass(frozen=True, slots=True)
class DomainFileProofs:
    """Computes and verifies the proofs of one scope's domain files."""

    layout: Layout
    scope: Scope

    def proof(self, file_key: str, items: Mapping[str, str]) -> str | None:
        """Return the proof of a file; None without a workspace key.

        It is made from the file's key in the outbox, and the ids and digests of its items.
        """
        key = self._key()
        if key is None:
            return None
        message = json.dumps([file_key, sorted(items.items())]).encode()
        return hmac.digest(key, message, "sha256").hex()[:_PROOF_DIGITS]

    def proves(self, file_key: str, document: DomainDocument) -> bool:
        """Return whether a file contains exactly the items for which its proof was computed."""
        proof = document.proof
        if proof is None or document.duplicates:
            return False
        items = {item.id: item.digest for item in document.items if item.id}
        expected = self.proof(file_key, items)
        return expected is not None and hmac.compare_digest(expected, proof)

    def _key(self) -> bytes | None:
        """Return the derived key; None if there is no readable key.

        Files are then written without a proof.
        """
        with suppress(RememError):
            if (key := read(self.layout)) is not None:
                return derived_key(key, "domain files", str(self.scope))
        return None
