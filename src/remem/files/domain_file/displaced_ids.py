"""Find ids that a person has moved away from the end of a line.

People press End and type, so that their words are behind the id; they join two lines, or put a line
into a table. The line is still that of its entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

from remem.model.entry import ENTRY_ID

MARK: Final = re.compile(rf"(?:(?<=\s)|^)\^{ENTRY_ID.pattern}$")
MARK_SIZE: Final = len(" ^mem-01234567")
_START: Final = "^mem-"
_ANYWHERE: Final = re.compile(rf"(?<![\\#])\^(?P<id>{ENTRY_ID.pattern})")
"""An id that is neither escaped, as in the text of an entry, nor the target of a link."""
_ROW: Final = "|"


def has_id(line: str) -> bool:
    """Return whether a line ends with an id."""
    end = line[-MARK_SIZE:]
    return _START in end and MARK.search(end) is not None


def is_table_row(line: str) -> bool:
    return line.lstrip().startswith(_ROW)


def with_ids_at_end(bare: Sequence[str], known_ids: Set[str] | None, own: Set[int]) -> list[str]:
    """Return the lines with the displaced ids among `known_ids` at their ends.

    If it is None, the file has lost its details, and all ids that follow no letter are meant. An id
    that another line ends with is only mentioned, and stays where it is. Comments and the lines
    with the indices `own` are not changed.
    """
    marked = [at for at, line in enumerate(bare) if _START in line and at not in own]
    at_end = {bare[at][2 - MARK_SIZE :] for at in marked if has_id(bare[at])}
    result = list(bare)
    for at in marked:
        line = bare[at]
        if not line.lstrip().startswith("<!--"):
            result[at] = _with_id_at_end(line, known_ids, at_end)
    return result


def _with_id_at_end(line: str, known_ids: Set[str] | None, at_end: Set[str]) -> str:
    matches = (match for match in _ANYWHERE.finditer(line) if match["id"] not in at_end)
    if known_ids is None:
        found = [match for match in matches if not line[: match.start()][-1:].isalnum()]
    else:
        found = [match for match in matches if match["id"] in known_ids]
    if not found:
        return line
    mark = line[2 - MARK_SIZE :] if has_id(line) else found[-1]["id"]
    text = line.removesuffix(f"^{mark}") if has_id(line) else line
    for match in reversed(found):
        text = _joined(text[: match.start()], text[match.end() :])
    if is_table_row(line):
        cells = (cell.strip() for cell in text.split(_ROW))
        text = f" {_ROW} ".join(filter(None, cells))
    return f"{text.rstrip()} ^{mark}"


def _joined(before: str, after: str) -> str:
    """Return the text around an id without it, with a space between words."""
    gap = " " if after[:1].isspace() or after[:1].isalnum() else ""
    return f"{before.rstrip()}{gap}{after.lstrip()}"
