"""Split text into passages of limited size.

A note is split into passages of up to 170 tokens along its sections. Bullets, paragraphs and table
rows stay whole if they fit, and a heading stays with the text below it. If a section needs
several passages, each repeats up to 35 tokens from the end of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.text.markdown import Block
from remem.text.tokens import estimate

PASSAGE_TOKENS: Final = 170
"""Estimated tokens of a passage: about as much as hosts show and as embedding models read."""
OVERLAP_TOKENS: Final = 35

_SENTENCE: Final = re.compile(r"[.!?;]\s|[。！？；\n]")
_LISTED: Final = ("bullet", "row")
_MIN_SECTION_TOKENS: Final = 120
"""A passage of at least this size ends before the next heading."""


@dataclass(frozen=True, slots=True)
class FilePiece:
    """Lines `start` to `end` of a file, or a part of one line, with headings and parent bullets."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


def cut_lines(
    lines: Sequence[str],
    start: int,
    end: int,
    headings: tuple[str, ...] = (),
    parent_headings: tuple[str, ...] = (),
) -> Iterator[FilePiece]:
    """Split lines into pieces that fit into a passage; a line is cut only if it is too long."""
    costs = {number: estimate(lines[number - 1]) + 1 for number in range(start, end + 1)}
    first, size = start, 0  # the first line that is not yet in a piece, and the tokens from there
    for number, cost in costs.items():
        if first < number and size + cost > PASSAGE_TOKENS:
            yield _joined(lines, first, number - 1, headings, parent_headings)
            first = _overlap_from(costs, first, number)
            size = sum(costs[line] for line in range(first, number))
        if cost <= PASSAGE_TOKENS:
            size += cost
            continue
        for part in _parts(lines[number - 1]):
            yield FilePiece(number, number, part, headings, parent_headings)
        first, size = number + 1, 0
    if first <= end:
        yield _joined(lines, first, end, headings, parent_headings)


def _joined(
    lines: Sequence[str],
    start: int,
    end: int,
    headings: tuple[str, ...],
    parent_headings: tuple[str, ...],
) -> FilePiece:
    return FilePiece(start, end, "\n".join(lines[start - 1 : end]), headings, parent_headings)


def _overlap_from(costs: Mapping[int, int], first: int, number: int) -> int:
    """Return the first line of the next piece, which repeats the last lines of this one.

    Nothing is repeated if line `number` would then not fit.
    """
    available, begin = OVERLAP_TOKENS, number
    while begin - 1 > first and costs[begin - 1] <= available:
        begin -= 1
        available -= costs[begin]
    repeated = OVERLAP_TOKENS - available
    return begin if repeated + costs[number] <= PASSAGE_TOKENS else number


def _parts(line: str) -> Iterator[str]:
    """Cut a long line, if possible at the end of a sentence or word."""
    start = 0
    while start < len(line):
        end = _end_of_part(line, start)
        if part := line[start:end].strip():
            yield part
        if end >= len(line):
            return
        start = max(start + 1, _next_start(line, start, end))


def _end_of_part(line: str, start: int) -> int:
    """Return where a passage that starts at `start` ends: at a sentence or word if possible."""
    end = min(len(line), start + PASSAGE_TOKENS * 4)
    while (cost := estimate(line[start:end])) > PASSAGE_TOKENS:
        end = start + max(1, (end - start) * PASSAGE_TOKENS // (cost + 1))
    if end == len(line):
        return end
    window = line[start:end]
    stops = [match.end() for match in _SENTENCE.finditer(window) if match.end() > len(window) // 2]
    if stops:
        return start + stops[-1]
    space = window.rfind(" ", len(window) // 2)
    return start + space + 1 if space > 0 else end


def _next_start(line: str, start: int, end: int) -> int:
    """Return where the next piece begins: shortly before the end of this one, at a word."""
    back = end - (end - start) * OVERLAP_TOKENS // PASSAGE_TOKENS
    space = line.find(" ", back, end)
    return space + 1 if space >= 0 else back


def cut_note(
    lines: Sequence[str], blocks: Sequence[Block], costs: Sequence[int]
) -> Iterator[FilePiece]:
    """Split a note into passages; `costs` are the tokens of each block."""
    first = size = 0  # the first block that is not yet in a passage, and the tokens from there on
    for i, (block, cost) in enumerate(zip(blocks, costs, strict=True)):
        while first < i and _is_complete(blocks, first, i, size, cost):
            end = _before_headings(blocks, first, i)
            end = i if end == first else end
            yield _passage(lines, blocks, first, end)
            first = end if end < i else _overlap_start(blocks, costs, first, i)
            size = sum(costs[first:i])
        if cost <= PASSAGE_TOKENS:
            size += cost
            continue
        if first < i:
            yield _passage(lines, blocks, first, i)
        first, size = i + 1, 0
        within = parents(blocks, i)
        yield from cut_lines(lines, block.start, block.end, block.headings, within)
    if first < len(blocks):
        yield _passage(lines, blocks, first, len(blocks))


def parents(blocks: Sequence[Block], index: int) -> tuple[str, ...]:
    """Return the bullets that a block is nested in, outermost first.

    Before them comes the line that introduces their list or table: `Prices:`.
    """
    texts: list[str] = []
    while (parent := blocks[index].parent) is not None:
        texts.insert(0, blocks[parent].text)
        index = parent
    introduction = _introduction(blocks, index)
    return (introduction, *texts) if introduction else tuple(texts)


def introduces(block: Block) -> bool:
    """Return whether a paragraph introduces the list, table or code below it."""
    return (
        block.kind == "text"
        and block.parent is None
        and block.text.rstrip("*_ ").endswith((":", "："))
    )


def _introduction(blocks: Sequence[Block], index: int) -> str | None:
    """Return the paragraph with a colon right before the list or table of an outermost block."""
    headings = blocks[index].headings
    kinds = _LISTED if blocks[index].kind in _LISTED else ()
    while kinds and index:
        index -= 1
        block = blocks[index]
        if block.headings != headings:
            return None
        if introduces(block):
            return block.text
        if block.kind not in kinds and block.parent is None:
            return None
    return None


def cost_of(lines: Sequence[str], block: Block) -> int:
    """Return the estimated tokens of a block."""
    return estimate("\n".join(lines[block.start - 1 : block.end])) + 1


def _is_complete(blocks: Sequence[Block], first: int, i: int, size: int, cost: int) -> bool:
    """Return whether the blocks so far are a whole passage, so that block `i` starts a new one."""
    if size + cost > PASSAGE_TOKENS:
        # A heading stays with its text, even if both together are slightly too long.
        return size > OVERLAP_TOKENS or _before_headings(blocks, first, i) > first
    return (
        size >= _MIN_SECTION_TOKENS
        and blocks[i].kind == "heading"
        and blocks[i - 1].kind != "heading"
    )


def _before_headings(blocks: Sequence[Block], first: int, end: int) -> int:
    """Move `end` back past trailing headings, which belong to the text below them."""
    while end > first and blocks[end - 1].kind == "heading":
        end -= 1
    return end


def _overlap_start(blocks: Sequence[Block], costs: Sequence[int], first: int, i: int) -> int:
    """Return the first block of the next passage.

    It repeats the last blocks of this one, unless it begins a new section.
    """
    begin = i
    if blocks[i].kind == "heading":
        return begin
    available = min(OVERLAP_TOKENS, PASSAGE_TOKENS - costs[i])
    while begin - 1 > first and blocks[begin - 1].kind != "heading":
        available -= costs[begin - 1]
        if available < 0:
            break
        begin -= 1
    return begin


def _passage(lines: Sequence[str], blocks: Sequence[Block], first: int, end: int) -> FilePiece:
    block = blocks[first]
    within = parents(blocks, first)
    return _joined(lines, block.start, blocks[end - 1].end, block.headings, within)
