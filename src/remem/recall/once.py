"""Is this fact told already? It stands in its record and, where there is one, in a summary.

Of the two the line of the summary is shown, in the place of whichever comes first: a person
can read it where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from remem.core.marked_line import read_mark
from remem.core.words import fold
from remem.recall.passages import Scored

_SUMMARY: Final = "summary.md"
_RECORD: Final = ".json"


def once(ranked: Sequence[Scored]) -> list[Scored]:
    """The passages in their order, each fact in one of them."""
    lines = [each for each in ranked if each.passage.path.endswith(_SUMMARY)]
    if not lines:
        return list(ranked)
    return list(_told(ranked, lines))


def _told(ranked: Sequence[Scored], lines: Sequence[Scored]) -> Iterator[Scored]:
    shown: set[int] = set()
    for each in ranked:
        if each.row in shown:
            continue
        line = next((line for line in lines if _tells(line, each)), None)
        if line is None:
            shown.add(each.row)
            yield each
        elif line.row not in shown:
            shown.add(line.row)
            yield replace(each, row=line.row, passage=line.passage)


def _tells(line: Scored, fact: Scored) -> bool:
    """Whether a passage of a summary tells the fact that another passage is."""
    here, there = PurePosixPath(line.passage.path), PurePosixPath(fact.passage.path)
    if there.suffix != _RECORD or here.parent != there.parent:
        return False
    id_, colon, rest = fact.passage.text.partition(": ")
    marks = (read_mark(each) for each in line.passage.text.split("\n"))
    if colon and any(mark and id_ in mark.sources for mark in marks):
        return True
    said = fold(rest.rpartition(" (")[0] or rest)
    return bool(said) and said in fold(line.passage.text)
