"""Add routes to a gate without changing any line that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from remem.model.conversation import path_key
from remem.model.gate import GateFile, Route, read_gate_file, without_deprecation_marks
from remem.model.gate_table import Columns, columns_of
from remem.text.labels import label, labels
from remem.text.language import main_language
from remem.text.markdown import outline, raw_lines

_ROUTING: Final = re.compile(
    "|".join([r"\broutes?\b", *(rf"\b{re.escape(text)}" for text in labels("routing"))]),
    re.IGNORECASE,
)
_UNSAFE: Final = re.compile(r"[|`\n\r\[\]<>]+")


def with_routes(text: str, routes: Mapping[str, Route]) -> str:
    """Add the route for each file that the gate has no route to yet.

    A deprecated route counts too: a route that a person has disabled is not added again.
    """
    gate = read_gate_file(text)
    bare = without_deprecation_marks(text)
    known = gate if bare == text else read_gate_file(bare)
    missing = [route for file, route in routes.items() if not _has_route(known, file)]
    if not missing:
        return text
    lines, ending = raw_lines(text), "\r\n" if "\r\n" in text else "\n"
    if table := _last_table(lines, gate):
        at, columns = table
        return _insert(lines, at, [_row(columns, route) for route in missing], ending)
    new = [_item(route) for route in missing]
    if gate.routes:
        return _insert(lines, _end_of_item(lines, gate.routes[-1].line), new, ending)
    if (end := _end_of_section(text)) is not None:
        return _insert(lines, end, new, ending)
    gap = [""] if text.strip() else []
    columns = Columns(file=1, tier=2, words=(0,), first=2, width=3)
    rows = [_row(columns, route) for route in missing]
    section = routing_section(rows, main_language(text))
    return _insert(lines, len(lines), [*gap, *section], ending)


def routing_section(rows: Sequence[str], language: str) -> list[str]:
    """The lines of a new routing section with a table of routes."""
    columns = (label(key, language) for key in ("when", "load", "tier"))
    head = [f"| {' | '.join(columns)} |", "|---|---|---|"]
    return [f"## {label('routing', language)}", "", *head, *rows]


def _has_route(gate: GateFile, file: str) -> bool:
    """Return whether a route leads to a file, named with or without its folder."""
    wanted = path_key(file)
    return any(
        (found := path_key(route.file)) == wanted
        or (found.endswith(f"/{wanted}") and "conventions/" not in found.removesuffix(wanted))
        for route in gate.routes
    )


def _last_table(lines: Sequence[str], gate: GateFile) -> tuple[int, Columns] | None:
    """Return the end of the last table with a route, and its columns."""
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


def _row(columns: Columns, route: Route) -> str:
    cells = [""] * columns.width
    cells[columns.file] = route.file
    if columns.tier is not None:
        cells[columns.tier] = route.tier
    if columns.words:
        cells[columns.words[0]] = _trigger(route)
    return f"| {' | '.join(cells)} |"


def _item(route: Route) -> str:
    trigger, tier = _trigger(route), f" ({route.tier})" if route.tier else ""
    return f"- {trigger} → `{route.file}`{tier}" if trigger else f"- `{route.file}`{tier}"


def _trigger(route: Route) -> str:
    return " ".join(_UNSAFE.sub(" ", route.trigger).split())


def _end_of_section(text: str) -> int | None:
    """Return the last line of the routing section; None if there is none."""
    blocks = outline(text)
    for place, block in enumerate(blocks):
        if block.kind == "heading" and _ROUTING.search(block.text):
            inside = [below.end for below in blocks[place + 1 :] if block.text in below.headings]
            return max(inside, default=block.end)
    return None


def _end_of_item(lines: Sequence[str], line: int) -> int:
    """Return the last line of the item that begins at a line, indented lines included."""
    at = line
    while at < len(lines) and lines[at].strip() and lines[at][:1] in " \t":
        at += 1
    return at


def _insert(lines: list[str], at: int, new: Sequence[str], ending: str) -> str:
    before = "".join(lines[:at])
    if before and not before.endswith("\n"):
        before += ending
    return before + "".join(f"{line}{ending}" for line in new) + "".join(lines[at:])
