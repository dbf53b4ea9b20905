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
    """Everything that the graph of a scope is derived from.

    If `owner` is true, as in main, the owner is a node. `roots` maps the ids of merged entities to
    the entity that they were merged into.
    """

    entries: Sequence[Entry]
    owner: bool = False
    entities: Sequence[Entity] = ()
    roots: Mapping[str, str] = field(default_factory=dict)
    facts: Sequence[Fact] = ()
    notes: Sequence[Note] = ()


def refresh(store: GraphStore, mark: str, records: Callable[[], GraphRecords]) -> bool:
    """Bring the graph up to date, unless its mark shows that it already is.

    Return False if it was cleared meanwhile, so that nothing was written. `records` reads all
    records, and is only called if the graph is out of date.
    """
    new_mark = f"{FORMAT} {mark}"
    with store.read() as reader:
        if reader.graph.mark() == new_mark:
            return True
        generation = reader.graph.generation()
        old_digests, stated_names = reader.graph.digests(), reader.graph.stated_names()
    # No reader is open while records are read: erasing waits for readers.
    changed, removed = _differences(records(), old_digests, stated_names)

    def replace(writer: TransactionWithGraph) -> bool:
        if writer.graph.generation() != generation:
            return False
        writer.graph.replace(new_mark, changed, removed)
        return True

    return store.write(replace)


def _differences(
    records: GraphRecords, old_digests: Mapping[str, str], stated_names: Mapping[str, str]
) -> tuple[dict[str, Contribution], list[str]]:
    """Return what records now contribute if it has changed, and the records that are gone."""
    names = NameIndex(records.entities, records.roots, same_statements(records.entries))
    differences = _Differences(old_digests, names)
    if records.owner:
        differences.add(_USER, user_contribution().digest, user_contribution)
    entities = names.contribution()
    if names.ids:
        differences.add(_ENTITIES, entities.digest, lambda: entities)
    if old_digests.get(_ENTITIES) != differences.digests.get(_ENTITIES):
        differences.old_digests = {}  # names lead to other nodes now
    _add_facts(differences, records.facts, names)
    shown_records = EntryRecords(records.entries, names, owner=records.owner)
    for entry, digest in shown_records.digests():
        differences.add(
            f"entry:{entry.id}", digest, partial(shown_records.contribution, entry, digest)
        )
    _add_notes(differences, records.notes, stated_names)
    return differences.changed, [
        record for record in old_digests if record not in differences.digests
    ]


class _Differences:
    """The digests of all records, and the contributions of those that changed.

    `old_digests` are the digests of the records that are in the graph.
    """

    def __init__(self, old_digests: Mapping[str, str], names: NameIndex) -> None:
        self.old_digests = old_digests
        self.names = names
        self.digests: dict[str, str] = {}
        self.changed: dict[str, Contribution] = {}

    def add(self, record: str, digest: str, derive: Callable[[], Contribution]) -> None:
        self.digests[record] = digest
        if self.old_digests.get(record) != digest:
            self.changed[record] = derive()

    def stated(self) -> Iterator[tuple[str, str]]:
        """Yield the names about which changed records state something, with the ids of nodes."""
        for contribution in self.changed.values():
            edges = [edge for edge in contribution.edges if edge.strength == STATED]
            stated_ids = {id_ for edge in edges for id_ in (edge.start, edge.end)}
            for node in contribution.nodes:
                if node.shared and node.id in stated_ids:
                    yield node.folded, node.id


def _add_facts(differences: _Differences, facts: Sequence[Fact], names: NameIndex) -> None:
    for record, digest, fact, period in fact_records(facts, names):
        differences.add(
            record, digest, partial(fact_contribution, record, digest, fact, period, names)
        )


def _add_notes(
    differences: _Differences, notes: Sequence[Note], stated_names: Mapping[str, str]
) -> None:
    """Add notes; one that has not changed is derived again only if it contains a new name."""
    new_names = {name: id_ for name, id_ in differences.stated() if name not in stated_names}
    all_names = {**differences.names.ids, **stated_names, **new_names}
    for note in notes:
        record = f"{NOTE_PREFIX}{note.path}"
        differences.digests[record] = note.digest
        is_unchanged = differences.old_digests.get(record) == note.digest
        if is_unchanged and not (new_names and names_in(note.text(), new_names)):
            continue
        differences.changed[record] = note_contribution(note, differences.names, all_names)
