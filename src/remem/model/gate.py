"""Read a gate: its hard rules, and its routes to files.

People write gates in any language, as a table with any columns, as a list or under headings. A line
outside the rules that names a Markdown file is a route to that file; the words around the name say
when to load it. A line marked [DEPRECATED] is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.gate_table import (
    GateColumns,
    cells_of,
    columns_of,
    is_ruler,
    named_file,
    reference,
    without_reference,
)
from remem.text.markdown import Block, lines_of, outline
from remem.text.pattern_file import pattern_file
from remem.text.words import flatten

DEPRECATED: Final = "[DEPRECATED]"
_DEPRECATION: Final = re.compile(
    r"\[\s*(?:deprecated|废弃|已废弃|弃用|已弃用|廃止)\s*\][ \t]*", re.I
)
_INACTIVE: Final = re.compile(rf"{_DEPRECATION.pattern}|~~[^~]+~~", re.I)
_BUDGET: Final = re.compile(
    r"^[ \t]*[\"']?memory_budget[\"']?[ \t]*:[ \t]*[\"']?([0-9][0-9_,.]{0,9})(k?)\b", re.M | re.I
)
_THOUSANDS: Final = re.compile(r"[_,.](?=[0-9]{3}(?![0-9]))")
_TIER: Final = re.compile(r"[(\[（【*]*\bP([0-3])\b[)\]）】*]*")
_FILE: Final = pattern_file("model/gate_words")
_RULES: Final = _FILE.regex("rules")
_EDGE: Final = " \t\n:：,，;；.。→⇒➜>=|—–-*_`·"
_MAX_LABEL_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class Route:
    """A route to a file.

    `trigger` says when to load the file, `file` is its path as the gate writes it, and `tier` is
    empty if the gate gives none. `line` is the number of its line in the gate.
    """

    trigger: str
    file: str
    tier: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class GateFile:
    """The content of a gate; any part may be missing. `budget` is the group's `memory_budget`."""

    rules: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    budget: int | None = None


def read_gate_file(text: str) -> GateFile:
    """Read the rules and live routes of a gate."""
    blocks = outline(text)
    in_rules = _rule_blocks(blocks)
    rules = tuple(
        block.text
        for index, block in enumerate(blocks)
        if index in in_rules
        and block.kind in ("bullet", "text", "row")
        and not is_deprecated(block.text)
    )
    routes = tuple(_routes([b for index, b in enumerate(blocks) if index not in in_rules]))
    return GateFile(
        tuple(rule for rule in rules if not is_ruler(rule)), routes, _budget(text, blocks)
    )


def is_deprecated(text: str) -> bool:
    """Return whether a line is marked as deprecated or struck out."""
    return _INACTIVE.search(text) is not None


def without_deprecation_marks(text: str) -> str:
    """Remove all deprecation marks from a text."""
    return _DEPRECATION.sub("", text)


def _budget(text: str, blocks: Sequence[Block]) -> int | None:
    if not blocks or blocks[0].kind != "front matter":
        return None
    match = _BUDGET.search("\n".join(lines_of(text.removeprefix("\ufeff"))[: blocks[0].end]))
    if match is None:
        return None
    try:
        number = float(_THOUSANDS.sub("", match[1]).replace(",", "."))
    except ValueError:  # such as 1.2.3
        return None
    return int(number * (1000 if match[2] else 1))


def _rule_blocks(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the indices of rule blocks: those below a heading or a label that announces rules."""
    indices, announced = set(), False
    for index, block in enumerate(blocks):
        if block.kind == "heading":
            announced = False
        elif block.kind == "text" and (label := _label(block.text)) is not None:
            announced = _RULES.search(label) is not None
            if announced:
                continue
        above = any(_RULES.search(heading) for heading in block.headings[-1:])
        if announced or (above and block.kind != "heading"):
            indices.add(index)
    return frozenset(indices)


def _label(text: str) -> str | None:
    """Return a short line that announces what follows, such as `**Hard rules:**`, or None."""
    bare = text.strip(" *_")
    announces = bare.endswith((":", "：")) or (text != bare and "\n" not in text)
    return (
        bare if announces and len(bare) <= _MAX_LABEL_LENGTH and reference(text) is None else None
    )


def _routes(blocks: Sequence[Block]) -> Iterator[Route]:
    """Yield the routes of all blocks.

    If a line has only a file name, the text below it is the trigger of the route.
    """
    pending: Route | None = None
    pending_block: Block | None = None
    for block in _group_rows(blocks):
        if isinstance(block, list):
            if pending:
                yield pending
            pending = None
            yield from _table_routes(block)
            continue
        if block.kind in ("front matter", "code", "comment"):
            continue
        if pending and pending_block and _describes_file(block, pending_block):
            pending = replace(pending, trigger=_join(pending.trigger, block.text))
            continue
        if pending:
            yield pending
        routes = list(_line_routes(block))
        pending = routes.pop() if routes and not routes[-1].trigger else None
        pending_block = block if pending else None
        yield from routes
    if pending:
        yield pending


def _describes_file(block: Block, above: Block) -> bool:
    """Return whether a block says when to load the file that the block above it only names."""
    if reference(block.text) is not None or block.kind not in ("text", "bullet"):
        return False
    if above.kind == "heading":
        return block.headings[-1:] == (above.text,)
    return block.kind == "text" or block.level > above.level


def _group_rows(blocks: Sequence[Block]) -> Iterator[Block | list[Block]]:
    """Yield all blocks, with the rows of each table together as a list."""
    rows: list[Block] = []
    for block in blocks:
        if block.kind == "row" and (not rows or block.start == rows[-1].end + 1):
            rows.append(block)
            continue
        if rows:
            yield rows
        rows = [block] if block.kind == "row" else []
        if not rows:
            yield block
    if rows:
        yield rows


def _table_routes(rows: Sequence[Block]) -> Iterator[Route]:
    columns = columns_of([row.text for row in rows])
    if columns is None or any(is_deprecated(heading) for heading in rows[0].headings):
        return
    for row in rows[columns.first :]:
        if not is_ruler(row.text) and not is_deprecated(row.text):
            yield from _row_routes(row, columns)


def _row_routes(row: Block, columns: GateColumns) -> Iterator[Route]:
    cells = cells_of(row.text)
    file = named_file(cells[columns.file]) if columns.file < len(cells) else None
    if file is None:
        return
    tier_cell = (
        cells[columns.tier] if columns.tier is not None and columns.tier < len(cells) else ""
    )
    tier = _TIER.search(tier_cell) or _TIER.search(row.text)
    words = [cells[at] for at in columns.words if at < len(cells)]
    trigger = _join(*words) if any(words) else without_reference(cells[columns.file])
    yield Route(trigger, file, f"P{tier[1]}" if tier else "", row.start)


def _line_routes(block: Block) -> Iterator[Route]:
    """Yield the routes of a bullet, a heading or a paragraph, line by line."""
    if is_deprecated(block.text) or any(is_deprecated(heading) for heading in block.headings):
        return
    lines = [block.text] if block.kind == "bullet" else block.text.split("\n")
    for number, line in enumerate(lines):
        file = reference(line)
        if file is not None:
            tier = _TIER.search(line)
            rest = _TIER.sub(" ", without_reference(line))
            yield Route(_join(rest), file, f"P{tier[1]}" if tier else "", block.start + number)


def _join(*pieces: str) -> str:
    flat = (flatten(piece).strip(_EDGE) for piece in pieces)
    return "; ".join(piece for piece in flat if piece)
