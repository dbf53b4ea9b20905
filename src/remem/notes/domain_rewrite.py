"""What should a domain file say, given where each wanted entry stands in it?

Items change in place, new ones come in before the end line, and prose stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remem.core.entry import Entry
from remem.notes.domain_format import END_LINE, Document, Item, Prose, render_item
from remem.notes.domain_item import lines_of


@dataclass(frozen=True, slots=True)
class Standing:
    """Where wanted entries stand in a document.

    `at`: index of an item → id of the entry that belongs there. The item goes if that entry
    is not wanted, or stands further up; an item that is not named stays as it is.
    `new`: ids of wanted entries that come in before the end line.
    """

    at: Mapping[int, str]
    new: Sequence[str]


def rewrite(
    document: Document,
    standing: Standing,
    wanted: Mapping[str, Entry],
    digests: Mapping[str, str],
    home: str,
) -> str:
    """The text of the file; an item that already says what it should keeps its bytes."""
    newline = _newline(document.text())
    pieces: list[str] = []
    placed: set[str] = set()
    for index, segment in enumerate(document.segments):
        id_ = standing.at.get(index)
        if id_ is None or isinstance(segment, Prose):
            pieces.append(segment.raw)
        elif id_ not in wanted or id_ in placed:
            pieces.append("")
        elif segment.digest == digests[id_] and segment.raw.startswith(("- ", "* ", "+ ")):
            pieces.append(segment.raw)
            placed.add(id_)
        else:
            pieces.append(_item(wanted[id_], home, newline))
            placed.add(id_)
    items = [_item(wanted[id_], home, newline) for id_ in standing.new]
    return _with_new(document, pieces, items, newline)


def _item(entry: Entry, home: str, newline: str) -> str:
    return render_item(entry, home).replace("\n", newline)


def _newline(text: str) -> str:
    """The line break that the file uses already."""
    found = re.search(r"\r\n|\n|\r", text)
    return found.group() if found else "\n"


def _with_new(document: Document, pieces: list[str], items: list[str], newline: str) -> str:
    """The pieces with the new items, and with the end line in any case."""
    ends = [
        n for n, each in enumerate(document.segments) if isinstance(each, Prose) and each.is_end
    ]
    if ends and not items:
        return "".join(pieces)
    at = ends[-1] if ends else len(pieces)
    head = lines_of("".join(pieces[:at]))
    if head and not head[-1].endswith(("\n", "\r")):
        head[-1] += newline
    above, below = _gap(head, newline, behind_item=_ends_in_item(document, pieces[:at]))
    tail = pieces[at:] or [END_LINE, newline]
    return "".join([*above, *items, *below, *tail])


def _gap(head: list[str], newline: str, *, behind_item: bool) -> tuple[list[str], list[str]]:
    """Where new items come in: the lines above them, and the blank lines below.

    Blank lines are shared out, not only added, or a file whose items come and go would grow.
    """
    cut = len(head)
    while cut > 0 and not head[cut - 1].strip():
        cut -= 1
    words, blanks = head[:cut], head[cut:]
    if behind_item or not words:
        return words, blanks or [newline]
    if len(blanks) < 2:
        return [*words, *(blanks or [newline])], [newline]
    return [*words, *blanks[:-1]], blanks[-1:]


def _ends_in_item(document: Document, pieces: list[str]) -> bool:
    filled = [at for at, piece in enumerate(pieces) if piece.strip()]
    return bool(filled) and isinstance(document.segments[filled[-1]], Item)
