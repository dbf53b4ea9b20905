"""Fit the gate, the file and the convention into a token budget.

The hard rules come first, then the file that the message needs. Of a file that does not fit, the
parts that share words with the message are kept, then the last ones, which in a growing file are
the newest; they stay in order, and each gap names the lines that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.open.intent import Keywords, keywords_of
from remem.disclose.open.result import Page, Plan, encoded_cost
from remem.ports.models import TokenCounter
from remem.text.markdown import Block, lines_of, outline

_HEADING_WEIGHT: Final = 0.5
"""Weight of the words in the headings above a block."""


@dataclass(frozen=True, slots=True)
class FittedText:
    text: str
    truncated: bool


def fit_text(
    text: str, message: str, room: int, cost: Callable[[str], int], path: str
) -> FittedText | None:
    """The text, or the parts of it that matter, in at most `room` tokens; None if none fits."""
    if cost(text) <= room:
        return FittedText(text, truncated=False)
    lines = lines_of(text)
    blocks = [block for block in outline(text) if block.kind != "matter"]
    keywords = keywords_of(message)
    chosen: set[int] = set()
    left = room - cost(_gap(1, len(lines), path)) * 2
    for index in _best_first(blocks, keywords):
        wanted = {index, *_heading_of(blocks, index)} - chosen
        price = sum(cost(_lines(lines, blocks[number])) + 1 for number in wanted)
        if price <= left:
            chosen |= wanted
            left -= price
    while chosen:
        text = _assemble(lines, [blocks[index] for index in sorted(chosen)], path)
        if cost(text) <= room:
            return FittedText(text, truncated=True)
        chosen.remove(min(chosen, key=lambda index: (_score(blocks[index], keywords), index)))
    return None


def _best_first(blocks: Sequence[Block], keywords: Keywords) -> list[int]:
    indexes = [index for index, block in enumerate(blocks) if block.kind != "heading"]
    return sorted(indexes, key=lambda index: (-_score(blocks[index], keywords), -index))


def _score(block: Block, keywords: Keywords) -> float:
    in_headings = keywords.shared(" ".join(block.headings))
    return keywords.shared(block.text) + _HEADING_WEIGHT * in_headings


def _heading_of(blocks: Sequence[Block], index: int) -> list[int]:
    """The nearest heading above a block, if there is one."""
    above = (at for at in range(index, -1, -1) if blocks[at].kind == "heading")
    return [at for at in [next(above, None)] if at is not None]


def _assemble(lines: Sequence[str], blocks: Sequence[Block], path: str) -> str:
    pieces, end = [], 0
    for block in blocks:
        if any(line.strip() for line in lines[end : block.start - 1]):
            pieces.append(_gap(end + 1, block.start - 1, path))
        pieces.append(_lines(lines, block))
        end = block.end
    if any(line.strip() for line in lines[end:]):
        pieces.append(_gap(end + 1, len(lines), path))
    return "\n".join(pieces)


def _lines(lines: Sequence[str], block: Block) -> str:
    return "\n".join(lines[block.start - 1 : block.end])


def _gap(first: int, last: int, path: str) -> str:
    which = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"[… {which} left out: memory_get {path} from {first}]"


_FRAME_TOKENS: Final = 24
"""Tokens for the fields around a page's text."""
_GATE_SHARE: Final = 0.4
_MIN_PAGE_TOKENS: Final = 24
"""With less room a page would be of no use."""


def fit_pages(plan: Plan, room: int, counter: TokenCounter) -> tuple[list[Page], list[str]]:
    """The pages that fit into `room` tokens, and messages about those that did not."""
    pages: list[Page] = []
    refused: list[str] = []
    if plan.gate.text is not None and not plan.gate.known:
        page = _gate_page(plan, room, counter)
        if page is None:
            refused.append(f"{plan.gate.path}: no room in the budget")
        else:
            pages.append(page)
            room -= encoded_cost(page.text, counter) + _FRAME_TOKENS + len(page.path) // 3
    for file in plan.pages:
        room -= _FRAME_TOKENS + len(file.path) // 3
        found = (
            fit_text(
                file.text, plan.message, room, lambda text: encoded_cost(text, counter), file.path
            )
            if room >= _MIN_PAGE_TOKENS
            else None
        )
        if found is None:
            refused.append(f"{file.path}: no room in the budget")
            continue
        pages.append(Page(file.path, file.tier, found.text, found.truncated or None))
        room -= encoded_cost(found.text, counter)
    return pages, refused


def _gate_page(plan: Plan, room: int, counter: TokenCounter) -> Page | None:
    """The gate as a whole if the files keep enough room; else its rules and routes."""
    path, text = plan.gate.path or "", plan.gate.text or ""
    room -= _FRAME_TOKENS + len(path) // 3
    files = sum(encoded_cost(page.text, counter) + 2 * _FRAME_TOKENS for page in plan.pages)
    share = room if not files else max(room - files, int(room * _GATE_SHARE))
    if share < _MIN_PAGE_TOKENS:
        return None
    if encoded_cost(text, counter) <= share:
        return Page(path, "gate", text)
    if plan.gate.file.rules or plan.gate.file.routes:
        return _rules_and_routes(plan, share, counter)
    found = fit_text(text, plan.message, share, lambda part: encoded_cost(part, counter), path)
    return Page(path, "gate", found.text, found.truncated or None) if found else None


def _rules_and_routes(plan: Plan, share: int, counter: TokenCounter) -> Page | None:
    """The rules, then the routes, as far as they fit, and a line that names the rest."""
    path, lines = plan.gate.path or "", lines_of(plan.gate.text or "")
    more = f"[… parts left out: memory_get {path}]"
    routes = [lines[route.line - 1] for route in plan.gate.file.routes]
    fitting: list[str] = []
    left = share - encoded_cost(more, counter) - 4
    for line in [*(f"- {rule}" for rule in plan.gate.file.rules), *routes]:
        left -= encoded_cost(line, counter) + 1
        if left < 0:
            break
        fitting.append(line)
    return Page(path, "gate", "\n".join([*fitting, more]), truncated=True) if fitting else None
