"""What has faded and is the answer all the same? It is told, if nothing that stands says as much
of the question: decay never hides the only right answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.core.decay import DECAYED
from remem.core.entry import Entry
from remem.core.filter import Filter
from remem.core.passage import Passage
from remem.ports import Snapshot
from remem.recall.ranking import Candidate
from remem.recall.terms import coverage_among

_DEPTH: Final = 100
_MOST: Final = 5
_COMPARED: Final = 40
_TWICE: Final = 2.0


def faded_ones(
    snapshot: Snapshot, terms: Sequence[str], where: Filter, live: Sequence[Candidate]
) -> list[Candidate]:
    """Faded entries that hold more of the question's words than any live candidate does."""
    if where.include_archived or not terms or snapshot.note(DECAYED) is None:
        return []
    as_if_live = replace(where, include_archived=True)
    found = snapshot.faded_saying(terms, _DEPTH)
    faded = [each for each in found if as_if_live.admits(each.entry)]
    if not faded:
        return []
    rivals = sorted(live, key=lambda each: -each.keyword)[:_COMPARED]
    texts = [_text(each.entry) for each in faded] + [_text(each.entry) for each in rivals]
    said = coverage_among(terms, texts)
    most = max(said[len(faded) :], default=0.0)
    # The two kinds have full texts of their own, whose scores cannot be compared: what says
    # more of the question gets more than the best of the live ones.
    best = max((each.keyword for each in live), default=0.0) or 1.0
    better = [(share, each) for share, each in zip(said, faded, strict=False) if share > most]
    better.sort(key=lambda pair: -pair[0])
    return [
        Candidate(each.row, each.entry, best * min(_TWICE, share / most) if most else best)
        for share, each in better[:_MOST]
    ]


def _text(entry: Entry) -> Passage:
    return Passage("", 1, 1, " ".join((entry.content, entry.context or "", *entry.tags)))
