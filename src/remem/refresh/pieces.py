"""How long may a passage be, and where is a text cut that is longer?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.tokens import estimate

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
        if held and sum(each.tokens for each in held) + cost > PASSAGE:
            yield _joined(held)
            held = _tail(held)
            if sum(each.tokens for each in held) + cost > PASSAGE:
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
    for each in reversed(held[1:]):
        room -= each.tokens
        if room < 0:
            break
        tail.insert(0, each)
    return tail


def _joined(held: Sequence[Piece]) -> Piece:
    text = "\n".join(each.text for each in held)
    return Piece(held[0].start, held[-1].end, text, sum(each.tokens for each in held))


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
