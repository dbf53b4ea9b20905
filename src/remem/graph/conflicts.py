"""Find statements that may replace others: the same subject and relation, but another object.

Only the owner decides whether one replaces the other. If they answer that both are true, the
relation can have several objects, and they are not asked about it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Final

from remem.graph.links import is_relation, links_in, relation_type
from remem.graph.names import DISTINCT, SAME
from remem.model.entry import Entry
from remem.ports.state import Namespace
from remem.text.words import fold

MANY_VALUED: Final[Namespace[str]] = Namespace("many valued", str)
"""The day on which the owner said that a relation can have several objects, by its type."""
_NEVER_ASKED: Final = frozenset({"IS_A", "IS_AN", relation_type(SAME), relation_type(DISTINCT)})
_MANY_OBJECTS: Final = 3
"""A relation of which one subject has this many objects can have several."""


@dataclass(frozen=True, slots=True)
class StatementConflict:
    """Two current statements, of which the newer one may replace the older one."""

    newer: Entry
    older: Entry
    relation: str


def conflicts_among(
    entries: Iterable[Entry], decided_relations: Set[str]
) -> list[StatementConflict]:
    """Return the pairs of statements to ask the owner about, the latest statement first.

    `decided_relations` are the types of relations about which the owner has decided.
    """
    objects_by_subject: dict[str, dict[str, dict[str, Entry]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for entry in sorted(entries, key=lambda entry: (entry.created_at, entry.id)):
        link = next(links_in(entry.content), None) if is_relation(entry.content) else None
        if link is not None and link.subject is not None:
            objects = objects_by_subject[relation_type(link.relation)][fold(link.subject)]
            objects[fold(link.target)] = entry
    conflicts: list[StatementConflict] = []
    for relation, subjects in objects_by_subject.items():
        max_objects = max(len(objects) for objects in subjects.values())
        if relation in decided_relations | _NEVER_ASKED or max_objects >= _MANY_OBJECTS:
            continue
        for objects in subjects.values():
            *older, newest = objects.values()
            conflicts += [StatementConflict(newest, old, relation) for old in older]
    return sorted(conflicts, key=lambda conflict: conflict.newer.created_at, reverse=True)
