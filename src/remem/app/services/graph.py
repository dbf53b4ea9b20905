"""Query the graph of one scope, and add statements to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.disclose.gate_guard import GateGuard
from remem.entries.draft import Memory
from remem.entries.store import supersede
from remem.errors import InvalidInput, UnknownEntry, quoted
from remem.files.facts import KnownFacts
from remem.graph.answer import (
    GraphAnswer,
    IngestedStatement,
    IngestReport,
    answer_within,
    schema_of,
)
from remem.graph.conflicts import MANY_VALUED, StatementConflict, conflicts_among
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.run import run_query
from remem.graph.links import relation_type
from remem.graph.refresh import refresh
from remem.graph.sources import GraphSources
from remem.graph.statements import CurrentStatements, GraphStatement, read_statements
from remem.graph.stored_graph import StoredGraph
from remem.graph.views import view_named
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET, require_encodable, whole_number
from remem.model.entry import Entry, Filter
from remem.model.outdated import outdated_by
from remem.ports.entries import Transaction
from remem.ports.graph import GraphPart, GraphStore
from remem.ports.records import Where
from remem.text.timestamps import normalize_end_time
from remem.text.words import words

if TYPE_CHECKING:
    from remem.graph.server import GraphServer
    from remem.graph.server_copy import SyncReport

_MAX_STATEMENTS: Final = 500
_MAX_SINGLE_LOOKUPS: Final = 20
"""Up to this many subjects are looked up one by one; for more, all statements are read."""
_MAX_HITS: Final = 500
"""If more entries contain the word of a subject, all statements are read."""


@dataclass(frozen=True, slots=True)
class GraphService:
    """Queries and extends the graph of one scope.

    `known_facts` returns the facts of main, if there are any. `server` returns the graph server at
    a URL, or the configured one if the URL is empty.
    """

    context: SessionContext
    entries: EntryService
    gate_guard: GateGuard
    known_facts: Callable[[], KnownFacts | None]
    graphs: GraphStore
    server: Callable[[str], GraphServer | None]

    def query(
        self,
        query: str,
        params: Mapping[str, Any],
        time: GraphPart,
        token_budget: int,
    ) -> GraphAnswer:
        """Return the answer to a Cypher query; the schema if the query is empty.

        In main, a configured graph server answers instead of the graph of the memory.
        """
        require_encodable(query, "query")
        require_encodable(params, "params")
        server = self.server("") if self.context.is_main else None
        if server is None:
            return self._query_memory(query, params, time, token_budget)
        if time != GraphPart():
            raise InvalidInput(
                "as_of, history and untrusted are not available with a graph server",
                hint="use conditions such as WHERE r.valid_at <= '2026-05-01' in the query",
            )
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        limits = Limits()
        result = server.query(query, params, limits) if query.strip() else server.schema(limits)
        return answer_within(result, self.entries.deps.counter, budget)

    def copy_to(self, url: str, progress: Callable[[str], None]) -> SyncReport:
        """Copy what is true now to a graph server."""
        from remem.graph.server_copy import copy_graph  # lazy: few workspaces have one

        self.context.require_owner("copy the graph to a server", "remem graph sync")
        self.context.require_main("only main's graph is copied to a server")
        server = self.server(url)
        if server is None:
            raise InvalidInput(
                "no graph server was named", hint="use `remem graph sync neo4j://HOST:7687`"
            )
        owner = hashlib.sha256(str(self.context.layout.root.resolve()).encode()).hexdigest()[:16]
        with self._graph(GraphPart()) as (graph, _):
            return copy_graph(server, graph, owner, progress)

    def _query_memory(
        self,
        query: str,
        params: Mapping[str, Any],
        time: GraphPart,
        token_budget: int,
        notes: Sequence[str] = (),
        *,
        if_empty: str = "",
    ) -> GraphAnswer:
        self.gate_guard.require()
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        counter = self.entries.deps.counter
        with self._graph(time) as (graph, problems):
            if not query.strip():
                return schema_of(graph, counter, budget)
            result = run_query(graph, query, params)
            if if_empty and not (result.rows or notes):
                notes = (if_empty,)
            return answer_within(result, counter, budget, [*problems, *notes])

    def show(
        self, view: str, names: tuple[str, ...], since: str | None, token_budget: int
    ) -> GraphAnswer:
        """Return the first answer of a prepared view that has rows; else its last answer."""
        prepared = view_named(view)
        params = prepared.parameters(names, since)
        notes = []
        for key, name in zip(("name", "other"), names, strict=False):
            if thing := self.thing_named(params[key]):
                params[key] = thing
            else:
                notes.append(f"nothing in the graph is called {quoted(name)}")
        time = GraphPart(history=prepared.history)
        for query in prepared.queries:
            answer = self._query_memory(
                query, params, time, token_budget, notes, if_empty=prepared.if_empty
            )
            if answer.rows or answer.left_out:
                break
        return answer

    def thing_named(self, folded: str) -> str | None:
        """Return the main folded name of the thing that has this folded name or alias, if any."""
        with self._graph(GraphPart(history=True)) as (graph, _):
            for query in (
                "MATCH (n {folded: $name}) RETURN n.folded LIMIT 1",
                "MATCH (n) WHERE $name IN n.also_called RETURN n.folded LIMIT 1",
            ):
                if rows := run_query(graph, query, {"name": folded}).rows:
                    return str(rows[0][0])
        return None

    def ingest(self, statements: Sequence[Mapping[str, Any]]) -> IngestReport:
        """Store statements as entries; all of them are checked before the first is stored."""
        self.gate_guard.require()
        if len(statements) > _MAX_STATEMENTS:
            raise InvalidInput(
                f"{len(statements)} statements are too many at once",
                hint=f"ingest at most {_MAX_STATEMENTS}",
            )
        parsed = read_statements(statements)
        self._refuse_unstorable(parsed)
        current = CurrentStatements(self._current_about(parsed))
        return IngestReport(tuple(self._store(statement, current) for statement in parsed))

    def conflicts(self) -> list[StatementConflict]:
        """Return the statements that may replace others, for the owner to decide."""
        self.context.require_owner("review relations", "remem review")
        with self.entries.store.read() as snapshot:
            decided_relations = set(snapshot.records(MANY_VALUED)) | self._single_valued()
        return conflicts_among(self._current(), decided_relations)

    def settle(self, newer: str, older: str, *, replaces: bool) -> StatementConflict:
        """Record that a statement replaces another, or that a relation may have several objects."""
        conflict = next(
            (
                candidate
                for candidate in self.conflicts()
                if (candidate.newer.id, candidate.older.id) == (newer, older)
            ),
            None,
        )
        if conflict is None:
            raise InvalidInput(
                f"{quoted(newer)} and {quoted(older)} are not proposed as a replacement",
                hint="`remem review` lists the pairs, the newer statement first",
            )
        now, topics = self.context.now(), self.entries.deps.topics

        def write(tx: Transaction) -> None:
            if replaces:
                supersede(tx, [older], newer, now, topics)
            else:
                tx.put_record(MANY_VALUED, conflict.relation, now[:10])

        self.entries.store.write(write)
        self.entries.sync.after_write()
        return conflict

    def outdated(self) -> list[tuple[Entry, str]]:
        """Return the current entries that build on a replaced one, with the id of that one."""
        self.entries.sync.before_read()
        with self.entries.store.read() as snapshot:
            by_id = {entry.id: entry for entry in snapshot.select(Where(state="any"))}
        live = [entry for entry in by_id.values() if entry.live and entry.related_to]
        bases = ((entry, outdated_by(entry, by_id.get)) for entry in live)
        return [(entry, base) for entry, base in bases if base is not None]

    def _store(self, statement: GraphStatement, current: CurrentStatements) -> IngestedStatement:
        other_ids = [entry.id for entry in current.with_other_objects(statement)]
        is_single_valued = self._is_single_valued(statement)
        replaced_ids = other_ids if is_single_valued else []
        successor = current.next_with_other_object(statement) if is_single_valued else None
        superseded = (*statement.supersedes, *replaced_ids)
        memory: Memory = {"category": "fact", "content": statement.text}
        if statement.since:
            memory["created_at"] = statement.since
        if superseded:
            memory["supersedes"] = superseded
        receipt = self.entries.add(memory)
        others = tuple(id_ for id_ in other_ids if id_ not in (*superseded, receipt.id))
        if successor is None:
            current.replace(self.entries.find(receipt.id), superseded)
        else:
            self._supersede(receipt.id, successor.id)
        return IngestedStatement(
            *(receipt.id, statement.text, receipt.deduplicated, superseded, others),
            ended_by=successor.id if successor else None,
        )

    def _supersede(self, old: str, new: str) -> None:
        now, topics = self.context.now(), self.entries.deps.topics
        self.entries.store.write(lambda tx: supersede(tx, [old], new, now, topics))
        self.entries.sync.after_write()

    def _refuse_unstorable(self, statements: Sequence[GraphStatement]) -> None:
        """Raise an error if a text was erased, or if an entry to be superseded is unknown."""
        self.entries.refuse_erased(*(statement.text for statement in statements))
        with self.entries.store.read() as snapshot:
            for statement in statements:
                known = snapshot.find(statement.supersedes)
                for id_ in statement.supersedes:
                    if id_ not in known:
                        raise UnknownEntry(
                            f"no entry has the id {quoted(id_)}",
                            hint="correct `supersedes`; nothing was stored",
                        )

    def _is_single_valued(self, statement: GraphStatement) -> bool:
        return statement.key is not None and statement.key[1] in self._single_valued()

    def _single_valued(self) -> set[str]:
        return {relation_type(name) for name in self.context.config.single_valued}

    def _current_about(self, statements: Sequence[GraphStatement]) -> list[Entry]:
        """Return the current entries that may state something about the subjects of statements."""
        subjects = {statement.key[0] for statement in statements if statement.key}
        words_of_subjects = [words(subject) for subject in subjects]
        if len(subjects) > _MAX_SINGLE_LOOKUPS or not all(words_of_subjects):
            return self._current()
        with self.entries.store.read() as snapshot:
            ids: set[str] = set()
            for subject_words in words_of_subjects:
                # The longest word is usually the rarest.
                word = max(subject_words, key=len)
                hits = snapshot.keyword([word], Filter(categories=("fact",)), _MAX_HITS)
                if hits.total > _MAX_HITS:
                    return self._current()
                ids.update(id_ for id_, _ in hits.hits)
            return list(snapshot.find(sorted(ids)).values())

    def _current(self) -> list[Entry]:
        with self.entries.store.read() as snapshot:
            return snapshot.select(Where(state="live", category="fact"))

    @contextmanager
    def _graph(self, time: GraphPart) -> Iterator[tuple[StoredGraph, list[str]]]:
        """Yield the graph of everything that this session may read, and any read errors."""
        self.entries.sync.before_read()
        while True:
            problems: list[str] = []
            sources = self._sources(problems)
            if not refresh(self.graphs, sources.mark, sources.records):
                continue  # something was erased meanwhile
            with self.graphs.read() as reader:
                if reader.graph.mark():  # nothing was erased after the refresh
                    yield StoredGraph(reader.graph, time), problems
                    return

    def _sources(self, problems: list[str]) -> GraphSources:
        context = self.context
        known_facts = self.known_facts if context.is_main else lambda: None
        layout = context.layout if context.is_main else None
        return GraphSources(self.entries.store, layout, known_facts, problems)


def graph_time(as_of: str | None, *, history: bool, untrusted: bool) -> GraphPart:
    """Return which relations a query shows; `as_of` is an ISO date."""
    moment = None if as_of is None else normalize_end_time(as_of, "as_of")
    return GraphPart(moment, history, untrusted)
