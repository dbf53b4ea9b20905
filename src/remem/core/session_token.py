"""What is a session token? A random text that stands for one conversation for a while.

Where one server answers several chats, the token in a call is all that says whose memory the
call is for. A workspace keeps only a digest of it, so nobody can read a token out of its files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from remem.core.ids import ALPHABET
from remem.errors import InvalidInput, NotAllowed, shown

PREFIX: Final = "rmt_"
_BYTES: Final = 20
_LONGEST: Final = 200
"""Characters of what a caller gives that are looked at; no token is longer."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"([1-9][0-9]{0,6})([smhd])")

IDLE: Final = 2 * 3600
LIMIT: Final = 86_400


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long a token is good for, in seconds: unused, and at the very most."""

    idle: int = IDLE
    limit: int = LIMIT

    def __post_init__(self) -> None:
        if self.idle < 1 or self.limit < 1:
            raise InvalidInput("a token has to live for a second at least")

    @property
    def sure(self) -> int:
        """For so long it is good whatever happens, unless it is revoked."""
        return min(self.idle, self.limit)

    def is_over(self, *, issued: float, used: float, now: float) -> bool:
        return now - used > self.idle or now - issued > self.limit


@dataclass(frozen=True, slots=True)
class Holder:
    """Who a token stands for: a session's key, and which of its conversations."""

    session: str
    conversation: str = ""


def new_token(random_bytes: Callable[[int], bytes]) -> str:
    """A fresh token: 160 random bits, in letters that a model copies without mistakes."""
    bits = int.from_bytes(random_bytes(_BYTES), "big")
    return PREFIX + "".join(ALPHABET[bits >> shift & 31] for shift in range(8 * _BYTES - 5, -1, -5))


def digest_of(token: object) -> str:
    """What is kept of a token; whatever else a caller gives has a digest that nobody keeps."""
    text = token if isinstance(token, str) and len(token) <= _LONGEST else ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def refused() -> NotAllowed:
    """One answer for every token that is not good: why it is not, its bearer need not know."""
    return NotAllowed(
        "session_token is missing or not good here",
        hint="copy the newest one that this conversation's context holds, letter for letter; "
        "if it holds none or that is refused, ask the user to send a new message or to begin a "
        "new conversation: the host then issues one",
    )


def seconds(text: str, name: str) -> int:
    """A span such as 90m, 8h or 7d."""
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(f"{name} {shown(text)} is no span of time", hint="write it as 90m or 8h")
    return int(match[1]) * _UNITS[match[2]]
