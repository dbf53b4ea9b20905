"""Move ids back to the ends of lines.

A person may type behind an id, join two lines, or make a line a row of a table. The line still
belongs to the entry with that id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

from remem.model.entry import ENTRY_ID

ID_AT_END: Final = re.compile(rf"(?:(?<=\s)|^)\^{ENTRY_ID.pattern}$")
ID_SIZE: Final = len(" ^mem-01234567")
ID_PART: Final = slice(2 - ID_SIZE, None)
"""The id at the end of a line, without the space and the caret before it."""
_START: Final = "^mem-"
_ANYWHERE: Final = re.compile(rf"(?<![\\#])\^(?P<id>{ENTRY_ID.pattern})")
"""An id that is neither escaped, as it is in the text of an entry, nor the target of a link."""
_CELL_BORDER: Final = "|"


def has_id(line: str) -> bool:
    """Return whether a line ends with an id."""
    end = line[-ID_SIZE:]
    return _START in end and ID_AT_END.search(end) is not None


def is_table_row(line: str) -> bool:
    """Return whether a line begins like a row of a table."""
    return line.lstrip().startswith(_CELL_BORDER)


def with_ids_at_end(
    stripped: Sequence[str], known_ids: Set[str] | None, detail_indices: Set[int]
) -> list[str]:
    """Return the lines, with ids that are elsewhere in a line moved to its end.

    Only ids in `known_ids` are moved, or, if that is None because the file has lost its details,
    all ids that do not follow a letter. An id with which another line ends is only mentioned, and
    is not moved. Comments and the lines with the indices `detail_indices` are left alone.
    """
    with_id = [
        at for at, line in enumerate(stripped) if _START in line and at not in detail_indices
    ]
    ids_at_ends = {stripped[at][ID_PART] for at in with_id if has_id(stripped[at])}
    result = list(stripped)
    for at in with_id:
        line = stripped[at]
        if not line.lstrip().startswith("<!--"):
            result[at] = _with_id_at_end(line, known_ids, ids_at_ends)
    return result


def _with_id_at_end(line: str, known_ids: Set[str] | None, ids_at_ends: Set[str]) -> str:
    matches = (match for match in _ANYWHERE.finditer(line) if match["id"] not in ids_at_ends)
    if known_ids is None:
        displaced = [match for match in matches if not line[: match.start()][-1:].isalnum()]
    else:
        displaced = [match for match in matches if match["id"] in known_ids]
    if not displaced:
        return line
    id_ = line[ID_PART] if has_id(line) else displaced[-1]["id"]
    text = line.removesuffix(f"^{id_}") if has_id(line) else line
    for match in reversed(displaced):
        text = _joined(text[: match.start()], text[match.end() :])
    if is_table_row(line):
        cells = (cell.strip() for cell in text.split(_CELL_BORDER))
        text = f" {_CELL_BORDER} ".join(filter(None, cells))
    return f"{text.rstrip()} ^{id_}"


def _joined(before: str, after: str) -> str:
    """Join the texts before and after an id that was removed, with a space between words."""
    gap = " " if after[:1].isspace() or after[:1].isalnum() else ""
    return f"{before.rstrip()}{gap}{after.lstrip()}"
