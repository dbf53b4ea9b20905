"""Derive the graph of a scope from its records: entries, facts and daily notes.

Each record contributes nodes and relationships. Its digest changes if these may have changed: if
the record itself has changed, or what replaced it. If the names of entities have changed, all
records are derived again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from remem.graph.links import MENTIONS, Link, links_in, relation_type
from remem.graph.names import CONCEPT, NameIndex, digest_of, is_about_sameness, label_of
from remem.graph.topics import topics_of
from remem.model.entry import Category, Entry
from remem.model.fact import Fact
from remem.model.outdated import outdated_by
from remem.ports.graph import STATED, TAG, WORD, Contribution, EdgeRow, NodeRow, Strength
from remem.text.markdown import one_line
from remem.text.note_dates import iso_date_in_name
from remem.text.words import fold, words

_USER: Final = "user"
_EPISODE: Final = "episode:"
_IS_A: Final = ("is a", "is an", "is_a")
_MAX_NAME_LENGTH: Final = 80
_MIN_NAME_LENGTH: Final = 3
"""Shorter names are not looked for in the text of notes."""
_OF_OWNER: Final[Mapping[Category, str]] = {
    "preference": "PREFERS",
    "instruction": "INSTRUCTED",
    "project": "WORKS_ON",
    "decision": "DECIDED",
}
"""The relation of the owner to their entries of a category; others are `STATED`."""


class ValidityPeriod(NamedTuple):
    """When something became true and ended, and when remem recorded each of the two."""

    valid_at: str
    invalid_at: str | None = None
    created_at: str | None = None
    expired_at: str | None = None


@dataclass
class _RecordGraph:
    """The nodes and relationships of one record while it is read."""

    names: NameIndex
    period: ValidityPeriod
    trust: str
    nodes: dict[str, NodeRow] = field(default_factory=dict)
    edges: list[EdgeRow] = field(default_factory=list)

    def thing(self, name: str) -> str:
        """Return the id of the node with a name; add the node unless it is an entity."""
        thing = self.names.thing(name)
        if thing.id.startswith(CONCEPT):
            properties = {"also_called": list(thing.other_names)} if thing.other_names else {}
            node = NodeRow(
                thing.id, (), thing.name, fold(thing.name), properties=properties, shared=True
            )
            self.nodes.setdefault(thing.id, node)
        return thing.id

    def connect(
        self,
        start: str,
        type_: str,
        end: str,
        properties: Mapping[str, Any] | None = None,
        *,
        strength: Strength = STATED,
    ) -> None:
        edge = EdgeRow(start, type_, end, self.trust, *self.period, properties or {}, strength)
        self.edges.append(edge)

    def link(
        self, node: str, links: Iterable[Link], properties: Mapping[str, Any] | None = None
    ) -> set[str]:
        """Add the relationships that links state, and return the ids of their targets.

        `node` is the record itself, the start of a link without a subject.
        """
        targets: set[str] = set()
        for link in links:
            if link.subject is not None and fold(link.relation) in _IS_A:
                # an edge without a type stores a label of its start
                if label := label_of(link.target):
                    self.connect(self.thing(link.subject), "", label)
                continue
            if link.subject is not None and is_about_sameness(link):
                for thing in dict.fromkeys(map(self.thing, (link.subject, link.target))):
                    self.connect(node, "MENTIONS", thing, properties)
                continue
            start = node if link.subject is None else self.thing(link.subject)
            target = self.thing(link.target)
            values = dict(properties or {})
            if link.relation != MENTIONS:
                values["relation"] = link.relation
            type_ = relation_type(link.relation)
            self.connect(start, type_, target, values)
            targets.add(target)
        return targets

    def contribution(self, digest: str) -> Contribution:
        return Contribution(digest, tuple(self.nodes.values()), tuple(self.edges))


class EntryRecords:
    """Derives the contributions of entries; if `owner`, the owner is linked to their own."""

    def __init__(self, entries: Sequence[Entry], names: NameIndex, *, owner: bool) -> None:
        self._by_id = {entry.id: entry for entry in entries}
        self._names = names
        self._owner = owner

    def digests(self) -> Iterator[tuple[Entry, str]]:
        """Yield the entries that are in the graph, with their digests.

        Superseded entries are, because the graph shows history. Archived ones are not, and neither
        are the entries that they superseded.
        """
        for entry in self._by_id.values():
            if not self._is_forgotten(entry):
                yield entry, self._digest(entry)

    def contribution(self, entry: Entry, digest: str) -> Contribution:
        period = self._period(entry)
        graph = _RecordGraph(self._names, period, entry.trust)
        node = f"entry:{entry.id}"
        outdated = self._outdated(entry)
        graph.nodes[node] = _entry_node(node, entry, period, outdated)
        values = {"fact": entry.content, "possibly_outdated": outdated}
        graph.link(node, links_in(entry.content), values)
        for tag in topics_of(entry):
            graph.connect(node, "TAGGED", graph.thing(tag), strength=TAG)
        for other in entry.related_to:
            graph.connect(node, "RELATED_TO", f"entry:{other}")
        for source in dict.fromkeys(origin.source for origin in entry.origins):
            if self._owner and iso_date_in_name(source):  # without such a node, it is not shown
                graph.connect(node, "RECORDED_IN", f"{_EPISODE}{source}")
        if self._owner and entry.trust == "owner":
            relation = _OF_OWNER.get(entry.category, "STATED")
            graph.connect(_USER, relation, node)
        if entry.superseded_by is not None:
            graph.period = ValidityPeriod(
                period.invalid_at or entry.updated_at, None, period.expired_at
            )
            graph.connect(f"entry:{entry.superseded_by}", "SUPERSEDES", node)
        return graph.contribution(digest)

    def _is_forgotten(self, entry: Entry) -> bool:
        """Return whether the entry, or the last one that superseded it, is archived."""
        latest, ids = entry, {entry.id}
        while (next_ := self._by_id.get(latest.superseded_by or "")) and next_.id not in ids:
            latest = next_
            ids.add(latest.id)
        return latest.archived

    def _digest(self, entry: Entry) -> str:
        return digest_of(
            entry.content,
            entry.category,
            entry.priority,
            entry.tags,
            entry.context if entry.tags else None,
            entry.related_to,
            entry.origins,
            entry.trust,
            self._period(entry),
            entry.superseded_by,
            self._outdated(entry),
        )

    def _outdated(self, entry: Entry) -> str | None:
        return outdated_by(entry, self._by_id.get) if entry.related_to else None

    def _period(self, entry: Entry) -> ValidityPeriod:
        end = None
        if entry.superseded_by is not None:
            successor = self._by_id.get(entry.superseded_by)
            end = successor.created_at if successor else entry.updated_at
        return ValidityPeriod(entry.created_at, end or entry.expires_at, entry.created_at, end)


def user_contribution() -> Contribution:
    """Return the node of the owner."""
    node = NodeRow(_USER, ("User",), "owner", "owner")
    return Contribution(digest_of(node), (node,))


def fact_records(
    facts: Sequence[Fact], names: NameIndex
) -> Iterator[tuple[str, str, Fact, ValidityPeriod]]:
    """Yield the name of each fact's record, its digest, the fact and its period."""
    since = {fact.id: fact.since or "" for fact in facts}
    for fact in facts:
        end = since.get(fact.superseded_by or "", "") or None
        if fact.superseded and end is None:
            end = fact.since or ""
        period = ValidityPeriod(fact.since or "", end, fact.since, end)
        entity = names.node_of(fact.entity)
        digest = digest_of(fact.fact, fact.relation, fact.object, entity, fact.place, period)
        yield f"fact:{fact.path}#{fact.id}", digest, fact, period


def fact_contribution(
    record: str, digest: str, fact: Fact, period: ValidityPeriod, names: NameIndex
) -> Contribution:
    """Return the relation of an entity that a fact states, or else the fact as a node.

    The node is connected to the entity.
    """
    graph = _RecordGraph(names, period, "owner")
    entity = names.node_of(fact.entity)
    source = {"place": fact.place, "fact": fact.fact}
    if fact.relation and fact.object:
        target = graph.thing(fact.object)
        graph.connect(entity, relation_type(fact.relation), target, source)
    else:
        text = one_line(fact.fact, _MAX_NAME_LENGTH)
        properties = {"id": fact.id, "text": fact.fact, **period._asdict()}
        graph.nodes[record] = NodeRow(
            record, ("Fact",), text, valid_at=period.valid_at, properties=properties
        )
        graph.connect(entity, "HAS_FACT", record, source)
    return graph.contribution(digest)


@dataclass(frozen=True, slots=True)
class Note:
    """A daily note; `digest` changes with its content, `text` reads it."""

    day: str
    path: str
    digest: str
    text: Callable[[], str]


def note_contribution(note: Note, names: NameIndex, thing_names: Mapping[str, str]) -> Contribution:
    """Return a daily note as a node, connected to the things that it links to or names.

    `thing_names` are the ids of the things to look for, by folded name.
    """
    graph = _RecordGraph(names, ValidityPeriod(note.day), "owner")
    node, text = f"{_EPISODE}{note.path}", note.text()
    properties = {"path": note.path, "valid_at": note.day}
    graph.nodes[node] = NodeRow(
        node, ("Episode",), note.day, note.day, valid_at=note.day, properties=properties
    )
    linked_ids = graph.link(node, links_in(text))
    for target in sorted(names_in(text, thing_names) - linked_ids):
        graph.connect(node, "MENTIONS", target, strength=WORD)
    return graph.contribution(note.digest)


def names_in(text: str, names: Mapping[str, str]) -> set[str]:
    """Return the ids of the known names that occur in a text, as whole words."""
    folded = fold(text)
    candidates = [
        (name, id_)
        for name, id_ in names.items()
        if len(name) >= _MIN_NAME_LENGTH and name in folded
    ]
    if not candidates:
        return set()
    spaced = f" {' '.join(words(text))} "
    return {id_ for name, id_ in candidates if f" {' '.join(_name_words(name))} " in spaced}


@lru_cache(maxsize=10_000)
def _name_words(name: str) -> tuple[str, ...]:
    return tuple(words(name))


def _entry_node(id_: str, entry: Entry, period: ValidityPeriod, outdated: str | None) -> NodeRow:
    labels = ["Memory"]
    if entry.category != "person":  # a statement about a person is not a person
        labels.append(entry.category.capitalize())
    properties = {
        "id": entry.id,
        "text": entry.content,
        "category": entry.category,
        "priority": entry.priority,
        "trust": entry.trust,
        "possibly_outdated": outdated,
        **period._asdict(),
    }
    name = one_line(entry.content, _MAX_NAME_LENGTH)
    return NodeRow(id_, tuple(labels), name, "", entry.trust, period.valid_at, properties)
