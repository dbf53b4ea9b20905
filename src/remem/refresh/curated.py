"""Which passages does a curated file hold? One for each bullet or paragraph: every line of it
was put there to be found on its own.

Its headings and the bullets that it is nested in stand beside it. Code goes with the statement
above it, and a table stays whole where it fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from remem.core.outline import Block
from remem.core.tokens import estimate
from remem.refresh.notes import Cut, cut_of, parents
from remem.refresh.pieces import PASSAGE, pieces

_LONGEST_PARENT: Final = 300
"""A parent that is itself a whole text tells no more about its child than its beginning."""


def cut_curated(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Cut]:
    held: list[Block] = []
    for place, block in enumerate(blocks):
        if block.kind == "comment" or (block.kind == "heading" and _has_text(blocks, place)):
            continue
        if held and not _go_together(lines, held, block):
            yield from _passage(lines, blocks, held)
            held = []
        held.append(block)
    if held:
        yield from _passage(lines, blocks, held)


def _has_text(blocks: Sequence[Block], place: int) -> bool:
    """Whether anything stands under a heading; one above nothing is a passage of its own."""
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if following is None:
        return False
    return following.kind != "heading" or following.level > blocks[place].level


def _go_together(lines: Sequence[str], held: Sequence[Block], block: Block) -> bool:
    last = held[-1]
    if block.headings != last.headings or last.kind == "heading":
        return False
    follows = block.kind == "row" and last.kind == "row"
    follows = follows or (block.kind == "code" and last.kind in ("bullet", "text"))
    follows = follows or (block.kind in ("text", "row") and block.parent is not None)
    return follows and _cost(lines, held[0].start, block.end) <= PASSAGE


def _passage(lines: Sequence[str], blocks: Sequence[Block], held: Sequence[Block]) -> Iterator[Cut]:
    first, last = held[0], held[-1]
    within = tuple(each[:_LONGEST_PARENT] for each in parents(blocks, first))
    if _cost(lines, first.start, last.end) <= PASSAGE:
        text = "\n".join(lines[first.start - 1 : last.end])
        yield Cut(first.start, last.end, text, first.headings, within)
        return
    for piece in pieces(lines, first.start, last.end):
        yield cut_of(piece, first.headings, within)


def _cost(lines: Sequence[str], start: int, end: int) -> int:
    return estimate("\n".join(lines[start - 1 : end])) + 1
