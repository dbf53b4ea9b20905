"""Adding a route to a gate; every line that a person wrote stays as it is, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from remem.model.conversation import path_key
from remem.model.gate import GateFile, read_gate_file, without_deprecation_marks
from remem.model.gate_table import Columns, columns_of
from remem.text.language import is_chinese
from remem.text.markdown import outline, raw_lines

_ROUTING: Final = re.compile(r"\brout(?:es|ing)\b|路由|ルーティング", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[|`\n\r\[\]<>]+")


def missing_routes(text: str, files: Collection[str]) -> set[str]:
    """The files that a gate has no route to.

    A deprecated route counts too: what a person took out of use stays out of use.
    """
    gate = read_gate_file(without_deprecation_marks(text))
    return {file for file in files if not _route_lines(gate, file)}


def with_route(text: str, trigger: str, file: str, tier: str = "") -> str:
    """Add a route to a file, unless there is one, perhaps deprecated."""
    if not missing_routes(text, [file]):
        return text
    gate = read_gate_file(text)
    lines, ending = raw_lines(text), "\r\n" if "\r\n" in text else "\n"
    trigger = " ".join(_UNSAFE.sub(" ", trigger).split())
    table = _last_table(lines, gate)
    if table is not None:
        at, columns = table
        return _insert(lines, at, _row(columns, trigger, file, tier), ending)
    line = f"- {trigger} → `{file}`" if trigger else f"- `{file}`"
    line = f"{line} ({tier})" if tier else line
    if gate.routes:
        return _insert(lines, _end_of_item(lines, gate.routes[-1].line), line, ending)
    if (end := _end_of_section(text)) is not None:
        return _insert(lines, end, line, ending)
    title = "路由" if is_chinese(text) else "Routing"
    before = "" if not text.strip() else f"{ending}"
    return _insert(lines, len(lines), f"{before}## {title}{ending}{ending}{line}", ending)


def _route_lines(gate: GateFile, file: str) -> list[int]:
    """The lines of live routes to a file, with or without its folder."""
    wanted = path_key(file)
    return [
        route.line
        for route in gate.routes
        if (found := path_key(route.file)) == wanted
        or (found.endswith(f"/{wanted}") and "conventions/" not in found.removesuffix(wanted))
    ]


def _last_table(lines: Sequence[str], gate: GateFile) -> tuple[int, Columns] | None:
    """The end of the last table with a route, and its columns."""
    for route in reversed(gate.routes):
        last = route.line
        if not lines[last - 1].lstrip().startswith("|"):
            continue
        first = last
        while first > 1 and lines[first - 2].lstrip().startswith("|"):
            first -= 1
        while last < len(lines) and lines[last].lstrip().startswith("|"):
            last += 1
        columns = columns_of([line.strip() for line in lines[first - 1 : last]])
        if columns is not None:
            return last, columns
    return None


def _row(columns: Columns, trigger: str, file: str, tier: str) -> str:
    cells = [""] * columns.width
    cells[columns.file] = file
    if columns.tier is not None:
        cells[columns.tier] = tier
    if columns.words:
        cells[columns.words[0]] = trigger
    return f"| {' | '.join(cells)} |"


def _end_of_section(text: str) -> int | None:
    """The last line of the routing section; None if there is none."""
    blocks = outline(text)
    for place, block in enumerate(blocks):
        if block.kind == "heading" and _ROUTING.search(block.text):
            inside = [below.end for below in blocks[place + 1 :] if block.text in below.headings]
            return max(inside, default=block.end)
    return None


def _end_of_item(lines: Sequence[str], line: int) -> int:
    """The last line of the item that begins at a line, indented lines included."""
    at = line
    while at < len(lines) and lines[at].strip() and lines[at][:1] in " \t":
        at += 1
    return at


def _insert(lines: list[str], at: int, block: str, ending: str) -> str:
    before = "".join(lines[:at])
    if before and not before.endswith("\n"):
        before += ending
    return f"{before}{block}{ending}{''.join(lines[at:])}"
