"""Plan the summaries of entities: their active facts by category, the latest first.

Lines that a person adds to a summary are proposed as facts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from remem.files.facts import KnownFacts, file_for
from remem.learn.facts.entities import require_entity
from remem.learn.synthesize.plan import SUMMARY, PagePlan, ProposedFact
from remem.model.entity import Entity, merged_with
from remem.model.fact import ACTIVE, Fact, FactTombstone
from remem.model.page import Point
from remem.text.labels import label, labels, punctuation
from remem.text.markdown import BULLET, one_line
from remem.text.secrets.mask import redact
from remem.text.words import fold

_INSTEAD: Final = re.compile(r"[ \t]*<!-- instead of (?P<source>\S+)[^>]*-->[ \t]*$")
_COMMENT: Final = re.compile(r"[ \t]*<!--.*?-->")
_DAY: Final = re.compile(r"[ \t]*\((?:[^()]*, )?\d{4}-\d\d-\d\d\)$")
_TITLES: Final = {
    "status": "status",
    "decision": "decisions",
    "preference": "preferences",
    "milestone": "milestones",
    "relationship": "relationships",
}
"""The keys of the headings of known categories."""
_ORDER: Final = tuple(_TITLES)
_OTHER_TITLE: Final = "further"


def proposed_facts(plan: PagePlan, lines: Sequence[str]) -> Iterator[ProposedFact]:
    """Yield a person's bullets on a page of facts that no fact says yet."""
    if not plan.about_entity:
        return
    for line in lines:
        bullet = BULLET.match(line)
        if bullet is None:
            continue
        instead = _INSTEAD.search(line)
        text = _DAY.sub("", _COMMENT.sub("", line[bullet.end() :]).strip())
        if not text or fold(text) in plan.fact_texts:
            continue
        instead_of = instead["source"] if instead else None
        yield ProposedFact(plan.about, text, instead_of, _command(plan.about, text, instead_of))


def _command(entity: str, text: str, instead_of: str | None) -> str:
    if instead_of is None:
        return shlex.join(("remem", "fact", "record", entity, text))
    return shlex.join(("remem", "fact", "supersede", instead_of, text))


def entity_plans(
    known_facts: KnownFacts, names: Sequence[str], problems: list[str], language: str = ""
) -> Iterator[PagePlan]:
    """Yield the pages of the entities with these names, or of all entities, if they have facts.

    If some facts of an entity cannot be read, its page is left as it is, because it may be the last
    copy of them. If the names file cannot be read, only pages of named entities are made.
    """
    if known_facts.names_problem and not names:
        return
    roots = {known_facts.root(id_).id: known_facts.root(id_) for id_ in known_facts.entities}
    entities = [require_entity(known_facts, name) for name in names] or [
        roots[id_] for id_ in sorted(roots)
    ]
    for entity in {entity.id: entity for entity in entities}.values():
        merged = merged_with(known_facts.entities, entity)
        ids = {other.id for other in merged}
        if any(file.problem for file in known_facts.files if file.entity in ids):
            problems.append(f"{summary_path(entity)}: not updated, some facts cannot be read")
            continue
        facts = known_facts.facts_of(entity)
        erased = [tombstone for tombstone in known_facts.tombstones if tombstone.entity in ids]
        if facts or erased:
            yield _plan(entity, facts, erased, language)
            others = (other for other in merged if other != entity)
            yield from (_redirect(other, entity, facts, language) for other in others)


def summary_path(entity: Entity) -> str:
    """Return the path of an entity's summary, which is next to its fact file.

    The summary for `x-facts.json` is `x-summary.md`.
    """
    path = PurePosixPath(file_for(entity))
    prefix = path.name.removesuffix("-facts.json")
    name = SUMMARY if prefix == path.name else f"{prefix}-{SUMMARY}"
    return path.with_name(name).as_posix()


def _plan(
    entity: Entity, facts: Sequence[Fact], tombstones: Sequence[FactTombstone], language: str
) -> PagePlan:
    active = _in_order(fact for fact in facts if fact.active)
    points = [_point(fact, language) for fact in active]
    return PagePlan(
        path=summary_path(entity),
        title=entity.name,
        about=entity.name,
        made_from=PurePosixPath(file_for(entity)).name,
        lead=_lead(points, len(facts) - len(points), language),
        points=points,
        titles=_titles([*facts, *tombstones]),
        fact_texts=frozenset(fold(fact.fact) for fact in facts),
        names=entity.all_names,
        about_entity=True,
        language=language,
    )


def _redirect(entity: Entity, root: Entity, facts: Sequence[Fact], language: str) -> PagePlan:
    """Return the page of a merged entity, which only refers to the page of its `root`."""
    return PagePlan(
        path=summary_path(entity),
        title=entity.name,
        about=entity.name,
        made_from=PurePosixPath(file_for(entity)).name,
        lead=label("same_as", language, "texts").format(name=root.name, path=summary_path(root)),
        points=(),
        titles=_titles(facts),
        fact_texts=frozenset(fold(fact.fact) for fact in facts),
        names=root.all_names,
        about_entity=True,
        only_existing=True,
        language=language,
    )


def _in_order(facts: Iterator[Fact]) -> list[Fact]:
    """Return the facts by category in a fixed order, the latest first in each."""
    latest = sorted(facts, key=lambda fact: (fact.path, fact.number, fact.id))
    latest.sort(key=lambda fact: fact.since or "", reverse=True)
    return sorted(latest, key=_rank)


def _rank(fact: Fact) -> tuple[int, str]:
    category = fold(fact.category)
    position = _ORDER.index(category) if category in _ORDER else len(_ORDER) + (not category)
    return position, _title(fact, "")


def _title(fact: Fact | FactTombstone, language: str) -> str:
    category = fold(fact.category)
    own_title = one_line(category).lstrip("#").strip().capitalize()[:60]
    if category in _TITLES or not own_title:
        return label(_TITLES.get(category, _OTHER_TITLE), language)
    return own_title


def _titles(facts: Sequence[Fact | FactTombstone]) -> frozenset[str]:
    """Return the headings that the page may have had, in every language."""
    in_all_languages = chain(*map(labels, (*_TITLES.values(), _OTHER_TITLE)))
    return frozenset({*in_all_languages, *(_title(fact, "") for fact in facts)})


def _point(fact: Fact, language: str) -> Point:
    state = "" if fold(fact.status) == ACTIVE else one_line(fact.status)
    text = one_line(redact(fact.fact).text)
    return Point(fact.id or fact.place, text, _title(fact, language), fact.day, state)


def _lead(points: Sequence[Point], superseded: int, language: str) -> str:
    """Return the first line: the number of facts, the latest day, and how many are superseded."""
    key = "one_fact" if len(points) == 1 else "facts"
    signs = punctuation(language)
    lead = label(key, language, "texts").format(count=len(points))
    if latest := max((point.day for point in points if point.day), default=None):
        lead += f"{signs.comma}{label('latest', language, 'texts').format(day=latest)}"
    if superseded:
        lead += (
            f"{signs.semicolon}{label('in_history', language, 'texts').format(count=superseded)}"
        )
    return f"{lead}{signs.full_stop}"
