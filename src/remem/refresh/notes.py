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
    """A piece of a file, and what it stands under."""

    piece: Piece
    headings: tuple[str, ...]
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unit:
    """A block with its cost."""

    block: Block
    tokens: int


def cut_note(lines: Sequence[str], blocks: Sequence[Block], costs: Sequence[int]) -> Iterator[Cut]:
    """`costs` says of each block how many tokens it has."""
    held: list[_Unit] = []
    size = 0
    for block, cost in zip(blocks, costs, strict=True):
        unit = _Unit(block, cost)
        while held and _ends_here(held, size, unit):
            told = _without_headings(held) or held
            yield _passage(lines, blocks, told)
            held = held[len(told) :] or _repeated(told, unit)
            size = sum(each.tokens for each in held)
        if unit.tokens <= PASSAGE:
            held.append(unit)
            size += unit.tokens
            continue
        if held:
            yield _passage(lines, blocks, held)
            held, size = [], 0
        yield from _long(lines, blocks, block)
    if held:
        yield _passage(lines, blocks, held)


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


def _ends_here(held: list[_Unit], size: int, unit: _Unit) -> bool:
    if size + unit.tokens > PASSAGE:
        # A heading goes with its text, even if both are a little too long.
        return size > OVERLAP or bool(_without_headings(held))
    return unit.block.kind == "heading" and size >= _SECTION and held[-1].block.kind != "heading"


def _without_headings(held: list[_Unit]) -> list[_Unit]:
    """Headings at the end belong to what comes next."""
    end = len(held)
    while end and held[end - 1].block.kind == "heading":
        end -= 1
    return held[:end]


def _repeated(told: list[_Unit], unit: _Unit) -> list[_Unit]:
    """The last blocks of a passage, with which the next one begins, unless that is a new
    section."""
    if unit.block.kind == "heading":
        return []
    tail: list[_Unit] = []
    room = min(OVERLAP, PASSAGE - unit.tokens)
    for each in reversed(told[1:]):
        room -= each.tokens
        if room < 0 or each.block.kind == "heading":
            break
        tail.insert(0, each)
    return tail


def _passage(lines: Sequence[str], blocks: Sequence[Block], held: Sequence[_Unit]) -> Cut:
    first, last = held[0].block, held[-1].block
    text = "\n".join(lines[first.start - 1 : last.end])
    cost = sum(each.tokens for each in held)
    return Cut(Piece(first.start, last.end, text, cost), first.headings, parents(blocks, first))


def _long(lines: Sequence[str], blocks: Sequence[Block], block: Block) -> Iterator[Cut]:
    """A block that fits into no passage, in pieces."""
    for piece in pieces(lines, block.start, block.end):
        yield Cut(piece, block.headings, parents(blocks, block))
