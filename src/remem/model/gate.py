"""What does a gate say? Its hard rules, and which file to load when.

Gates are written by people: as a table with any columns, as a list, under headings, in any
language. A line that names a Markdown file, outside the rules, is a route to it; the words
around the name say when. A line marked [DEPRECATED] is none any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.model.gate_table import (
    Columns,
    cells_of,
    columns_of,
    is_ruler,
    named_file,
    reference,
    without_reference,
)
from remem.text.markdown import Block, lines_of, outline

DEPRECATED: Final = "[DEPRECATED]"
_MARK: Final = re.compile(r"\[\s*(?:deprecated|废弃|已废弃|弃用|已弃用|廃止)\s*\][ \t]*", re.I)
_OVER: Final = re.compile(rf"{_MARK.pattern}|~~[^~]+~~", re.I)
_BUDGET: Final = re.compile(
    r"^[ \t]*[\"']?memory_budget[\"']?[ \t]*:[ \t]*[\"']?([0-9][0-9_,]{0,9})(k?)\b", re.M | re.I
)
_TIER: Final = re.compile(r"[(\[（【*]*\bP([0-3])\b[)\]）】*]*")
_RULES: Final = re.compile(
    r"\brules?\b|规则|規則|铁律|守则|红线|必须遵守|约束|ルール|규칙|\bregeln\b|\bregole\b|\breglas\b|"
    r"\brègles\b|правила",
    re.IGNORECASE,
)
_EDGE: Final = " \t\n:：,，;；.。→⇒➜>=|—–-*_`·"
_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class Route:
    """One way on: `file` as the gate writes it, `tier` if it names one, and its line."""

    trigger: str
    file: str
    tier: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class GateFile:
    """The gate as it is used; `budget` and any of the rest may be missing."""

    rules: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    budget: int | None = None


def read_gate_file(text: str) -> GateFile:
    """The rules and live routes of a gate, however it is written."""
    blocks = outline(text)
    in_rules = _rule_blocks(blocks)
    rules = tuple(
        block.text
        for place, block in enumerate(blocks)
        if place in in_rules and block.kind in ("bullet", "text", "row") and not is_over(block.text)
    )
    routes = tuple(_routes([b for place, b in enumerate(blocks) if place not in in_rules]))
    return GateFile(tuple(rule for rule in rules if not is_ruler(rule)), routes, _budget(text))


def is_over(text: str) -> bool:
    """Whether a line says of itself that it no longer holds."""
    return _OVER.search(text) is not None


def unmarked(text: str) -> str:
    """The text as it was before any line of it was marked as over."""
    return _MARK.sub("", text)


def _budget(text: str) -> int | None:
    blocks = outline(text)
    if not blocks or blocks[0].kind != "matter":
        return None
    found = _BUDGET.search("\n".join(lines_of(text.removeprefix("\ufeff"))[: blocks[0].end]))
    if found is None:
        return None
    return int(re.sub("[_,]", "", found[1])) * (1000 if found[2] else 1)


def _rule_blocks(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks that belong to rules: below such a heading, or a line that announces them."""
    found, announced = set(), False
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            announced = False
        elif block.kind == "text" and (label := _label(block.text)) is not None:
            announced = _RULES.search(label) is not None
            if announced:
                continue
        above = any(_RULES.search(heading) for heading in block.headings[-1:])
        if announced or (above and block.kind != "heading"):
            found.add(place)
    return frozenset(found)


def _label(text: str) -> str | None:
    """A short line that announces what follows, such as `**Hard rules:**`."""
    bare = text.strip(" *_")
    announces = bare.endswith((":", "：")) or (text != bare and "\n" not in text)
    return bare if announces and len(bare) <= _LABEL and reference(text) is None else None


def _routes(blocks: Sequence[Block]) -> Iterator[Route]:
    """Each line that names a file; one that says nothing else takes its words from below it."""
    open_: Route | None = None
    owner: Block | None = None
    for part in _tables_apart(blocks):
        if isinstance(part, list):
            yield from filter(None, [open_])
            open_ = None
            yield from _of_table(part)
            continue
        if part.kind in ("matter", "code", "comment"):
            continue
        if open_ is not None and owner is not None and _belongs(part, owner):
            open_ = replace(open_, trigger=_joined(open_.trigger, part.text))
            continue
        yield from filter(None, [open_])
        found = list(_of_lines(part))
        open_ = found.pop() if found and not found[-1].trigger else None
        owner = part if open_ else None
        yield from found
    yield from filter(None, [open_])


def _belongs(block: Block, owner: Block) -> bool:
    """Whether a block explains the file that the one above it only names."""
    if reference(block.text) is not None or block.kind not in ("text", "bullet"):
        return False
    if owner.kind == "heading":
        return block.headings[-1:] == (owner.text,)
    return block.kind == "text" or block.level > owner.level


def _tables_apart(blocks: Sequence[Block]) -> Iterator[Block | list[Block]]:
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


def _of_table(rows: Sequence[Block]) -> Iterator[Route]:
    columns = columns_of([row.text for row in rows])
    if columns is None or any(is_over(heading) for heading in rows[0].headings):
        return
    for row in rows[columns.first :]:
        if not is_ruler(row.text) and not is_over(row.text):
            yield from _of_row(row, columns)


def _of_row(row: Block, columns: Columns) -> Iterator[Route]:
    cells = cells_of(row.text)
    file = named_file(cells[columns.file]) if columns.file < len(cells) else None
    if file is None:
        return
    said = cells[columns.tier] if columns.tier is not None and columns.tier < len(cells) else ""
    tier = _TIER.search(said) or _TIER.search(row.text)
    words = [cells[at] for at in columns.words if at < len(cells)]
    trigger = _joined(*words) if any(words) else without_reference(cells[columns.file])
    yield Route(trigger, file, f"P{tier[1]}" if tier else "", row.start)


def _of_lines(block: Block) -> Iterator[Route]:
    """The routes of a bullet, a heading or a paragraph, line by line."""
    if is_over(block.text) or any(is_over(heading) for heading in block.headings):
        return
    lines = [block.text] if block.kind == "bullet" else block.text.split("\n")
    for number, line in enumerate(lines):
        file = reference(line)
        if file is not None:
            tier = _TIER.search(line)
            rest = _TIER.sub(" ", without_reference(line))
            yield Route(_joined(rest), file, f"P{tier[1]}" if tier else "", block.start + number)


def _joined(*pieces: str) -> str:
    flat = (" ".join(piece.split()).strip(_EDGE) for piece in pieces)
    return "; ".join(piece for piece in flat if piece)
