"""The interface of the stored graph of one scope.

The graph is a projection of records: entries, facts and notes. Each record contributes nodes and
relationships; a record that changed is replaced, and everything can be dropped and rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from remem.fast_dataclass import dataclass

T = TypeVar("T")
NOTE_PREFIX: Final = "note:"
"""The prefix of the ids of records that are notes."""

Strength = Literal[0, 1, 2]
"""How a record names the thing that a relationship leads to: in a statement (2), as a tag (1), or
as a word in the text of a note (0)."""
STATED: Final[Strength] = 2
TAG: Final[Strength] = 1
WORD: Final[Strength] = 0


@dataclass(frozen=True, slots=True)
class GraphPart:
    """The relationships that a query sees.

    These are the ones that are valid now, that were valid at `as_of`, or, with `history`, all that
    ever were. `untrusted` adds what comes from untrusted records.
    """

    as_of: str | None = None
    history: bool = False
    untrusted: bool = False


class NodeRow(NamedTuple):
    """A node, with its name and the case-folded form of it.

    A `shared` node is a thing that several records may name. Without a label it is a `Concept`, or
    a `Topic` if it is only a tag.
    """

    id: str
    labels: tuple[str, ...]
    name: str
    folded: str = ""
    trust: str = ""
    valid_at: str = ""
    properties: Mapping[str, Any] = {}
    shared: bool = False


class EdgeRow(NamedTuple):
    """A relationship between two nodes, which are given by their ids.

    A row with an empty type is not a relationship: it gives the node `start` the label `end`.
    """

    start: str
    type: str
    end: str
    trust: str
    valid_at: str
    invalid_at: str | None = None
    created_at: str | None = None
    expired_at: str | None = None
    properties: Mapping[str, Any] = {}
    strength: Strength = STATED


class Contribution(NamedTuple):
    """The nodes and relationships of a record; the digest shows whether it has changed."""

    digest: str
    nodes: tuple[NodeRow, ...] = ()
    edges: tuple[EdgeRow, ...] = ()


class NodeDetail(IntEnum):
    """How much of a node a query reads."""

    ID = 0
    PROPERTIES = 1
    LABELS = 2
    """Everything: also the labels, which have to be computed."""


class FoundEdge(NamedTuple):
    """A stored relationship, with its number, the id of its record, and the node at its other end.

    The other end is the one that the query did not start from.
    """

    number: int
    record: str
    edge: EdgeRow
    other: NodeRow


class GraphReader(Protocol):
    """Reads the part of the stored graph that a filter admits; results are in a fixed order."""

    def mark(self) -> str:
        """Return the state of the records that the graph is derived from; empty without a graph."""

    def generation(self) -> str:
        """Return a value that changes whenever the graph is cleared."""

    def digests(self) -> dict[str, str]:
        """Return the digests of all records."""

    def stated_names(self) -> dict[str, str]:
        """Return the ids of things that an entry or a fact says something about, by folded name."""

    def node(self, id_: str, view: GraphPart) -> NodeRow | None: ...
    def nodes(
        self, labels: Sequence[str], equal: Mapping[str, str], view: GraphPart
    ) -> Iterator[NodeRow]:
        """Return the nodes with one of the labels and with the values in `equal`.

        Without labels, any label will do. The keys of `equal` are among `id`, `name` and `folded`.
        """

    def edges(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, need: NodeDetail
    ) -> Iterator[FoundEdge]:
        """Return the relationships that start or end at a node.

        `need` says what is read of the nodes at their other ends.
        """

    def degree(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphPart, loops: bool
    ) -> int:
        """Return the number of relationships that start or end at a node.

        Those from the node to itself are counted only with `loops`.
        """

    def all_edges(self, view: GraphPart) -> Iterator[FoundEdge]: ...


class GraphWriter(GraphReader, Protocol):
    """Changes the stored graph; all changes commit together or not at all."""

    def replace(
        self, mark: str, changed: Mapping[str, Contribution], removed: Iterable[str]
    ) -> None:
        """Replace the contributions of some records, and remove the contributions of others."""

    def clear(self) -> bool:
        """Remove the graph and change its generation; return whether there was a graph."""


class SnapshotWithGraph(Protocol):
    """A snapshot that contains a graph."""

    @property
    def graph(self) -> GraphReader: ...


class TransactionWithGraph(Protocol):
    """A transaction that can change a graph."""

    @property
    def graph(self) -> GraphWriter: ...


class GraphStore(Protocol):
    """A place for the graph of one scope."""

    def read(self) -> AbstractContextManager[SnapshotWithGraph]: ...
    def write(self, operation: Callable[[TransactionWithGraph], T]) -> T: ...
