"""Which parts of a file does a message need, when the whole does not fit?

Those that share its words, then the last ones, which in a growing file are the newest; in
their order, each gap marked with the lines that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.outline import Block, lines_of, outline
from remem.disclosure.open.wording import Telling, telling

_BENEATH: Final = 0.5
"""What the words of a heading count for what stands below it."""


@dataclass(frozen=True, slots=True)
class Excerpted:
    text: str
    truncated: bool


def parts_of(
    text: str, message: str, room: int, cost: Callable[[str], int], path: str
) -> Excerpted | None:
    """The whole text, or what matters of it, for at most so many tokens; None for nothing."""
    if cost(text) <= room:
        return Excerpted(text, truncated=False)
    lines = lines_of(text)
    blocks = [each for each in outline(text) if each.kind != "matter"]
    asked = telling(message)
    chosen: set[int] = set()
    left = room - cost(_gap(1, len(lines), path)) * 2
    for place in _best_first(blocks, asked):
        wanted = {place, *_headings_of(blocks, place)} - chosen
        price = sum(cost(_lines(lines, blocks[each])) + 1 for each in wanted)
        if price <= left:
            chosen |= wanted
            left -= price
    while chosen:
        shown = _assembled(lines, blocks, sorted(chosen), path)
        if cost(shown) <= room:
            return Excerpted(shown, truncated=True)
        chosen.remove(min(chosen, key=lambda each: (_score(blocks[each], asked), each)))
    return None


def _best_first(blocks: Sequence[Block], asked: Telling) -> list[int]:
    places = [place for place, each in enumerate(blocks) if each.kind != "heading"]
    return sorted(places, key=lambda place: (-_score(blocks[place], asked), -place))


def _score(block: Block, asked: Telling) -> float:
    above = asked.shared(" ".join(block.headings))
    return asked.shared(block.text) + _BENEATH * above


def _headings_of(blocks: Sequence[Block], place: int) -> list[int]:
    """The nearest heading above a block: what it says it about."""
    above = (at for at in range(place, -1, -1) if blocks[at].kind == "heading")
    return [at for at in [next(above, None)] if at is not None]


def _assembled(
    lines: Sequence[str], blocks: Sequence[Block], places: Sequence[int], path: str
) -> str:
    pieces, upto = [], 0
    for place in places:
        block = blocks[place]
        if any(line.strip() for line in lines[upto : block.start - 1]):
            pieces.append(_gap(upto + 1, block.start - 1, path))
        pieces.append(_lines(lines, block))
        upto = block.end
    if any(line.strip() for line in lines[upto:]):
        pieces.append(_gap(upto + 1, len(lines), path))
    return "\n".join(pieces)


def _lines(lines: Sequence[str], block: Block) -> str:
    return "\n".join(lines[block.start - 1 : block.end])


def _gap(first: int, last: int, path: str) -> str:
    which = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"[… {which} left out: memory_get {path} from {first}]"
