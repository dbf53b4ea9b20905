"""A keyed checksum over a JSON value: proof that the holder of a key wrote it.

The key of a workspace is never used itself. Each purpose and scope has a key derived from it, so
that a proof of one scope, or of one kind of record, is worth nothing for another.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from typing import Any, Final

KEY_BYTES: Final = 32
_DIGEST: Final = "sha256"


def derived_key(key: bytes, purpose: str, scope: str) -> bytes:
    """The key for one purpose in one scope; neither name may hold a NUL character."""
    return hmac.digest(key, f"{purpose}\0{scope}".encode(), _DIGEST)


def proof_of(key: bytes, value: Mapping[str, Any]) -> str:
    """The checksum of a value, in hexadecimal; the order of its keys does not matter."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, text.encode(), _DIGEST).hex()


def is_proven(key: bytes, value: Mapping[str, Any], proof: object) -> bool:
    """Whether the proof is the one that the key gives for exactly this value."""
    return (
        isinstance(proof, str)
        and proof.isascii()
        and hmac.compare_digest(proof_of(key, value), proof)
    )
