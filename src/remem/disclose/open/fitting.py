"""Fit the gate, the file and the convention into a token budget.

The gate comes first, then the file that the message needs. If a file does not fit, parts that share
words with the message are preferred, then the parts nearest its end, which are the newest in a
growing file. The parts stay in order, and each gap names the lines that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from remem.disclose.open.intent import Keywords, keywords_of
from remem.disclose.open.result import LoadedPage, LoadingPlan, encoded_cost
from remem.model.gate import GateFile
from remem.ports.models import TokenCounter
from remem.text.markdown import Block, lines_of, outline

_HEADING_WEIGHT: Final = 0.5
"""Weight of the words in the headings above a block."""
_FRAME_TOKENS: Final = 24
"""Tokens of the field names around a page's text."""
_GATE_SHARE: Final = 0.4
"""The gate may always use this share of the available tokens."""
_MIN_PAGE_TOKENS: Final = 24
"""A page with fewer tokens would be useless."""


def fit_page(
    page: LoadedPage, message: str, available: int, cost: Callable[[str], int]
) -> LoadedPage | None:
    """Return the page or its most relevant parts, in at most `available` tokens.

    The result is None if no part fits.
    """
    if cost(page.text) <= available:
        return page
    lines = lines_of(page.text)
    blocks = [block for block in outline(page.text) if block.kind != "front matter"]
    keywords = keywords_of(message)
    chosen: set[int] = set()
    remaining = available - cost(_gap(1, len(lines), page.path)) * 2
    for index in _best_first(blocks, keywords):
        added = {index, _heading_of(blocks, index)} - chosen
        added_cost = sum(cost(_lines(lines, blocks[number])) + 1 for number in added)
        if added_cost <= remaining:
            chosen |= added
            remaining -= added_cost
    while chosen:
        text = _assemble(lines, [blocks[index] for index in sorted(chosen)], page.path)
        if cost(text) <= available:
            return replace(page, text=text, truncated=True)
        chosen.remove(min(chosen, key=lambda index: (_score(blocks[index], keywords), index)))
    return None


def _best_first(blocks: Sequence[Block], keywords: Keywords) -> list[int]:
    """Return the indexes of the blocks that are not headings, the most relevant first."""
    indexes = [index for index, block in enumerate(blocks) if block.kind != "heading"]
    return sorted(indexes, key=lambda index: (-_score(blocks[index], keywords), -index))


def _score(block: Block, keywords: Keywords) -> float:
    in_headings = keywords.count_in(" ".join(block.headings))
    return keywords.count_in(block.text) + _HEADING_WEIGHT * in_headings


def _heading_of(blocks: Sequence[Block], index: int) -> int:
    """Return the index of the nearest heading above a block; its own index if there is none."""
    above = (number for number in range(index, -1, -1) if blocks[number].kind == "heading")
    return next(above, index)


def _assemble(lines: Sequence[str], blocks: Sequence[Block], path: str) -> str:
    """Return the text of the blocks, with a notice for each gap that is not blank."""
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
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"[… {lines} left out: memory_get {path} from {first}]"


def fit_pages(
    plan: LoadingPlan, available: int, counter: TokenCounter
) -> tuple[list[LoadedPage], list[str]]:
    """Return the pages that fit into `available` tokens, and messages about those that do not."""

    def cost(text: str) -> int:
        return encoded_cost(text, counter)

    pages: list[LoadedPage] = []
    refused: list[str] = []
    if plan.gate.text is not None and not plan.gate.already_read:
        page = _gate_page(plan, available, cost)
        if page is None:
            refused.append(f"{plan.gate.path}: no room in the budget")
        else:
            pages.append(page)
            available -= cost(page.text) + _frame_cost(page.path)
    for file in plan.pages:
        available -= _frame_cost(file.path)
        whole = LoadedPage(file.path, file.tier, file.text)
        page = (
            fit_page(whole, plan.message, available, cost)
            if available >= _MIN_PAGE_TOKENS
            else None
        )
        if page is None:
            refused.append(f"{file.path}: no room in the budget")
        else:
            pages.append(page)
            available -= cost(page.text)
    return pages, refused


def _frame_cost(path: str) -> int:
    """Return the estimated cost of the fields around a page's text."""
    return _FRAME_TOKENS + len(path) // 3


def _gate_page(plan: LoadingPlan, available: int, cost: Callable[[str], int]) -> LoadedPage | None:
    """Return the whole gate if it leaves enough tokens for the files; otherwise parts of it.

    They are its rules and routes or, if it has none, the parts that fit the message.
    """
    page = LoadedPage(plan.gate.path or "", "gate", plan.gate.text or "")
    available -= _frame_cost(page.path)
    files_cost = sum(cost(file.text) + 2 * _FRAME_TOKENS for file in plan.pages)
    share = max(available - files_cost, int(available * _GATE_SHARE))
    if share < _MIN_PAGE_TOKENS:
        return None
    if cost(page.text) > share and (plan.gate.file.rules or plan.gate.file.routes):
        return _rules_and_routes(page, plan.gate.file, share, cost)
    return fit_page(page, plan.message, share, cost)


def _rules_and_routes(
    page: LoadedPage, gate: GateFile, share: int, cost: Callable[[str], int]
) -> LoadedPage | None:
    """Return the rules and then the routes, as far as they fit, and how to get the rest."""
    lines = lines_of(page.text)
    more = f"[… parts left out: memory_get {page.path}]"
    fitting: list[str] = []
    remaining = share - cost(more) - 4
    for line in [
        *(f"- {rule}" for rule in gate.rules),
        *(lines[route.line - 1] for route in gate.routes),
    ]:
        remaining -= cost(line) + 1
        if remaining < 0:
            break
        fitting.append(line)
    return replace(page, text="\n".join([*fitting, more]), truncated=True) if fitting else None
