"""How is a number of things said? One entry, two entries."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun, which takes an s unless `many` says otherwise."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
