"""Add routes to a gate without changing any line that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.conversation import path_key
from remem.model.gate import GateFile, Route, read_gate_file, without_deprecation_marks
from remem.model.gate_table import GateColumns, columns_of
from remem.text.labels import label, labels
from remem.text.language import language_of_long_text
from remem.text.markdown import outline, raw_lines

_ROUTING: Final = re.compile(
    "|".join([r"\broutes?\b", *(rf"\b{re.escape(text)}" for text in labels("routing"))]),
    re.IGNORECASE,
)
_TIER: Final = re.compile(r"P\d")
_UNSAFE: Final = re.compile(r"[|`\n\r\[\]<>]+")


def with_routes(text: str, routes: Mapping[str, Route]) -> str:
    """Return a gate with a route for each file; files that have one already are left out.

    A deprecated route counts too, so that a route that a person has disabled is not added again.
    """
    gate = read_gate_file(text)
    bare = without_deprecation_marks(text)
    known = gate if bare == text else read_gate_file(bare)
    missing = [route for file, route in routes.items() if not _has_route(known, file)]
    if not missing:
        return text
    lines, ending = raw_lines(text), "\r\n" if "\r\n" in text else "\n"
    if table := _last_table(lines, gate):
        return _insert_rows(lines, table, missing, ending)
    new = [_item(route) for route in missing]
    if gate.routes:
        return _insert(lines, _end_of_item(lines, gate.routes[-1].line), new, ending)
    if (end := _end_of_section(text)) is not None:
        return _insert(lines, end, new, ending)
    gap = [""] if text.strip() else []
    columns = GateColumns(file=1, tier=2, words=(0,), first=2, width=3)
    rows = [_row(columns, route) for route in sorted(missing, key=lambda route: route.tier)]
    section = routing_section(rows, language_of_long_text(text))
    return _insert(lines, len(lines), [*gap, *section], ending)


def routing_section(rows: Sequence[str], language: str) -> list[str]:
    """Return the lines of a new routing section with a table of routes."""
    columns = (label(key, language) for key in ("when", "load", "tier"))
    head = [f"| {' | '.join(columns)} |", "|---|---|---|"]
    return [f"## {label('routing', language)}", "", *head, *rows]


def _has_route(gate: GateFile, file: str) -> bool:
    """Return whether a gate has a route to a file, which it may name with or without a folder."""
    key = path_key(file)
    return any(
        (existing := path_key(route.file)) == key
        or (existing.endswith(f"/{key}") and "conventions/" not in existing.removesuffix(key))
        for route in gate.routes
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of routes: the number of its last line, its columns, and its routes."""

    end: int
    columns: GateColumns
    routes: Sequence[Route]

    def line_above(self, new: Route) -> int:
        """Return the number of the line below which a new route goes; rows are sorted by tier."""
        if self.columns.tier is None or not all(
            _TIER.fullmatch(route.tier) for route in (*self.routes, new)
        ):
            return self.end
        above = [route.line for route in self.routes if route.tier <= new.tier]
        return max(above) if above else min(route.line for route in self.routes) - 1


def _insert_rows(lines: Sequence[str], table: _Table, missing: Sequence[Route], ending: str) -> str:
    places: dict[int, list[Route]] = {}
    for route in sorted(missing, key=lambda route: route.tier):
        places.setdefault(table.line_above(route), []).append(route)
    result = list(lines)
    for at in sorted(places, reverse=True):
        rows = [_row(table.columns, route) for route in places[at]]
        result = raw_lines(_insert(result, at, rows, ending))
    return "".join(result)


def _last_table(lines: Sequence[str], gate: GateFile) -> _Table | None:
    """Return the last table that has a route; None if no table has one."""
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
            return _Table(
                last, columns, [route for route in gate.routes if first <= route.line <= last]
            )
    return None


def _row(columns: GateColumns, route: Route) -> str:
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
