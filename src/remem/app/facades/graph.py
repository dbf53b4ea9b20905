"""The graph of memories, things and daily notes: `workspace.graph`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remem.app import ignore_progress

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.app.services.names import NameService
    from remem.graph.answer import GraphAnswer, IngestReport, SplitReport
    from remem.graph.conflicts import StatementConflict
    from remem.graph.server_copy import SyncReport
    from remem.model.entry import Entry
    from remem.model.same_name import SameName


class GraphFacade:
    """Queries and prepared views of the graph, and statements to store."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def query(
        self,
        query: str = "",
        params: Mapping[str, Any] | None = None,
        *,
        as_of: str | None = None,
        history: bool = False,
        untrusted: bool = False,
        token_budget: int = 3000,
    ) -> GraphAnswer:
        """Query the graph of memories, things and daily notes in read-only Cypher.

        Args:
            query: An openCypher query; if it is empty, the answer is the schema of the graph.
            params: The values of the query's parameters.
            as_of: Show what was true at the end of this ISO date instead of what is true now.
            history: Show relations that have ended too; each has an `invalid_at`.
            untrusted: Show relations from untrusted memories too.
            token_budget: The maximum cost of the answer in tokens.
        """
        from remem.app.services.graph import graph_time

        time = graph_time(as_of, history=history, untrusted=untrusted)
        return self._services.graph.query(query, params or {}, time, token_budget)

    def view(
        self, view: str, *names: str, since: str | None = None, token_budget: int = 3000
    ) -> GraphAnswer:
        """Return a prepared view of the graph, without Cypher.

        Args:
            view: `show` (the relations of a thing), `neighbours` (the things near it), `path` (how
                two things are connected, by at most four relations) or `changes` (relations that
                began or ended).
            names: The names of one thing, or of two for `path`.
            since: For `changes`, only changes since this ISO date.
            token_budget: The maximum cost of the answer in tokens.
        """
        return self._services.graph.show(view, names, since, token_budget)

    def ingest(self, statements: Sequence[Mapping[str, Any]]) -> IngestReport:
        """Store relations between named things as entries.

        A statement has a subject, a relation and an object, such as Ann, `works at` and Acme.
        Entities with observations, in the format of the MCP memory server, are accepted too. A
        statement that is already stored is reinforced.
        """
        return self._services.graph.ingest(statements)

    def conflicts(self) -> list[StatementConflict]:
        """Return pairs of statements of which the newer one may replace the older one. Owner only.

        They have the same subject and relation, but different objects. Two kinds of relations are
        left out: those that the setting `single_valued` names, because a newer statement replaces
        the older one at once, and those that `settle` has found to have several objects.
        """
        return self._services.graph.conflicts()

    def settle(self, newer: str, older: str, *, replaces: bool) -> StatementConflict:
        """Decide about a pair of `conflicts`. Owner only.

        Args:
            newer: The id of the newer statement.
            older: The id of the older one.
            replaces: Whether the newer one supersedes the older one. If not, both are true, and
                their relation is not asked about again.
        """
        return self._services.graph.settle(newer, older, replaces=replaces)

    def merge(self, name: str, into: str) -> IngestReport:
        """Record another name of a thing, as a statement that can be forgotten.

        Queries and views show one thing with the statements about both names. What is stated about
        either name later belongs to it too.
        """
        return self._names.merge(name, into)

    def split(self, name: str) -> SplitReport:
        """Undo `merge`: forget the statements that merged a name, and return them."""
        return self._names.split(name)

    def keep_apart(self, name: str, other: str) -> IngestReport:
        """Record that two names are different things, so that they are not proposed again."""
        return self._names.keep_apart(name, other)

    def same_names(self) -> list[SameName]:
        """Return the names in statements that may be the same thing, each with the reason."""
        return self._names.proposals()

    @property
    def _names(self) -> NameService:
        from remem.app.services.names import NameService  # few commands use it

        return NameService(self._services.graph)

    def outdated(self) -> list[tuple[Entry, str]]:
        """Return the entries that build on a replaced one, each with the id of the replaced one.

        An entry builds on the older entries in its `related_to`. It is no longer listed once it
        has been changed, or related to the entry that replaced the other.
        """
        return self._services.graph.outdated()

    def copy_to_server(
        self, url: str = "", *, progress: Callable[[str], None] = ignore_progress
    ) -> SyncReport:
        """Copy what is true now to a graph server, such as Neo4j. Owner only.

        Only the difference to the last copy is written, and nothing else on the server is touched.
        The user name and the password come from NEO4J_USERNAME and NEO4J_PASSWORD.

        Args:
            url: The server, such as `neo4j://127.0.0.1:7687`; by default the configured one.
            progress: Called with what has been written so far.
        """
        return self._services.graph.copy_to(url, progress)
