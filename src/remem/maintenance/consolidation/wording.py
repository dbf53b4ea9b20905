"""How is it told what became of a statement? With its reason, and the places where it was said."""

from __future__ import annotations

from remem.core.recurrence import Recurring, Sighting
from remem.maintenance.consolidation.result import Verdict, Weighed
from remem.maintenance.consolidation.runs import Place


def weighed(
    statement: Recurring,
    verdict: Verdict,
    because: str,
    entry: str | None = None,
    fact: str | None = None,
) -> Weighed:
    return Weighed(
        statement.lesson.text,
        verdict,
        because,
        statement.conversations,
        statement.days,
        said_at(statement),
        entry,
        fact,
    )


def left(
    statement: Recurring, because: str, entry: str | None = None, fact: str | None = None
) -> Weighed:
    return weighed(statement, "left", because, entry, fact)


def came_back(statement: Recurring) -> str:
    return f"said in {statement.conversations} conversations on {len(statement.days)} days"


def said_at(statement: Recurring) -> tuple[str, ...]:
    return tuple(f"{each.origin.source}#L{each.origin.position}" for each in statement.sightings)


def place_of(sighting: Sighting) -> Place:
    return sighting.origin.source, sighting.origin.position or 0
