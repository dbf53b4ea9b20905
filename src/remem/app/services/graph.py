"""Query the graph of one scope, and add statements to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.disclose.gate_guard import GateGuard
from remem.entries.draft import Memory
from remem.errors import InvalidInput
from remem.files.facts import KnownFacts
from remem.files.host_files import note_files
from remem.graph.answer import GraphAnswer, Ingested, IngestReport, answer_within, schema_of
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from remem.graph.links import is_relation, links_in, relation_type
from remem.graph.memory_graph import MemoryGraph
from remem.graph.projection import Episode, GraphBuilder, View
from remem.graph.statements import Statement, read_statements
from remem.graph.views import view_named
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET, whole_number
from remem.model.entry import Entry
from remem.ports.records import Where
from remem.text.note_dates import day_of_name
from remem.text.timestamps import normalize_end_time
from remem.text.words import fold

if TYPE_CHECKING:
    from remem.graph.server import GraphServer
    from remem.graph.server_copy import SyncReport

_MAX_STATEMENTS: Final = 500


@dataclass(frozen=True, slots=True)
class GraphService:
    """Queries and extends the graph of one scope; `known_facts` returns the facts of main.

    `server` returns the graph server at a URL, or the configured one if the URL is empty.
    """

    context: SessionContext
    entries: EntryService
    gate_guard: GateGuard
    known_facts: Callable[[], KnownFacts | None]
    server: Callable[[str], GraphServer | None]

    def query(
        self,
        query: str,
        params: Mapping[str, Any],
        view: View,
        token_budget: int,
    ) -> GraphAnswer:
        """Return the answer to a Cypher query; the schema if the query is empty.

        In main, a configured graph server answers instead of the graph of the memory.
        """
        server = self.server("") if self.context.is_main else None
        if server is None:
            return self._query_memory(query, params, view, token_budget)
        if view != View():
            raise InvalidInput(
                "as_of, history and untrusted are not available with a graph server",
                hint="use conditions such as WHERE r.valid_at <= '2026-05-01' in the query",
            )
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        limits = Limits()
        found = server.query(query, params, limits) if query.strip() else server.schema(limits)
        return answer_within(found, self.entries.deps.counter, budget)

    def copy_to(self, url: str, progress: Callable[[str], None]) -> SyncReport:
        """Copy what is true now to a graph server."""
        from remem.graph.server_copy import copy_graph  # lazy: few workspaces have one

        self.context.require_owner("copies the graph to a server", "remem graph sync")
        self.context.require_main("only main's graph is copied to a server")
        server = self.server(url)
        if server is None:
            raise InvalidInput(
                "no graph server was named", hint="use `remem graph sync neo4j://HOST:7687`"
            )
        graph, _ = self._graph(View())
        owner = hashlib.sha256(str(self.context.layout.root.resolve()).encode()).hexdigest()[:16]
        return copy_graph(server, graph, owner, progress)

    def _query_memory(
        self, query: str, params: Mapping[str, Any], view: View, token_budget: int
    ) -> GraphAnswer:
        self.gate_guard.require()
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        counter = self.entries.deps.counter
        graph, problems = self._graph(view)
        if not query.strip():
            return schema_of(graph, counter, budget)
        return answer_within(run_query(graph, query, params), counter, budget, problems)

    def show(
        self, view: str, names: tuple[str, ...], since: str | None, token_budget: int
    ) -> GraphAnswer:
        """Return the answer of a prepared view; empty if the graph has nothing with that name."""
        chosen = view_named(view)
        params = chosen.parameters(names, since)
        whole = View(history=chosen.history)
        answers = (
            self._query_memory(query, params, whole, token_budget) for query in chosen.queries
        )
        empty: GraphAnswer | None = None
        for answer in answers:
            if answer.rows:
                return answer
            empty = answer
        assert empty is not None, "a view has a query"
        return empty

    def view(self, as_of: str | None, *, history: bool, untrusted: bool) -> View:
        moment = None if as_of is None else normalize_end_time(as_of, "as_of")
        return View(moment, history, untrusted)

    def ingest(self, statements: Sequence[Mapping[str, Any]]) -> IngestReport:
        """Store statements as entries; all of them are checked before the first is stored."""
        self.gate_guard.require()
        if len(statements) > _MAX_STATEMENTS:
            raise InvalidInput(
                f"{len(statements)} statements are too many at once",
                hint=f"ingest at most {_MAX_STATEMENTS}",
            )
        read = read_statements(statements)
        return IngestReport(tuple(map(self._keep, read)))

    def _keep(self, statement: Statement) -> Ingested:
        same = self._same_subject_and_relation(statement)
        replaced = same if self._is_single_valued(statement) else []
        ended = (*statement.supersedes, *(entry.id for entry in replaced))
        memory: Memory = {"category": "fact", "content": statement.text}
        if statement.since:
            memory["created_at"] = statement.since
        if ended:
            memory["supersedes"] = ended
        receipt = self.entries.add(memory)
        others = tuple(entry.id for entry in same if entry.id not in (*ended, receipt.id))
        return Ingested(receipt.id, statement.text, receipt.deduplicated, ended, others)

    def _is_single_valued(self, statement: Statement) -> bool:
        single = {relation_type(name) for name in self.context.config.single_valued}
        return statement.key is not None and statement.key[1] in single

    def _same_subject_and_relation(self, statement: Statement) -> list[Entry]:
        """Return the current entries that state the relation of a subject with another object.

        Entries that became true later than the statement are left out, because a statement about
        the past does not replace the present; so are entries that state more than this.
        """
        if statement.key is None:
            return []
        since = normalize_end_time(statement.since, "valid_at") if statement.since else None
        return [
            entry
            for entry in self._current()
            if is_relation(entry.content)
            and statement.key in _keys(entry)
            and fold(entry.content) != fold(statement.text)
            and (since is None or entry.created_at <= since)
        ]

    def _current(self) -> list[Entry]:
        with self.entries.store.read() as snapshot:
            return snapshot.select(Where(state="live", category="fact"))

    def _graph(self, view: View) -> tuple[MemoryGraph, list[str]]:
        """Return the graph of everything that this session may read, and any read errors."""
        self.entries.sync.before_read()
        with self.entries.store.read() as snapshot:
            entries = snapshot.select(Where(state="any"))
        builder = GraphBuilder(view)
        main = self.context.is_main
        problems: list[str] = []
        known = self.known_facts() if main else None
        if known is not None:
            roots = {id_: known.root(id_).id for id_ in known.entities}
            builder.add_entities(known.entities.values(), roots)
            builder.add_facts(known.facts, roots)
            problems += known.problems
        builder.add_entries(entries, owner=main)
        if main:
            builder.add_episodes(self._episodes(problems))
        return builder.graph, problems

    def _episodes(self, problems: list[str]) -> Iterator[Episode]:
        for file in note_files(self.context.layout, problems):
            if day := day_of_name(file.path):
                yield Episode(day, file.path, file.text)


def _keys(entry: Entry) -> set[tuple[str, str]]:
    """Return the subjects and relations that an entry states."""
    return {
        (fold(link.subject), relation_type(link.relation))
        for link in links_in(entry.content)
        if link.subject is not None
    }
