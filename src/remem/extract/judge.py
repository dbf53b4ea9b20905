"""Which kind of memory is a statement? Its own words, its label, the headings above, the file.

Every vote has a weight and a name; the heaviest kind wins and the vote that weighed most is
the reason that is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remem.core.entry import Category
from remem.extractors.cues import cues_in
from remem.extractors.cues_english import STRONG
from remem.extractors.headings import announced, topic_of

_HEADING: Final[dict[Category, float]] = {
    "preference": 4.5,
    "decision": 4.5,
    "insight": 4.5,
    "instruction": 4.0,
    "person": 2.5,
    "project": 2.5,
    "fact": 2.5,
}
_FARTHER: Final = 0.55
_PLACES: Final[tuple[tuple[str, Category], ...]] = (
    (r"preferences?", "preference"),
    (r"decisions?|adrs?", "decision"),
    (r"lessons?|learnings?|errors?|insights?|mistakes", "insight"),
    (r"people|persons?|contacts?|clients?|team|crm", "person"),
    (r"projects?|tasks?|goals?|plans?|roadmaps?", "project"),
    (r"rules?|instructions?|procedures?|workflows?|conventions?", "instruction"),
    (r"reference|tools?|setup|infra\w*|schedules?|config", "fact"),
)
_USER: Final = "USER.md"
_FALLBACK: Final[Category] = "fact"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kind of a statement; `own` is how strongly its own words spoke for it, `headed`
    whether a heading did."""

    category: Category
    why: str
    own: float = 0.0
    headed: bool = False


@dataclass(frozen=True, slots=True)
class _Vote:
    category: Category
    weight: float
    why: str
    own: bool = False


def judge(
    text: str, labels: Sequence[str], headings: Sequence[str], path: str, *, passing: bool
) -> Verdict:
    """`passing` says that the line reads like an event or a status."""
    votes = [*_own(text), *_above(labels, headings), *_place(path)]
    in_log = bool(headings) and announced(headings[-1]) == "log"
    if passing or in_log:
        weight = 1.0 * passing + 1.0 * in_log
        votes.append(_Vote("project", weight, "reads like a step of something under way"))
    if not votes:
        return Verdict(_FALLBACK, "nothing speaks for another kind")
    totals: dict[Category, float] = {}
    for each in votes:
        totals[each.category] = totals.get(each.category, 0.0) + each.weight
    best = max(totals, key=lambda name: totals[name])
    mine = [each for each in votes if each.category == best]
    return Verdict(
        best,
        max(mine, key=lambda each: each.weight).why,
        max((each.weight for each in mine if each.own), default=0.0),
        any(not each.own and each.weight >= STRONG for each in mine),
    )


def _own(text: str) -> Iterator[_Vote]:
    """The heaviest cue of each kind counts in full, further ones a little."""
    best: dict[Category, tuple[float, str]] = {}
    more: dict[Category, float] = {}
    for cue, said in cues_in(text):
        weight, _ = best.get(cue.category, (0.0, ""))
        more[cue.category] = more.get(cue.category, 0.0) + 0.25 * min(weight, cue.weight)
        if cue.weight > weight:
            best[cue.category] = cue.weight, said
    for category, (weight, said) in best.items():
        yield _Vote(category, weight + more[category], f"says “{said[:40]}”", own=True)


def _above(labels: Sequence[str], headings: Sequence[str]) -> Iterator[_Vote]:
    """The nearest heading counts in full, one further up less; a day's name counts nothing."""
    weight = 1.0
    for title in [*reversed(labels), *reversed(headings)]:
        kind = announced(title)
        if kind is not None and kind != "log":
            own_name = 0.5 if topic_of(title) else 1.0  # "Mail server" is a thing, not a kind
            yield _Vote(kind, _HEADING[kind] * weight * own_name, f"stands under “{title[:60]}”")
        weight *= _FARTHER


def _place(path: str) -> Iterator[_Vote]:
    if kind := _kind_of_place(path):
        yield _Vote(kind, 1.5, f"stands in {path}")


@lru_cache(maxsize=64)
def _kind_of_place(path: str) -> Category | None:
    folders = re.split(r"[/.]", path.casefold())
    for pattern, category in _PLACES:
        if any(re.fullmatch(pattern, each) for each in folders):
            return category
    return "preference" if path == _USER else None
