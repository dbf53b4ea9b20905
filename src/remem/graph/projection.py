"""Derive the graph of a scope from its record: entries, facts and daily notes.

The graph is not stored. It is computed from what the session may read, so it is always up to date,
forgets what is erased, and cannot cross a wall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from remem.graph.cypher.match import Id
from remem.graph.links import MENTIONS, Link, links_in, relation_type
from remem.graph.memory_graph import MemoryGraph
from remem.model.entity import Entity
from remem.model.entry import Category, Entry
from remem.model.fact import Fact
from remem.text.markdown import one_line
from remem.text.words import fold, words

_USER: Final = "user"
_IS_A: Final = ("is a", "is an", "is_a")
_MAX_NAME: Final = 80
_OF_OWNER: Final[Mapping[Category, str]] = {
    "preference": "PREFERS",
    "instruction": "INSTRUCTED",
    "project": "WORKS_ON",
    "decision": "DECIDED",
}
"""The relation of the owner to their entries of a category; others are `STATED`."""


@dataclass(frozen=True, slots=True)
class Span:
    """Since when something is true, until when, and when that was recorded."""

    valid_at: str
    invalid_at: str | None = None
    created_at: str | None = None
    expired_at: str | None = None

    def holds(self, moment: str | None) -> bool:
        """Return whether it is true at a moment; at present if there is none."""
        if moment is None:
            return self.expired_at is None
        return self.valid_at <= moment and (self.invalid_at is None or self.invalid_at > moment)


@dataclass(frozen=True, slots=True)
class View:
    """The time that a graph shows: now, at `as_of`, or, with `history`, any time."""

    as_of: str | None = None
    history: bool = False
    untrusted: bool = False

    def shows(self, span: Span) -> bool:
        return self.history or span.holds(self.as_of)


@dataclass(frozen=True, slots=True)
class Episode:
    """A daily note."""

    day: str
    path: str
    text: str


class GraphBuilder:
    """Builds the graph of one scope; entities are added first, because links name them."""

    def __init__(self, view: View) -> None:
        self.graph = MemoryGraph()
        self._view = view
        self._named: dict[str, Id] = {}

    def add_entities(self, entities: Iterable[Entity], roots: Mapping[str, str]) -> None:
        """Add the entities that facts are about; `roots` maps merged entities to their target."""
        for entity in entities:
            root = roots.get(entity.id, entity.id)
            id_ = f"entity:{root}"
            if root == entity.id:
                label = _label(entity.kind) or "Entity"
                aliases = list(entity.aliases) or None
                self._add_named(id_, entity.name, {label}, {"aliases": aliases})
            for name in (entity.name, *entity.aliases):
                self._named.setdefault(fold(name), id_)

    def add_facts(self, facts: Sequence[Fact], roots: Mapping[str, str]) -> None:
        """Add facts: a relation to its object, or a statement of its entity."""
        since = {fact.id: fact.since or "" for fact in facts}
        for fact in facts:
            ended = since.get(fact.superseded_by or "", "") or None
            if fact.superseded and ended is None:
                ended = fact.since or ""
            span = Span(fact.since or "", ended, fact.since, ended)
            start = f"entity:{roots.get(fact.entity, fact.entity)}"
            if start not in self.graph or not self._view.shows(span):
                continue
            about = _about(span, fact.place, "owner", fact.fact)
            if fact.relation and fact.object:
                target = self._thing(fact.object)
                self.graph.connect(start, relation_type(fact.relation), target, about)
            else:
                id_ = f"fact:{fact.path}#{fact.id}"
                text = one_line(fact.fact, _MAX_NAME)
                properties = {"id": fact.id, "name": text, "text": fact.fact, **_times(span)}
                self.graph.add_node({"Fact"}, properties, id_)
                self.graph.connect(start, "HAS_FACT", id_, about)

    def add_entries(self, entries: Sequence[Entry], *, owner: bool) -> None:
        """Add entries with their tags, relations and versions; `owner` adds the user of main."""
        by_id = {entry.id: entry for entry in entries}
        spans = {entry.id: _span(entry, by_id) for entry in entries}
        shown = [entry for entry in entries if self._is_shown(entry, by_id, spans[entry.id])]
        if owner:
            self.graph.add_node({"User"}, {"name": "owner", "folded": "owner"}, _USER)
        for entry in shown:
            self._add_entry_node(entry, spans[entry.id])
        for entry in shown:
            self._add_relations(entry, spans[entry.id], owner=owner)
        for entry in shown:
            if entry.superseded_by in by_id and _id(entry.superseded_by) in self.graph:
                about = _about(spans[entry.id], entry.id, entry.trust, "")
                self.graph.connect(_id(entry.superseded_by), "SUPERSEDES", _id(entry.id), about)

    def add_episodes(self, episodes: Iterable[Episode]) -> None:
        """Add daily notes, with the things that they link to or name."""
        known = [(name, id_) for name, id_ in self._named.items() if len(name) > 2]
        for episode in episodes:
            span = Span(episode.day)
            if self._view.as_of is not None and not span.holds(self._view.as_of):
                continue
            id_ = f"episode:{episode.path}"
            properties = {"name": episode.day, "path": episode.path, "valid_at": episode.day}
            self.graph.add_node({"Episode"}, properties, id_)
            about = _about(span, episode.path, "owner", "")
            targets = self._connect_links(id_, links_in(episode.text), about)
            text = f" {' '.join(words(episode.text))} "
            for name, target in known:
                if target not in targets and f" {' '.join(words(name))} " in text:
                    targets.add(target)
                    self.graph.connect(id_, "MENTIONS", target, about)

    def _is_shown(self, entry: Entry, by_id: Mapping[str, Entry], span: Span) -> bool:
        """Forgotten entries are not shown; superseded ones are, as the history of the latest."""
        if entry.trust == "untrusted" and not self._view.untrusted:
            return False
        latest = entry
        seen = {entry.id}
        while (successor := by_id.get(latest.superseded_by or "")) and successor.id not in seen:
            latest = successor
            seen.add(latest.id)
        if latest.archived:
            return False
        return self._view.as_of is None or span.valid_at <= self._view.as_of

    def _add_entry_node(self, entry: Entry, span: Span) -> None:
        properties = {
            "id": entry.id,
            "name": one_line(entry.content, _MAX_NAME),
            "text": entry.content,
            "category": entry.category,
            "priority": entry.priority,
            "trust": entry.trust,
            **_times(span),
        }
        labels = {"Memory"}
        if entry.category != "person":  # a statement about a person is not a person
            labels.add(entry.category.capitalize())
        self.graph.add_node(labels, properties, _id(entry.id))

    def _add_relations(self, entry: Entry, span: Span, *, owner: bool) -> None:
        if not self._view.shows(span):
            return
        node = _id(entry.id)
        about = _about(span, entry.id, entry.trust, entry.content)
        short = _about(span, entry.id, entry.trust, "")
        self._connect_links(node, links_in(entry.content), about)
        for tag in entry.tags:
            self.graph.connect(node, "TAGGED", self._thing(tag), short)
        for other in entry.related_to:
            if _id(other) in self.graph:
                self.graph.connect(node, "RELATED_TO", _id(other), short)
        if owner and entry.trust == "owner":
            stated = _OF_OWNER.get(entry.category, "STATED")
            self.graph.connect(_USER, stated, node, short)

    def _connect_links(self, node: Id, links: Iterable[Link], about: Mapping[str, Any]) -> set[Id]:
        """Connect the things that links name; returns them."""
        targets: set[Id] = set()
        for link in links:
            if link.subject is not None and fold(link.relation) in _IS_A:
                self._thing(link.subject, _label(link.target))
                continue
            target = self._thing(link.target)
            named = {**about, "relation": link.relation} if link.relation != MENTIONS else about
            start = node if link.subject is None else self._thing(link.subject)
            self.graph.connect(start, relation_type(link.relation), target, named)
            targets.add(target)
        return targets

    def _thing(self, name: str, label: str = "") -> Id:
        """Return the node with a name.

        A new one is a concept, unless a statement says what it is.
        """
        folded = fold(name)
        if folded not in self._named:
            self._named[folded] = f"concept:{folded}"
            self._add_named(f"concept:{folded}", name, {label or "Concept"}, {})
        elif label:
            self._relabel(self._named[folded], label)
        return self._named[folded]

    def _relabel(self, id_: Id, label: str) -> None:
        node = self.graph.node(id_)
        if label not in node.labels:
            self.graph.replace_labels(id_, (node.labels - {"Concept"}) | {label})

    def _add_named(
        self, id_: Id, name: str, labels: set[str], properties: Mapping[str, Any]
    ) -> None:
        self.graph.add_node(labels, {"name": name, "folded": fold(name), **properties}, id_)


def _id(entry: str | None) -> str:
    return f"entry:{entry}"


def _label(kind: str) -> str:
    """Return the label of a kind of entity: `person` is `Person`, `open source` is `OpenSource`."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"\w+", kind))


def _span(entry: Entry, by_id: Mapping[str, Entry]) -> Span:
    ended = None
    if entry.superseded_by is not None:
        successor = by_id.get(entry.superseded_by)
        ended = successor.created_at if successor else entry.updated_at
    return Span(entry.created_at, ended or entry.expires_at, entry.created_at, ended)


def _times(span: Span) -> dict[str, str | None]:
    return {
        "valid_at": span.valid_at,
        "invalid_at": span.invalid_at,
        "created_at": span.created_at,
        "expired_at": span.expired_at,
    }


def _about(span: Span, record: str, trust: str, fact: str) -> dict[str, str | None]:
    """Return the properties of a relationship: its times, its record and the text that states
    it."""
    return {**_times(span), "record": record, "trust": trust, "fact": fact or None}
