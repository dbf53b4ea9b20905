"""How does a gate lead to a new file? By one more line; nothing in it is changed or removed."""

from __future__ import annotations

import re
from typing import Final

from remem.core.gate_file import is_over
from remem.core.gate_writing import with_route
from remem.core.outline import lines_of
from remem.maintenance.write_back.change import Change

COLUMNS: Final = ("When", "Load", "Tier")
_UNFIT: Final = re.compile(r"[|`\n\r\[\]<>]+")


def routed(text: str, change: Change) -> str:
    """The gate with a line for a file. Where somebody has marked such a line as over, he does
    not want the file to be loaded: it stays without one."""
    if change.section:
        return _with_detail(text, change)
    if not text or any(is_over(line) and change.text in line for line in lines_of(text)):
        return text
    return with_route(text, change.trigger, change.text, change.tier)


def _with_detail(text: str, change: Change) -> str:
    """The gate with a line for a convention. A convention is reached through the file that
    refers to it, so the line names it, without its ending, among the words that lead there."""
    if not text or change.section in text:
        return text
    known, itself = set(lines_of(text)), f"{change.section}.md"
    grown = with_route(text, change.trigger, itself, change.tier).split("\n")
    return "\n".join(
        line if line.removesuffix("\r") in known else line.replace(itself, change.text)
        for line in grown
    )


def route_row(trigger: str, file: str, tier: str) -> str:
    """A row of a first gate's table."""
    return f"| {' '.join(_UNFIT.sub(' ', trigger).split())} | {file} | {tier} |"
