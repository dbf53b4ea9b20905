"""Which lines of a domain file are a person's own block, whose bullets are not memories?

Front matter, a fenced code block and a comment over several lines are such blocks, if they
are closed and hold none of our lines: an item with an id is an item wherever it stands, so
a fence that somebody forgot to close can never make memories disappear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")


def hidden_blocks(lines: Sequence[str], ours: Callable[[str], bool]) -> dict[int, int]:
    """First line → the line behind the last, for each block. `lines` end in no line break."""
    blocks: dict[int, int] = {}
    dead_ends: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(lines):
        end = _end_of_block(lines, at, ours, dead_ends)
        if end is not None:
            blocks[at] = end
        at = end or at + 1
    return blocks


def _end_of_block(
    lines: Sequence[str],
    at: int,
    ours: Callable[[str], bool],
    dead_ends: dict[str, tuple[int, int]],
) -> int | None:
    opening = _opening(lines[at], first=at == 0)
    if opening is None:
        return None
    kind, size = opening
    # A search that failed is not made again, or a file of openings would take forever.
    searched_to, failed_size = dead_ends.get(kind, (0, 0))
    if at < searched_to and size >= failed_size:
        return None
    end = at + 1
    while end < len(lines) and not ours(lines[end]):
        if _closes(lines[end], kind, size):
            return end + 1
        end += 1
    dead_ends[kind] = end, size
    return None


def _opening(line: str, *, first: bool) -> tuple[str, int] | None:
    """The kind of block that begins here, and how long its fence is."""
    if first and line == "---":
        return "---", 0
    if line.startswith("<!--") and "-->" not in line:
        return "<!--", 0
    fence = _FENCE.fullmatch(line)
    if fence is None:
        return None
    run = fence[1] or fence[2]
    return run[0], len(run)


def _closes(line: str, kind: str, size: int) -> bool:
    if kind == "---":
        return line in ("---", "...")
    if kind == "<!--":
        return "-->" in line
    return len(line) >= size and not line.strip(kind)
