"""Questions about the graph that need no Cypher: each view is a list of prepared queries.

They are tried in order, and the first one that returns rows answers the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from remem.errors import InvalidInput, quoted
from remem.text.words import fold

_RELATION: Final = "CASE WHEN startNode(r) = n THEN type(r) ELSE '← ' + type(r) END AS relation"
_MAX_HOPS: Final = 4
_PATH: Final = """
MATCH p = (a)-[*{hops}]-(b) WHERE a.folded = $name AND b.folded = $other
RETURN [n IN nodes(p) | n.name] AS names, [r IN relationships(p) | type(r)] AS relations LIMIT 5
"""


@dataclass(frozen=True, slots=True)
class GraphView:
    """A question about as many named things as `names` says.

    If `history` is true, relations that have ended are part of the answer. `if_empty` is the note
    of an answer without rows.
    """

    queries: tuple[str, ...]
    names: int = 1
    history: bool = False
    if_empty: str = ""

    def parameters(self, names: tuple[str, ...], since: str | None) -> dict[str, Any]:
        """Return the parameters of the queries; raise InvalidInput if a name is missing."""
        if len(names) != self.names:
            expected = "one name" if self.names == 1 else "two names"
            raise InvalidInput(
                f"expected {expected}, not {len(names)}", hint="quote names that contain spaces"
            )
        folded = [fold(name) for name in names]
        return {"name": folded[0], "other": folded[-1], "since": since or ""}


VIEWS: Final = {
    "show": GraphView(
        (
            "MATCH (n {folded: $name})-[r]-(m) RETURN n.name AS name, "
            f"{_RELATION}, m.name AS other, r.valid_at AS since, r.record AS record "
            "ORDER BY relation, since DESC",
        )
    ),
    "neighbours": GraphView(
        (
            "MATCH (n {folded: $name})-[*1..2]-(m) WHERE m <> n AND NOT m:User "
            "RETURN DISTINCT labels(m) AS labels, m.name AS name ORDER BY labels, name",
        )
    ),
    "path": GraphView(
        tuple(_PATH.format(hops=hops) for hops in range(1, _MAX_HOPS + 1)),
        names=2,
        if_empty=f"no connection of at most {_MAX_HOPS} relations was found",
    ),
    "changes": GraphView(
        (
            "MATCH (n {folded: $name})-[r]-(m) "
            "WHERE r.valid_at >= $since OR r.invalid_at >= $since "
            "RETURN r.valid_at AS since, r.invalid_at AS until, "
            f"{_RELATION}, m.name AS other, r.record AS record ORDER BY since",
        ),
        history=True,
    ),
}


def view_named(name: str) -> GraphView:
    """Return a view by its name; raise InvalidInput if there is none."""
    if name not in VIEWS:
        raise InvalidInput(f"unknown view {quoted(name)}", hint=f"use one of: {', '.join(VIEWS)}")
    return VIEWS[name]
