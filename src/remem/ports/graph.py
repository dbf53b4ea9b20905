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
NOTE: Final = "note:"
"""The ids of the records of notes begin with this."""

Strength = Literal[0, 1, 2]
"""How a relationship names a thing: 2 states it, 1 is a tag, 0 is a word in the text of a note."""
STATED: Final[Strength] = 2
TAG: Final[Strength] = 1
WORD: Final[Strength] = 0


@dataclass(frozen=True, slots=True)
class GraphTime:
    """The time that a graph shows: now, at `as_of`, or, with `history`, any time."""

    as_of: str | None = None
    history: bool = False
    untrusted: bool = False


class NodeRow(NamedTuple):
    """A node; `shared` ones are things that several records name.

    A shared node without a label is a `Concept`, or a `Topic` if it is only a tag.
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

    A relationship without a type states what its start is: its `end` is a label.
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
    """How much of a node a query uses."""

    ID = 0
    PROPERTIES = 1
    LABELS = 2
    """The whole node, with its labels, which have to be computed."""


class FoundEdge(NamedTuple):
    """A stored relationship, its number and record, and the node at its other end."""

    number: int
    record: str
    edge: EdgeRow
    other: NodeRow


class GraphReader(Protocol):
    """Reads the stored graph as a view shows it; everything is in a fixed order."""

    def mark(self) -> str:
        """Return the state of the records that the graph was derived from; empty if there is no
        graph."""

    def generation(self) -> str:
        """Return a value that changes whenever the graph is cleared."""

    def digests(self) -> dict[str, str]:
        """Return the digests of all records."""

    def stated_names(self) -> dict[str, str]:
        """Return the ids of the things that entries or facts state something about, by folded
        name."""

    def node(self, id_: str, view: GraphTime) -> NodeRow | None: ...
    def nodes(
        self, labels: Sequence[str], equal: Mapping[str, str], view: GraphTime
    ) -> Iterator[NodeRow]:
        """Return the nodes with one of the labels, if any are given, and with equal `id`, `name`
        or `folded`."""

    def edges(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphTime, need: NodeDetail
    ) -> Iterator[FoundEdge]:
        """Return the relationships that start or end at a node.

        `need` says what is read of the nodes at their other ends.
        """

    def degree(
        self, node: str, *, outgoing: bool, types: Sequence[str], view: GraphTime, loops: bool
    ) -> int:
        """Return the number of relationships that start or end at a node."""

    def all_edges(self, view: GraphTime) -> Iterator[FoundEdge]: ...


class GraphWriter(GraphReader, Protocol):
    """Changes the stored graph; all changes commit together or not at all."""

    def replace(
        self, mark: str, changed: Mapping[str, Contribution], removed: Iterable[str]
    ) -> None:
        """Replace the contributions of some records, and remove the contributions of others."""

    def clear(self) -> bool:
        """Remove the graph and change its generation; return whether there was a graph."""


class WithGraph(Protocol):
    """A snapshot that contains a graph."""

    @property
    def graph(self) -> GraphReader: ...


class WithGraphChanges(Protocol):
    """A transaction that can change a graph."""

    @property
    def graph(self) -> GraphWriter: ...


class GraphStore(Protocol):
    """A place for the graph of one scope."""

    def read(self) -> AbstractContextManager[WithGraph]: ...
    def write(self, operation: Callable[[WithGraphChanges], T]) -> T: ...
