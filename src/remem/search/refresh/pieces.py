"""Split text into passages of limited size, and find the day that a note is about.

A note is split into passages of up to 170 tokens along its sections. Bullets, paragraphs and table
rows stay whole if they fit, and a heading stays with the text below it. If a section does not fit
into one passage, the next one repeats up to 35 tokens of the end of the previous one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from remem.text.dates import MONTHS
from remem.text.markdown import Block
from remem.text.tokens import estimate

PASSAGE_TOKENS: Final = 170
"""Estimated tokens of a passage: about as much as hosts show and as embedding models read."""
OVERLAP_TOKENS: Final = 35

_SENTENCE: Final = re.compile(r"[.!?;]\s|[。！？；\n]")
_MIN_SECTION_TOKENS: Final = 120
"""A passage of at least this size ends before the next heading."""
_YEARS: Final = range(1990, 2100)  # other numbers are not taken for years
_DATE: Final = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_WEEK: Final = re.compile(r"(?<!\d)(\d{4})-?W(\d{2})(?!\d)", re.IGNORECASE)
_MONTH: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})(?![-_.]?\d)")
_IN_HEADING: Final = re.compile(
    r"(?<!\d)(\d{4})\s*(?:[-/.]|年)\s*(\d{1,2})\s*(?:[-/.]|月)\s*(\d{1,2})(?!\d)"
)
_MONTH_NAME: Final = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH_NAME}\s+{_DAY},?\s+(\d{{4}})\b", re.IGNORECASE)
_DAY_FIRST: Final = re.compile(rf"\b{_DAY}\.?\s+{_MONTH_NAME},?\s+(\d{{4}})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines `start` to `end`, or a part of one line, with its number of tokens."""

    start: int
    end: int
    text: str
    tokens: int


def pieces(lines: Sequence[str], start: int, end: int) -> Iterator[Piece]:
    """Split lines into pieces that fit into a passage; a line is cut only if it is too long."""
    pending: list[Piece] = []
    for number in range(start, end + 1):
        line = lines[number - 1]
        cost = estimate(line) + 1
        if pending and sum(piece.tokens for piece in pending) + cost > PASSAGE_TOKENS:
            yield _join(pending)
            pending = _tail(pending)
            if sum(piece.tokens for piece in pending) + cost > PASSAGE_TOKENS:
                pending = []
        if cost > PASSAGE_TOKENS:
            yield from _parts(line, number)
        else:
            pending.append(Piece(number, number, line, cost))
    if pending:
        yield _join(pending)


def _tail(parts: Sequence[Piece]) -> list[Piece]:
    """Return the last lines, which the next piece repeats."""
    tail: list[Piece] = []
    available = OVERLAP_TOKENS
    for piece in reversed(parts[1:]):
        available -= piece.tokens
        if available < 0:
            break
        tail.insert(0, piece)
    return tail


def _join(parts: Sequence[Piece]) -> Piece:
    text = "\n".join(piece.text for piece in parts)
    return Piece(parts[0].start, parts[-1].end, text, sum(piece.tokens for piece in parts))


def _parts(line: str, number: int) -> Iterator[Piece]:
    """Cut a long line, if possible at the end of a sentence or word."""
    start = 0
    while start < len(line):
        end = _end_of_part(line, start)
        text = line[start:end]
        if text.strip():
            yield Piece(number, number, text.strip(), estimate(text))
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


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines `start` to `end` of a file, or a part of one line, with headings and parent bullets."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    within: tuple[str, ...] = ()


def cut_note(lines: Sequence[str], blocks: Sequence[Block], costs: Sequence[int]) -> Iterator[Cut]:
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
        for piece in pieces(lines, block.start, block.end):
            yield cut_of(piece, block.headings, parents(blocks, block))
    if first < len(blocks):
        yield _passage(lines, blocks, first, len(blocks))


def cut_of(piece: Piece, headings: tuple[str, ...], within: tuple[str, ...]) -> Cut:
    return Cut(piece.start, piece.end, piece.text, headings, within)


def parents(blocks: Sequence[Block], block: Block) -> tuple[str, ...]:
    """Return the bullets that a block is nested in, outermost first."""
    texts: list[str] = []
    index = block.parent
    while index is not None:
        texts.insert(0, blocks[index].text)
        index = blocks[index].parent
    return tuple(texts)


def cost_of(lines: Sequence[str], block: Block) -> int:
    return estimate("\n".join(lines[block.start - 1 : block.end])) + 1


def _is_complete(blocks: Sequence[Block], first: int, i: int, size: int, cost: int) -> bool:
    """Whether the blocks so far are a complete passage, so that block `i` begins the next one."""
    if size + cost > PASSAGE_TOKENS:
        # A heading stays with its text, even if both together are slightly too long.
        return size > OVERLAP_TOKENS or _before_headings(blocks, first, i) > first
    return (
        size >= _MIN_SECTION_TOKENS
        and blocks[i].kind == "heading"
        and blocks[i - 1].kind != "heading"
    )


def _before_headings(blocks: Sequence[Block], first: int, end: int) -> int:
    """Move `end` before headings at the end, which belong to the text below them."""
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


def _passage(lines: Sequence[str], blocks: Sequence[Block], first: int, end: int) -> Cut:
    block, start, last = blocks[first], blocks[first].start, blocks[end - 1].end
    text = "\n".join(lines[start - 1 : last])
    return Cut(start, last, text, block.headings, parents(blocks, block))


def day_of_name(path: str) -> str | None:
    """Return the date in a file's name; a week counts as its Monday, a month as its first day."""
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
    """Return the date in the nearest heading above a passage; `headings` are outermost first.

    Dates without a year are ignored.
    """
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
    return MONTHS[month.lower()]


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
