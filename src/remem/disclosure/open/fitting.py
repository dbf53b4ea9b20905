"""How do gate, file and convention share a room? Whole if they fit; else what matters most.

The hard rules come before everything, then the file that the message needs.
"""

from __future__ import annotations

from typing import Final

from remem.core.outline import lines_of
from remem.disclosure.open.parts import parts_of
from remem.disclosure.open.plan import Plan
from remem.disclosure.open.result import Page, cost
from remem.ports import TokenCounter

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
    files = sum(cost(each.text, counter) + 2 * _FRAME for each in plan.pages)
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
