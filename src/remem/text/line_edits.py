"""Drop and insert lines of a file given as bytes, and revert such changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines to drop, counted from 1, and lines to insert after others.

    Everything else is left unchanged, including line endings.
    """

    dropped: frozenset[int]
    inserted_after: dict[int, str] = field(default_factory=dict)


def apply_edit(data: bytes, edit: LineEdit) -> bytes:
    """Return the content of a file after an edit."""
    lines = data.split(b"\n")
    result: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if number not in edit.dropped:
            result.append(line)
        if number in edit.inserted_after:
            result.append(
                edit.inserted_after[number].encode() + (b"\r" if line.endswith(b"\r") else b"")
            )
    last = len(lines)
    if result and last in edit.dropped and last not in edit.inserted_after:
        result.append(b"")  # the file still ends with the line ending of the line before
    return b"\n".join(result)


def diff_text(before: bytes | None, after: bytes | None, path: str) -> str:
    """Return a unified diff for a person to read; None means that a file does not exist."""
    if before == after:
        return ""
    source, target = (path if data is not None else "/dev/null" for data in (before, after))
    old, new = (_diff_lines(data or b"") for data in (before, after))
    return "".join(unified_diff(old, new, source, target)) or f"--- {source}\n+++ {target}\n"


def _diff_lines(data: bytes) -> list[str]:
    """Return the lines of a file, with a note if the last one has no line ending."""
    lines = data.decode(errors="replace").replace("\r\n", "\n").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def revert_change(
    before: bytes, after: bytes, now: bytes, *, allow_adjacent: bool = False
) -> bytes | None:
    """Undo the change from `before` to `after` in `now`, the present content of a file.

    Edits that somebody made since are kept. If they affect the same lines as the change, return
    None, because only that person can decide what to keep. Lines that they inserted directly before
    or after the changed lines are accepted only with `allow_adjacent`, because they may be dropped
    lines that somebody has restored.
    """
    if now == after:
        return before
    old, changed, present = (data.split(b"\n") for data in (before, after, now))
    positions = _positions(changed, present)
    result = list(present)
    for tag, start, end, first, last in reversed(_opcodes(changed, old)):
        if tag == "equal":
            continue
        span = _span(positions, start, end, len(present), allow_adjacent=allow_adjacent)
        if span is None:
            return None
        result[span[0] : span[1]] = old[first:last]
    return b"\n".join(result)


def _opcodes(a: Sequence[bytes], b: Sequence[bytes]) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, a, b, autojunk=False).get_opcodes()


def _positions(a: Sequence[bytes], b: Sequence[bytes]) -> list[int | None]:
    """Return the position in `b` of each line of `a`, or None if `b` does not have it."""
    positions: list[int | None] = [None] * len(a)
    for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            positions[block.a + step] = block.b + step
    return positions


def _span(
    positions: Sequence[int | None], start: int, end: int, length: int, *, allow_adjacent: bool
) -> tuple[int, int] | None:
    """Return the present position of lines `start` to `end`, if they are unchanged.

    Their neighbours must be there too; with `allow_adjacent`, other lines may come between.
    """
    left = -1 if start == 0 else positions[start - 1]
    right = length if end == len(positions) else positions[end]
    if left is None or right is None:
        return None
    first = positions[start] if allow_adjacent and start < end else left + 1
    last = None if first is None else first + end - start
    if first is None or last is None or list(positions[start:end]) != list(range(first, last)):
        return None
    return (first, last) if allow_adjacent or right == last else None
