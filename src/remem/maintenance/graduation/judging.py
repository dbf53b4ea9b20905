"""Has something earned its place? It was stated on purpose, and time has borne it out.

A statement alone is not enough, nor is repetition of what passes: that is how noise gets in.
Each gate says what it saw, or what was missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from remem.core.entry import Category
from remem.maintenance.graduation.clusters import Cluster
from remem.maintenance.graduation.result import STATED

_SEVERAL: Final = 2
_MANY: Final = 3
_USED: Final = 2
_STABLE_DAYS: Final = 14
_NEVER: Final[dict[Category, str]] = {
    "project": "tells how something stands, which passes",
    "person": "is about somebody, whose facts have a place of their own",
}
_TIME: Final = re.compile(r"\b\d{1,2}[:：]\d\d\b")
_OF_A_MACHINE: Final = re.compile(r"HEARTBEAT", re.IGNORECASE)
_TELLING_OF: Final = re.compile(r"\d|^\W*\w{1,3}了")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons` if it has earned its place, else `why_not`."""

    reasons: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """How often the entry that says it was read by its id or cited, and told again."""

    uses: int = 0
    reinforced: int = 0


def judged(cluster: Cluster, kept: Kept, today: str) -> Verdict:
    text, category = cluster.latest.text, cluster.latest.category
    if category in _NEVER:
        return Verdict(why_not=_NEVER[category])
    if _OF_A_MACHINE.search(text):
        return Verdict(why_not="is about a heartbeat, which is a machine's")
    if _TIME.search(text) and category != "instruction":  # a rule may name an hour
        return Verdict(why_not="names a time of day: an appointment, or a line of a log")
    days, stable = cluster.days, _stable(cluster, today)
    borne_out = [
        *([_said_on(days)] if len(days) >= _SEVERAL else []),
        *([f"read or cited {kept.uses} times"] if kept.uses >= _USED else []),
        *([f"told again {kept.reinforced} times"] if kept.reinforced >= _USED else []),
        *([stable] if stable else []),
    ]
    if not borne_out:
        once = f"said once, on {days[0]}" if days else "a fact that was recorded once"
        return Verdict(why_not=f"{once}; neither used nor said again")
    stated = STATED.get(category)
    if stated is not None:
        return Verdict(reasons=(f"stated as {stated}", *borne_out))
    if category == "insight" and len(days) >= _MANY and not _TELLING_OF.search(text):
        return Verdict(reasons=("a lesson", *borne_out))
    return Verdict(why_not=f"{borne_out[0]}, but neither a rule, a preference nor a decision")


def _said_on(days: list[str]) -> str:
    shown = ", ".join(days[:3]) + (" …" if len(days) > 3 else "")
    return f"said on {len(days)} days: {shown}"


def _stable(cluster: Cluster, today: str) -> str | None:
    """Corrected, and left as it is since then."""
    corrected = max((each.corrected for each in cluster.sightings if each.corrected), default=None)
    if corrected is None:
        return None
    days = (date.fromisoformat(today) - date.fromisoformat(corrected)).days
    if days < _STABLE_DAYS:
        return None
    return f"corrected on {corrected}, and unchanged for {days} days since"
