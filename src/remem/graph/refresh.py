"""Keep the stored graph of a scope up to date with its records.

The mark of the records shows whether anything changed. If so, the digests show which records, and
only their nodes and relationships are replaced. Nothing is written if the graph was cleared after
the records were read: one of them may have been erased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from remem.graph.names import FORMAT, NameIndex, same_statements
from remem.graph.projection import (
    EntryRecords,
    Note,
    fact_contribution,
    fact_records,
    names_in,
    note_contribution,
    user_contribution,
)
from remem.model.entity import Entity
from remem.model.entry import Entry
from remem.model.fact import Fact
from remem.ports.graph import NOTE_PREFIX, STATED, Contribution, GraphStore, TransactionWithGraph

_ENTITIES, _USER = "entities", "user"


@dataclass(frozen=True, slots=True)
class GraphRecords:
    """Everything that the graph of a scope is derived from; `owner` is true in main."""

    entries: Sequence[Entry]
    owner: bool = False
    entities: Sequence[Entity] = ()
    roots: Mapping[str, str] = field(default_factory=dict)
    facts: Sequence[Fact] = ()
    notes: Sequence[Note] = ()


def refresh(store: GraphStore, mark: str, records: Callable[[], GraphRecords]) -> bool:
    """Bring the graph up to date, if the records have another mark than the graph.

    Returns whether it is up to date. `records` reads them all, and is called only if it was not.
    """
    new_mark = f"{FORMAT} {mark}"
    with store.read() as reader:
        if reader.graph.mark() == new_mark:
            return True
        generation = reader.graph.generation()
        known, stated_names = reader.graph.digests(), reader.graph.stated_names()
    # No reader is open while records are read: erasing waits for readers.
    changed, removed = _differences(records(), known, stated_names)

    def replace(writer: TransactionWithGraph) -> bool:
        if writer.graph.generation() != generation:
            return False
        writer.graph.replace(new_mark, changed, removed)
        return True

    return store.write(replace)


def _differences(
    records: GraphRecords, known: Mapping[str, str], statements: Mapping[str, str]
) -> tuple[dict[str, Contribution], list[str]]:
    """Return the records that differ from those in the graph, and those that are gone."""
    names = NameIndex(records.entities, records.roots, same_statements(records.entries))
    differences = _Found(known, names)
    if records.owner:
        differences.add(_USER, user_contribution().digest, user_contribution)
    entities = names.contribution()
    if names.ids:
        differences.add(_ENTITIES, entities.digest, lambda: entities)
    if known.get(_ENTITIES) != differences.digests.get(_ENTITIES):
        differences.known = {}  # names lead to other nodes now
    _add_facts(differences, records.facts, names)
    shown_records = EntryRecords(records.entries, names, owner=records.owner)
    for entry, digest in shown_records.digests():
        differences.add(
            f"entry:{entry.id}", digest, partial(shown_records.contribution, entry, digest)
        )
    _add_notes(differences, records.notes, statements)
    return differences.changed, [record for record in known if record not in differences.digests]


class _Found:
    """The digests of all records, and the contributions of those that changed."""

    def __init__(self, known: Mapping[str, str], names: NameIndex) -> None:
        self.known = known
        self.names = names
        self.digests: dict[str, str] = {}
        self.changed: dict[str, Contribution] = {}

    def add(self, record: str, digest: str, derive: Callable[[], Contribution]) -> None:
        self.digests[record] = digest
        if self.known.get(record) != digest:
            self.changed[record] = derive()

    def stated(self) -> Iterator[tuple[str, str]]:
        """Yield the names that changed records state, other than in tags."""
        for contribution in self.changed.values():
            edges = [edge for edge in contribution.edges if edge.strength == STATED]
            stated_ids = {id_ for edge in edges for id_ in (edge.start, edge.end)}
            for node in contribution.nodes:
                if node.shared and node.id in stated_ids:
                    yield node.folded, node.id


def _add_facts(discovery: _Found, facts: Sequence[Fact], names: NameIndex) -> None:
    for record, digest, fact, span in fact_records(facts, names):
        discovery.add(record, digest, partial(fact_contribution, record, digest, fact, span, names))


def _add_notes(discovery: _Found, notes: Sequence[Note], statements: Mapping[str, str]) -> None:
    """Add notes; one that has not changed is read again only if it has a name that is new."""
    new = {name: id_ for name, id_ in discovery.stated() if name not in statements}
    known = {**discovery.names.ids, **statements, **new}
    for note in notes:
        record = f"{NOTE_PREFIX}{note.path}"
        discovery.digests[record] = note.digest
        is_known = discovery.known.get(record) == note.digest
        if is_known and not (new and names_in(note.text(), new)):
            continue
        discovery.changed[record] = note_contribution(note, discovery.names, known)
