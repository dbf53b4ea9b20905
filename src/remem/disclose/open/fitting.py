"""How do gate, file and convention share a room? Whole if they fit; else what matters most.

The hard rules come before everything, then the file that the message needs.

Which parts of a file does a message need, when the whole does not fit?

Those that share its words, then the last ones, which in a growing file are the newest; in
their order, each gap marked with the lines that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.open.intent import Telling, telling
from remem.disclose.open.result import Page, Plan, cost
from remem.ports.models import TokenCounter
from remem.text.markdown import Block, lines_of, outline

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
    blocks = [block for block in outline(text) if block.kind != "matter"]
    asked = telling(message)
    chosen: set[int] = set()
    left = room - cost(_gap(1, len(lines), path)) * 2
    for place in _best_first(blocks, asked):
        wanted = {place, *_headings_of(blocks, place)} - chosen
        price = sum(cost(_lines(lines, blocks[number])) + 1 for number in wanted)
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


_FRAME: Final = 24
"""Tokens for the fields around a page's text."""
_GATES_SHARE: Final = 0.4
_LEAST: Final = 24
"""A page with less room would say nothing."""


def fitted(plan: Plan, room: int, counter: TokenCounter) -> tuple[list[Page], list[str]]:
    """The pages that fit into so many tokens, and what did not."""
    pages: list[Page] = []
    refused: list[str] = []
    if plan.gate.text is not None and not plan.gate.known:
        page = _gate_page(plan, room, counter)
        if page is None:
            refused.append(f"{plan.gate.path}: no room in the budget")
        else:
            pages.append(page)
            room -= cost(page.text, counter) + _FRAME + len(page.path) // 3
    for sheet in plan.pages:
        room -= _FRAME + len(sheet.path) // 3
        found = (
            parts_of(sheet.text, plan.message, room, lambda text: cost(text, counter), sheet.path)
            if room >= _LEAST
            else None
        )
        if found is None:
            refused.append(f"{sheet.path}: no room in the budget")
            continue
        pages.append(Page(sheet.path, sheet.tier, found.text, found.truncated or None))
        room -= cost(found.text, counter)
    return pages, refused


def _gate_page(plan: Plan, room: int, counter: TokenCounter) -> Page | None:
    """The whole gate, if the files keep enough room; else its rules and the ways that matter."""
    path, text = plan.gate.path or "", plan.gate.text or ""
    room -= _FRAME + len(path) // 3
    files = sum(cost(page.text, counter) + 2 * _FRAME for page in plan.pages)
    share = room if not files else max(room - files, int(room * _GATES_SHARE))
    if share < _LEAST:
        return None
    if cost(text, counter) <= share:
        return Page(path, "gate", text)
    if plan.gate.file.rules or plan.gate.file.routes:
        return _essence(plan, share, counter)
    found = parts_of(text, plan.message, share, lambda part: cost(part, counter), path)
    return Page(path, "gate", found.text, found.truncated or None) if found else None


def _essence(plan: Plan, share: int, counter: TokenCounter) -> Page | None:
    """The rules, then the routes, as far as they go; that there is more is said."""
    path, lines = plan.gate.path or "", lines_of(plan.gate.text or "")
    more = f"[… parts left out: memory_get {path}]"
    routes = [lines[route.line - 1] for route in plan.gate.file.routes]
    kept: list[str] = []
    left = share - cost(more, counter) - 4
    for line in [*(f"- {rule}" for rule in plan.gate.file.rules), *routes]:
        left -= cost(line, counter) + 1
        if left < 0:
            break
        kept.append(line)
    return Page(path, "gate", "\n".join([*kept, more]), truncated=True) if kept else None
