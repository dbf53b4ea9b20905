"""How far was a transcript read? A mark that every opening of a memory may look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """How far a transcript was read: bytes, lines, and what stood before that place.

    `size` is how long the file was then; its last line may not have been whole.
    """

    offset: int = 0
    lines: int = 0
    digest: str = ""
    size: int = 0
