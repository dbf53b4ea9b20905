"""Where in a person's file does a new line go? At the end of its section, or of the file.

Nothing that stands there is moved or reformatted; line ends are those that the file has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from remem.core.outline import Block, outline
from remem.core.words import fold

_LINE: Final = re.compile(r"[^\n]*(?:\n|$)")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
_INDENTED: Final = re.compile(r"[ \t]{2,}\S")


def raw_lines(text: str) -> list[str]:
    """The lines with their ends, as they stand."""
    return [line for line in _LINE.findall(text) if line]


def added(text: str, block: str, section: str, title: str) -> str:
    """The text with a block at the end of a section, which is made if there is none.

    `section` may give several names, with | between them; the first is the one it gets.
    """
    names = section.split("|") if section else []
    if not text.strip("\ufeff \t\r\n"):
        heading = f"## {names[0]}\n\n" if names else ""
        return f"{text.strip()}# {title}\n\n{heading}{block}\n"
    lines = raw_lines(text)
    end = _end_of(outline(text), [fold(name) for name in names], len(lines)) if names else None
    if end is not None:
        return _inserted(lines, end, block)
    if names:
        block = f"## {names[0]}\n\n{block}"
    return _inserted(lines, len(lines), block)


def _end_of(blocks: Sequence[Block], names: Sequence[str], total: int) -> int | None:
    """The number of lines up to the end of the section with one of these names."""
    for place, block in enumerate(blocks):
        if block.kind == "heading" and fold(block.text) in names:
            following = (
                each.start - 1
                for each in blocks[place + 1 :]
                if each.kind == "heading" and each.level <= block.level
            )
            return next(following, total)
    return None


def _inserted(lines: list[str], at: int, block: str) -> str:
    """The block behind the last line before `at` that is not blank."""
    while at and not lines[at - 1].strip():
        at -= 1
    ending = "\r\n" if any(line.endswith("\r\n") for line in lines[:1]) else "\n"
    before = "".join(lines[:at])
    if before and not before.endswith("\n"):
        before += ending
    last = lines[at - 1] if at else ""
    joins = _BULLET.match(last) or _INDENTED.match(last)
    gap = "" if not last or (joins and _BULLET.match(block)) else ending
    after = "".join(lines[at:])
    if after.strip() and not after.startswith(("\n", "\r\n")):
        after = ending + after
    return f"{before}{gap}{block.replace(chr(10), ending)}{ending}{after}"
