"""What does keeping a memory need, and what is told of it? For who keeps none now, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.ports import TokenCounter


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a memory; `redacted` names the kinds of secrets that were masked, and `hint`
    says how the owner can have them kept.

    What the owner has erased is not stored again: then `stored` is false, and `reason` says so.
    """

    id: str
    category: str
    stored: bool
    deduplicated: bool
    token_cost: int
    version: int = 1
    superseded: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Remembering:
    """What storing needs beside the memory itself."""

    counter: TokenCounter
    topics: tuple[str, ...]
    random_bytes: Callable[[int], bytes]
