"""How does a gate lead to a new file? By one more line; nothing in it is changed or removed."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from remem.core.words import fold
from remem.maintenance.write_back.change import Change
from remem.maintenance.write_back.sections import added, raw_lines

COLUMNS: Final = ("When", "Load", "Tier")
ROUTING: Final = "Routing|Routing table|路由|路由表|ルーティング"
_CELL: Final = re.compile(r"\s*\|\s*")
_UNFIT: Final = re.compile(r"[|`\n\r\[\]<>]+")


def routed(text: str, change: Change) -> str:
    """The gate with a line for a file, unless it names the file already."""
    if not text or change.text in text:
        return text
    lines = raw_lines(text)
    last = _last_row(lines)
    if last is None:
        return added(text, f"- {_flat(change.trigger)} → `{change.text}`", ROUTING, "")
    ending = lines[last][len(lines[last].rstrip("\r\n")) :]
    if not ending:
        lines[last] += "\n"
    lines.insert(last + 1, route_row(change.trigger, change.text, change.tier) + (ending or "\n"))
    return "".join(lines)


def route_row(trigger: str, file: str, tier: str) -> str:
    return f"| {_flat(trigger)} | {file} | {tier} |"


def _last_row(lines: list[str]) -> int | None:
    """The last row of the table that has our columns."""
    wanted = [fold(name) for name in COLUMNS]
    for at, line in enumerate(lines):
        cells = [fold(cell) for cell in _CELL.split(line.strip().strip("|").strip())]
        if cells == wanted:
            below = takewhile(lambda row: row.lstrip().startswith("|"), lines[at + 1 :])
            return at + len(list(below))
    return None


def _flat(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split())
