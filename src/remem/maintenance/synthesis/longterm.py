"""What does `main/longterm.md` tell? MEMORY.md in short: what binds first, then the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from remem.audit.load_rules import MEMORY_MD
from remem.core.entry import CATEGORIES, PRIORITIES, Category
from remem.core.likeness import wording
from remem.core.page import LONGTERM
from remem.core.point import Point
from remem.core.statement import Document, Statement
from remem.core.tokens import estimate
from remem.maintenance.synthesis.distilled import gist
from remem.maintenance.synthesis.plan import Plan
from remem.notes.audited import owners_file
from remem.notes.layout import Layout
from remem.ports import Extractor

_TOKENS: Final = 1_500
_MARK: Final = 14
"""What the comment at the end of a line costs."""
_TITLES: Final[dict[Category, str]] = {
    "instruction": "Rules",
    "preference": "Preferences",
    "person": "People",
    "decision": "Decisions",
    "project": "Projects",
    "insight": "Lessons",
    "fact": "Facts",
}
_ORDER: Final = tuple(_TITLES)


def longterm_plan(
    layout: Layout, extractor: Extractor, today: str, trouble: list[str]
) -> Plan | None:
    """The page, or None where MEMORY.md says nothing."""
    found = owners_file(layout, MEMORY_MD, trouble)
    if found is None or not found.text.strip():
        return None
    said = extractor.extract(Document(MEMORY_MD, found.text, today, curated=True)).statements
    lasting = _lasting(said)
    if not lasting:
        return None
    chosen = _chosen(lasting)
    chosen.sort(key=lambda each: (_ORDER.index(each.category), each.lines))
    more = len(lasting) - len(chosen)
    rest = f"; {more} more stand there" if more else ""
    return Plan(
        path=LONGTERM,
        title="Long-term memory",
        about=MEMORY_MD,
        made_from=MEMORY_MD,
        lead=f"{len(chosen)} of {len(lasting)} statements of {MEMORY_MD}{rest}.",
        points=[_point(each) for each in chosen],
        titles=frozenset(_TITLES[each] for each in CATEGORIES),
    )


def _lasting(said: Sequence[Statement]) -> list[Statement]:
    """Each thing once, without what is over, noise, or nothing but code."""
    found: dict[int, Statement] = {}
    for each in said:
        current = each.noise is None and each.standing == "current"
        if current and "status" not in each.tags and gist(each.content):
            found.setdefault(wording(gist(each.content)), each)
    return list(found.values())


def _chosen(lasting: Sequence[Statement]) -> list[Statement]:
    """What weighs most, as far as the page goes; of equal weight some of every category, the
    latest first."""
    room, chosen = _TOKENS, []
    for each in _ranked(lasting):
        room -= estimate(gist(each.content)) + _MARK
        if room < 0:
            break
        chosen.append(each)
    return chosen


def _ranked(lasting: Sequence[Statement]) -> list[Statement]:
    latest = sorted(lasting, key=lambda each: each.day or "", reverse=True)
    seen: Counter[tuple[str, str]] = Counter()
    places: list[tuple[int, int, int, Statement]] = []
    for each in latest:
        kind = (each.priority, each.category)
        weight, turn = PRIORITIES.index(each.priority), seen[kind]
        places.append((weight, turn, _ORDER.index(each.category), each))
        seen[kind] += 1
    return [each for *_, each in sorted(places, key=lambda place: place[:3])]


def _point(each: Statement) -> Point:
    return Point(
        f"{MEMORY_MD}#L{each.lines[0]}", gist(each.content), _TITLES[each.category], each.day
    )
