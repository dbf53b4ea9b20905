"""What would a file be without some of its lines, and with them again? Bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines to drop, counted from 1, and lines to put behind others. The rest stays byte for
    byte, line endings included."""

    dropped: frozenset[int]
    behind: dict[int, str] = field(default_factory=dict)


def edited(data: bytes, edit: Edit) -> bytes:
    lines = data.split(b"\n")
    kept: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if number not in edit.dropped:
            kept.append(line)
        if number in edit.behind:
            kept.append(edit.behind[number].encode() + (b"\r" if line.endswith(b"\r") else b""))
    last = len(lines)
    if kept and last in edit.dropped and last not in edit.behind:
        kept.append(b"")  # the end of the line before is not the last one's own
    return b"\n".join(kept)


def difference(before: bytes, after: bytes, path: str) -> str:
    """A unified diff for a person to read."""
    old, new = (data.decode(errors="replace").split("\n") for data in (before, after))
    return "\n".join(unified_diff(old, new, path, path, lineterm="", n=2))


def taken_back(before: bytes, after: bytes, now: bytes, *, beside: bool = False) -> bytes | None:
    """What the file holds now, with the change from `before` to `after` undone.

    A person's edits since then stay. None if they touch the very lines that the change
    touched: then nobody but he can say what should stand there. Lines that he put right before
    or behind them stay there only if `beside` says so: they might be lines that came back.
    """
    if now == after:
        return before
    old, changed, present = (data.split(b"\n") for data in (before, after, now))
    places = _places(changed, present)
    result = list(present)
    for tag, start, end, first, last in reversed(_opcodes(changed, old)):
        if tag == "equal":
            continue
        span = _span(places, start, end, len(present), beside=beside)
        if span is None:
            return None
        result[span[0] : span[1]] = old[first:last]
    return b"\n".join(result)


def _opcodes(a: Sequence[bytes], b: Sequence[bytes]) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, a, b, autojunk=False).get_opcodes()


def _places(a: Sequence[bytes], b: Sequence[bytes]) -> list[int | None]:
    """Where each line of the one stands in the other; None if it is gone."""
    places: list[int | None] = [None] * len(a)
    for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            places[block.a + step] = block.b + step
    return places


def _span(
    places: Sequence[int | None], start: int, end: int, length: int, *, beside: bool
) -> tuple[int, int] | None:
    """Where lines `start` to `end` stand now, if they are untouched and their neighbours are
    there; with `beside`, others may stand between them and their neighbours."""
    left = -1 if start == 0 else places[start - 1]
    right = length if end == len(places) else places[end]
    if left is None or right is None:
        return None
    first = places[start] if beside and start < end else left + 1
    last = None if first is None else first + end - start
    if first is None or last is None or list(places[start:end]) != list(range(first, last)):
        return None
    return (first, last) if beside or right == last else None
