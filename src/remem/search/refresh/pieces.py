"""Which day does a note tell of? Its file's name says it, or a heading.

How long may a passage be, and where is a text cut that is longer?

Which passages does a note hold? Blocks of about 170 tokens that follow its sections.

A bullet, paragraph or table row is not cut where it fits; a heading goes with what stands
under it. Where a section is longer than a passage, the next one repeats the last 35 tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from remem.text.markdown import Block
from remem.text.tokens import estimate

PASSAGE: Final = 170
"""In estimated tokens: about what a host shows of a passage, and what a model reads of it."""
OVERLAP: Final = 35

_SENTENCE: Final = re.compile(r"[.!?;]\s|[。！？；\n]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `start` to `end`, or a part of one line; `tokens` is what it costs."""

    start: int
    end: int
    text: str
    tokens: int


def pieces(lines: Sequence[str], start: int, end: int) -> Iterator[Piece]:
    """The lines in pieces that each fit into a passage; whole lines where those fit."""
    held: list[Piece] = []
    for number in range(start, end + 1):
        line = lines[number - 1]
        cost = estimate(line) + 1
        if held and sum(piece.tokens for piece in held) + cost > PASSAGE:
            yield _joined(held)
            held = _tail(held)
            if sum(piece.tokens for piece in held) + cost > PASSAGE:
                held = []
        if cost > PASSAGE:
            yield from _parts(line, number)
        else:
            held.append(Piece(number, number, line, cost))
    if held:
        yield _joined(held)


def _tail(held: Sequence[Piece]) -> list[Piece]:
    """The last lines, as far as they may stand in the next piece too."""
    tail: list[Piece] = []
    room = OVERLAP
    for piece in reversed(held[1:]):
        room -= piece.tokens
        if room < 0:
            break
        tail.insert(0, piece)
    return tail


def _joined(held: Sequence[Piece]) -> Piece:
    text = "\n".join(piece.text for piece in held)
    return Piece(held[0].start, held[-1].end, text, sum(piece.tokens for piece in held))


def _parts(line: str, number: int) -> Iterator[Piece]:
    """A line that is too long, cut at the end of a sentence or word where there is one."""
    at = 0
    while at < len(line):
        end = _fitting(line, at)
        text = line[at:end]
        if text.strip():
            yield Piece(number, number, text.strip(), estimate(text))
        if end >= len(line):
            return
        at = max(at + 1, _overlap(line, at, end))


def _fitting(line: str, at: int) -> int:
    """As far as a passage reaches, by what the characters cost; then back to a boundary."""
    end = min(len(line), at + PASSAGE * 4)
    while (cost := estimate(line[at:end])) > PASSAGE:
        end = at + max(1, (end - at) * PASSAGE // (cost + 1))
    if end == len(line):
        return end
    window = line[at:end]
    stops = [match.end() for match in _SENTENCE.finditer(window) if match.end() > len(window) // 2]
    if stops:
        return at + stops[-1]
    space = window.rfind(" ", len(window) // 2)
    return at + space + 1 if space > 0 else end


def _overlap(line: str, at: int, end: int) -> int:
    """Where the next piece begins: a little before the end of this one, at a word."""
    back = end - (end - at) * OVERLAP // PASSAGE
    space = line.find(" ", back, end)
    return space + 1 if space >= 0 else back


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


_YEARS: Final = range(1990, 2100)  # any other number is an id
_DATE: Final = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_WEEK: Final = re.compile(r"(?<!\d)(\d{4})-?W(\d{2})(?!\d)", re.IGNORECASE)
_MONTH: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})(?![-_.]?\d)")
_IN_HEADING: Final = re.compile(
    r"(?<!\d)(\d{4})\s*(?:[-/.]|年)\s*(\d{1,2})\s*(?:[-/.]|月)\s*(\d{1,2})(?!\d)"
)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMED: Final = "(" + "|".join(_MONTHS) + r")[a-z]*\.?"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_FIRST: Final = re.compile(rf"\b{_NAMED}\s+{_DAY},?\s+(\d{{4}})\b", re.IGNORECASE)
_DAY_FIRST: Final = re.compile(rf"\b{_DAY}\.?\s+{_NAMED},?\s+(\d{{4}})\b", re.IGNORECASE)


def day_of_name(path: str) -> str | None:
    """`YYYY-MM-DD` from a file's name; a week counts as its Monday, a month as its first day."""
    stem = PurePosixPath(path).stem
    for year, _, month, day in _DATE.findall(stem):
        if found := _day(year, month, day):
            return found
    for year, week in _WEEK.findall(stem):
        if found := _monday(year, week):
            return found
    for year, month in _MONTH.findall(stem):
        if found := _day(year, month, 1):
            return found
    return None


def day_of_headings(headings: Iterable[str]) -> str | None:
    """The date in the nearest of the headings above a passage, given the highest first. One
    without a year says nothing."""
    for heading in reversed(tuple(headings)):
        if found := _in_heading(heading):
            return found
    return None


@lru_cache(maxsize=1_000)
def _in_heading(text: str) -> str | None:
    if match := _IN_HEADING.search(text):
        return _day(*match.groups())
    if match := _MONTH_FIRST.search(text):
        month, day, year = match.groups()
        return _day(year, _number(month), day)
    if match := _DAY_FIRST.search(text):
        day, month, year = match.groups()
        return _day(year, _number(month), day)
    return day_of_name(text) if _WEEK.search(text) else None


def _number(month: str) -> int:
    return _MONTHS.index(month.lower()) + 1


def _day(year: str, month: str | int, day: str | int) -> str | None:
    if int(year) not in _YEARS:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _monday(year: str, week: str) -> str | None:
    if int(year) not in _YEARS:
        return None
    try:
        return date.fromisocalendar(int(year), int(week), 1).isoformat()
    except ValueError:
        return None
