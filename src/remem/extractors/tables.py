"""What does a row of a table say? Each value with the name of its column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_RULER: Final = re.compile(r":?-+:?")
_BAR: Final = re.compile(r"(?<!\\)\|")

RULER: Final = "a table's ruler"
COLUMNS: Final = "column names, used in the rows"
EMPTY: Final = "template"


def table_units(
    rows: Sequence[tuple[int, str]],
) -> tuple[list[tuple[int, str]], dict[int, str]]:
    """Each row that says something, with its line; and why the others do not."""
    left: dict[int, str] = {}
    names: list[str] = []
    said: list[tuple[int, str]] = []
    cut = [(line, cells_of(text)) for line, text in rows]
    for at, (line, cells) in enumerate(cut):
        if _is_ruler(cells):
            left[line] = RULER
        elif at + 1 < len(cut) and _is_ruler(cut[at + 1][1]):
            names = cells
            left[line] = COLUMNS if at + 2 < len(cut) else EMPTY
        elif not any(re.search(r"\w", cell) for cell in cells):
            left[line] = EMPTY
        else:
            said.append((line, _said(cells, names)))
    return said, left


def cells_of(row: str) -> list[str]:
    """The values between the bars; a bar behind a backslash is part of its value."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip() for cell in _BAR.split(inner)]


def _said(cells: Sequence[str], names: Sequence[str]) -> str:
    """`Host: atlas; Port: 22`; the first column names what the row is about."""
    parts = []
    for at, cell in enumerate(cells):
        name = names[at] if at < len(names) and re.search(r"\w", names[at]) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name else cell)
    return "; ".join(parts)


def _is_ruler(cells: Sequence[str]) -> bool:
    return any(cells) and all(_RULER.fullmatch(cell) for cell in cells if cell)
