"""What does an entity's summary tell? Its active facts, by category, the latest first.

What did a person mean with his lines in a summary? They may be facts; he decides.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from remem.errors import InvalidInput, shown
from remem.files.facts import Known, file_for
from remem.learn.synthesize.plan import SUMMARY, Plan, Proposed
from remem.model.entity import Entity, merged_with
from remem.model.fact import ACTIVE, Fact, Gone
from remem.model.page import Point
from remem.text.marked_line import one_line
from remem.text.secrets.mask import redact
from remem.text.words import fold

_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+")
_INSTEAD: Final = re.compile(r"[ \t]*<!-- instead of (?P<source>\S+)[^>]*-->[ \t]*$")
_COMMENT: Final = re.compile(r"[ \t]*<!--.*?-->")
_DAY: Final = re.compile(r"[ \t]*\((?:[^()]*, )?\d{4}-\d\d-\d\d\)$")


def proposals(plan: Plan, lines: Sequence[str]) -> Iterator[Proposed]:
    """Bullets that could become facts: those whose words the record does not have yet."""
    if not plan.facts:
        return
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet is None:
            continue
        instead = _INSTEAD.search(line)
        text = _DAY.sub("", _COMMENT.sub("", line[bullet.end() :]).strip())
        if not text or fold(text) in plan.known:
            continue
        source = instead["source"] if instead else None
        yield Proposed(plan.about, text, source, _command(plan.about, text, source))


def _command(entity: str, text: str, source: str | None) -> str:
    if source is None:
        return shlex.join(("remem", "fact", "record", entity, text))
    return shlex.join(("remem", "fact", "supersede", source, text))


_TITLES: Final = {
    "status": "Status",
    "decision": "Decisions",
    "preference": "Preferences",
    "milestone": "Milestones",
    "relationship": "Relationships",
}
_ORDER: Final = tuple(_TITLES)
_OTHER: Final = "Further"


def entity_plans(known: Known, names: Sequence[str], troubles: list[str]) -> Iterator[Plan]:
    """The pages of the entities with these names, or of all that have facts.

    A page whose facts cannot be read whole stays as it is: it may be the last place that tells
    them. Where nobody knows which entities are one, only those that are named are made.
    """
    if known.unnamed and not names:
        return
    roots = {known.root(id_).id: known.root(id_) for id_ in known.entities}
    wanted = [_named(known, name) for name in names] or [roots[id_] for id_ in sorted(roots)]
    for entity in {entity.id: entity for entity in wanted}.values():
        together = merged_with(known.entities, entity)
        ids = {entity.id for entity in together}
        if any(file.trouble for file in known.files if file.entity in ids):
            troubles.append(f"{summary_path(entity)}: it stays until its facts can be read whole")
            continue
        facts = known.of(entity)
        gone = [gone for gone in known.gone if gone.entity in ids]
        if facts or gone:
            yield _plan(entity, facts, gone)
            yield from (_pointing(each, entity, facts) for each in together if each != entity)


def summary_path(entity: Entity) -> str:
    """Beside the facts; facts in a file of the entity's own name have it beside that file."""
    place = PurePosixPath(file_for(entity))
    own = place.name.removesuffix("-facts.json")
    name = SUMMARY if own == place.name else f"{own}-{SUMMARY}"
    return place.with_name(name).as_posix()


def _named(known: Known, name: str) -> Entity:
    entity = known.named(name)
    if entity is None:
        raise InvalidInput(
            f"no entity is called {shown(name)}", hint="`remem fact entities` lists them"
        )
    return entity


def _plan(entity: Entity, facts: Sequence[Fact], gone: Sequence[Gone]) -> Plan:
    points = [_point(fact) for fact in _in_order(each for each in facts if each.active)]
    return Plan(
        path=summary_path(entity),
        title=entity.name,
        about=entity.name,
        made_from=PurePosixPath(file_for(entity)).name,
        lead=_lead(points, len(facts) - len(points)),
        points=points,
        titles=frozenset({*map(_title, facts), *map(_title, gone)}),
        known=frozenset(fold(fact.fact) for fact in facts),
        names=entity.called,
        facts=True,
    )


def _pointing(entity: Entity, root: Entity, facts: Sequence[Fact]) -> Plan:
    """What becomes of the page of an entity that was found to be another."""
    return Plan(
        path=summary_path(entity),
        title=entity.name,
        about=entity.name,
        made_from=PurePosixPath(file_for(entity)).name,
        lead=f"The same as {root.name}: what is known stands in {summary_path(root)}.",
        points=(),
        titles=frozenset(map(_title, facts)),
        known=frozenset(fold(fact.fact) for fact in facts),
        names=root.called,
        facts=True,
        only_standing=True,
    )


def _in_order(facts: Iterator[Fact]) -> list[Fact]:
    """Groups in a fixed order, the seed's first; in a group the latest first."""
    latest = sorted(facts, key=lambda each: (each.path, each.number, each.id))
    latest.sort(key=lambda each: each.since or "", reverse=True)
    return sorted(latest, key=_rank)


def _rank(fact: Fact) -> tuple[int, str]:
    category = fold(fact.category)
    place = _ORDER.index(category) if category in _ORDER else len(_ORDER) + (not category)
    return place, _title(fact)


def _title(fact: Fact | Gone) -> str:
    category = fold(fact.category)
    if category in _TITLES:
        return _TITLES[category]
    return one_line(category).lstrip("#").strip().capitalize()[:60] or _OTHER


def _point(fact: Fact) -> Point:
    state = "" if fold(fact.status) == ACTIVE else one_line(fact.status)
    text = one_line(redact(fact.fact).text)
    return Point(fact.id or fact.place, text, _title(fact), fact.day, state)


def _lead(points: Sequence[Point], past: int) -> str:
    count = f"{len(points)} active {'fact' if len(points) == 1 else 'facts'}"
    latest = max((point.day for point in points if point.day), default=None)
    dated = f", the latest of {latest}" if latest else ""
    earlier = f"; {past} earlier {'one' if past == 1 else 'ones'} in the history" if past else ""
    return f"{count}{dated}{earlier}."
