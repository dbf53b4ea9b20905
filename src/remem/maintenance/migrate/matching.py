"""Is this line known, changed, or new? By its very words first, then by likeness and place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.likeness import overlap
from remem.core.words import words
from remem.maintenance.migrate.ledger import Row

_ALIKE: Final = 0.4
_MOST_PAIRS: Final = 250_000


@dataclass(frozen=True, slots=True)
class Matched:
    """For each new wording the row it continues, and whether it is the same; rows whose
    lines are gone."""

    same: dict[int, Row]
    changed: dict[int, Row]
    gone: tuple[Row, ...]


def match(
    rows: Sequence[Row],
    said: Sequence[tuple[int, str, str]],
    old_words: Callable[[Row], str | None],
) -> Matched:
    """`said` has the line, the wording's hash and the words of each statement."""
    waiting: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        waiting[row.wording].append(row)
    same: dict[int, Row] = {}
    for at, (line, wording, _) in enumerate(said):
        if candidates := waiting[wording]:
            nearest = min(candidates, key=lambda row: abs(row.line - line))
            candidates.remove(nearest)
            same[at] = nearest
    left = [row for candidates in waiting.values() for row in candidates]
    changed = _alike(
        left, [(at, each) for at, each in enumerate(said) if at not in same], old_words
    )
    used = {id(row) for row in changed.values()}
    return Matched(same, changed, tuple(row for row in left if id(row) not in used))


def _alike(
    rows: Sequence[Row],
    said: Sequence[tuple[int, tuple[int, str, str]]],
    old_words: Callable[[Row], str | None],
) -> dict[int, Row]:
    """The best pairs first; a file that was rewritten as a whole is new, line by line."""
    if not rows or not said or len(rows) * len(said) > _MOST_PAIRS:
        return {}
    known = [(row, set(words(text))) for row in rows if (text := old_words(row)) is not None]
    pairs = []
    for at, (line, _, text) in said:
        mine = set(words(text))
        for row, theirs in known:
            likeness = overlap(mine, theirs)
            if likeness >= _ALIKE:
                pairs.append((-likeness, abs(row.line - line), at, row))
    pairs.sort(key=lambda pair: pair[:3])
    found: dict[int, Row] = {}
    used: set[int] = set()
    for _, _, at, row in pairs:
        if at not in found and id(row) not in used:
            found[at] = row
            used.add(id(row))
    return found
