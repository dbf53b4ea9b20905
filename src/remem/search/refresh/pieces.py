"""Which passages does a note hold? Blocks of about 170 tokens that follow its sections.

A bullet, paragraph or table row is not cut where it fits; a heading goes with what stands
under it. Where a section is longer than a passage, the next one repeats the last 35 tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.outline import Block
from remem.core.tokens import estimate
from remem.refresh.pieces import OVERLAP, PASSAGE, Piece, pieces

_SECTION: Final = 120
"""From here on a passage ends before the next heading."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines `start` to `end` of a file, or a part of one line, and what they stand under."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    within: tuple[str, ...] = ()


def cut_note(lines: Sequence[str], blocks: Sequence[Block], costs: Sequence[int]) -> Iterator[Cut]:
    """`costs` says of each block how many tokens it has. Blocks from `first` on are held until
    a passage of them is told; `size` is what they cost."""
    first = size = 0
    for at, (block, cost) in enumerate(zip(blocks, costs, strict=True)):
        while first < at and _ends_here(blocks, first, at, size, cost):
            end = _before_headings(blocks, first, at)
            end = at if end == first else end
            yield _passage(lines, blocks, first, end)
            first = end if end < at else _repeated(blocks, costs, first, at)
            size = sum(costs[first:at])
        if cost <= PASSAGE:
            size += cost
            continue
        if first < at:
            yield _passage(lines, blocks, first, at)
        first, size = at + 1, 0
        for piece in pieces(lines, block.start, block.end):
            yield cut_of(piece, block.headings, parents(blocks, block))
    if first < len(blocks):
        yield _passage(lines, blocks, first, len(blocks))


def cut_of(piece: Piece, headings: tuple[str, ...], within: tuple[str, ...]) -> Cut:
    return Cut(piece.start, piece.end, piece.text, headings, within)


def parents(blocks: Sequence[Block], block: Block) -> tuple[str, ...]:
    """The bullets that a block is nested in, the outermost first."""
    found: list[str] = []
    at = block.parent
    while at is not None:
        found.insert(0, blocks[at].text)
        at = blocks[at].parent
    return tuple(found)


def cost_of(lines: Sequence[str], block: Block) -> int:
    return estimate("\n".join(lines[block.start - 1 : block.end])) + 1


def _ends_here(blocks: Sequence[Block], first: int, at: int, size: int, cost: int) -> bool:
    """Whether the blocks that are held are a passage, and the next one begins another."""
    if size + cost > PASSAGE:
        # A heading goes with its text, even if both are a little too long.
        return size > OVERLAP or _before_headings(blocks, first, at) > first
    return size >= _SECTION and blocks[at].kind == "heading" and blocks[at - 1].kind != "heading"


def _before_headings(blocks: Sequence[Block], first: int, end: int) -> int:
    """Headings at the end belong to what comes next."""
    while end > first and blocks[end - 1].kind == "heading":
        end -= 1
    return end


def _repeated(blocks: Sequence[Block], costs: Sequence[int], first: int, at: int) -> int:
    """Where the next passage begins: with the last blocks of this one, unless it is a new
    section."""
    begin = at
    if blocks[at].kind == "heading":
        return begin
    room = min(OVERLAP, PASSAGE - costs[at])
    while begin - 1 > first and blocks[begin - 1].kind != "heading":
        room -= costs[begin - 1]
        if room < 0:
            break
        begin -= 1
    return begin


def _passage(lines: Sequence[str], blocks: Sequence[Block], first: int, end: int) -> Cut:
    above, start, last = blocks[first], blocks[first].start, blocks[end - 1].end
    text = "\n".join(lines[start - 1 : last])
    return Cut(start, last, text, above.headings, parents(blocks, above))
