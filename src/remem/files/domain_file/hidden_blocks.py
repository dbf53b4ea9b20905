"""Find front matter, code blocks and comments, whose bullets are not memories."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_FENCE: Final = re.compile(r"(`{3,})[^`]*|(~{3,}).*")


def hidden_blocks(lines: Sequence[str], is_own_line: Callable[[int], bool]) -> dict[int, int]:
    """Return the blocks whose bullets are prose: index of the first line → index after the last.

    `lines` have no line breaks. `is_own_line` returns whether remem wrote the line with an index; a
    block with such a line is not treated as prose.
    """
    blocks: dict[int, int] = {}
    failed_searches: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(lines):
        end = _end_of_block(lines, at, is_own_line, failed_searches)
        if end is not None:
            blocks[at] = end
        at = end or at + 1
    return blocks


def _end_of_block(
    lines: Sequence[str],
    at: int,
    is_own_line: Callable[[int], bool],
    failed_searches: dict[str, tuple[int, int]],
) -> int | None:
    opening = _opening(lines[at], first=at == 0)
    if opening is None:
        return None
    kind, size = opening
    # A failed search is not repeated; otherwise a file full of opening lines took quadratic time.
    searched_to, failed_size = failed_searches.get(kind, (0, 0))
    if at < searched_to and size >= failed_size:
        return None
    end = at + 1
    while end < len(lines) and not is_own_line(end):
        if _closes(lines[end], kind, size):
            return end + 1
        end += 1
    failed_searches[kind] = end, size
    return None


def _opening(line: str, *, first: bool) -> tuple[str, int] | None:
    """Return the kind of block that starts here, and the length of its fence."""
    if first and line == "---":
        return "---", 0
    if line.startswith("<!--") and "-->" not in line:
        return "<!--", 0
    fence = _FENCE.fullmatch(line)
    if fence is None:
        return None
    characters = fence[1] or fence[2]
    return characters[0], len(characters)


def _closes(line: str, kind: str, size: int) -> bool:
    if kind == "---":
        return line in ("---", "...")
    if kind == "<!--":
        return "-->" in line
    return len(line) >= size and not line.strip(kind)
