"""The Workspace: every operation on a memory, bound to one session.

This is the public interface. Each method hands its arguments to a service, which does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from remem.app.composition import Services
from remem.app.context import Resources
from remem.files.private_paths import PrivatePaths
from remem.model.scope import Level, Scope, Session
from remem.ports.records import Where

if TYPE_CHECKING:
    from remem.admin.audit.result import Audit
    from remem.admin.curate.result import Curation, Verdicts
    from remem.admin.status import Status
    from remem.app.services.audit import Applied, Proposal
    from remem.app.services.facts import FactFields
    from remem.app.services.sharing import SharingService
    from remem.app.services.spaces import Proposals, SpaceService
    from remem.disclose.get import Excerpt
    from remem.disclose.open.result import OpenResult
    from remem.disclose.start import Start
    from remem.entries.decay import DecayReport, UndoneDecay
    from remem.entries.draft import Memory
    from remem.entries.erase import ErasureReport
    from remem.entries.index import Index
    from remem.entries.lifecycle import ForgetReport, ReinforceReport
    from remem.entries.rebuild import RebuildReport
    from remem.entries.receipt import Receipt
    from remem.entries.spaces.storing import SharedReceipt
    from remem.entries.transfer import ImportReport
    from remem.files.domain_file.details import Form
    from remem.files.edit_journal import Change, Undone
    from remem.files.session_tokens import IssuedHandle
    from remem.graph.answer import GraphAnswer, IngestReport
    from remem.graph.server_copy import SyncReport
    from remem.learn.consolidate.result import Consolidation, UndoResult
    from remem.learn.daily_note import NoteReceipt
    from remem.learn.facts.answers import FactAnswer
    from remem.learn.flush.result import FlushResult
    from remem.learn.graduate.result import Applied as Graduated
    from remem.learn.graduate.result import Declined, Graduation
    from remem.learn.heartbeat import Heartbeat
    from remem.learn.synthesize.plan import Synthesis
    from remem.model.arguments import AuditScope, Corpus, ExportFormat
    from remem.model.entry import Category, Entry, Priority, Trust, Version
    from remem.ports.records import State
    from remem.search.answer.answer import Answer
    from remem.search.answer.shared import SharedAnswer
    from remem.search.passages.snippet import SearchResult
    from remem.search.query.question import RecallOptions
    from remem.search.refresh.refresh import Refreshed
    from remem.setup.activate import Activated, RolledBack
    from remem.setup.migrate.account import Migration
    from remem.setup.migrate.undo import UndoneMigration
    from remem.setup.validate.result import Validation


def _ignore(*_progress: object) -> None:
    """Do nothing: the default for callbacks that report progress."""


class Workspace:
    """A memory, opened for one session by `open_workspace`; close it, or use a `with` block.

    Methods may be called from several threads. Everything that a method stores is visible to every
    later call and survives a power cut. The first call also stores edits that people have made in
    the files, and finishes the work of interrupted processes.

    Every method can raise a `RememError`, whose `hint` says what to do: `InvalidInput` for
    arguments, `NotAllowed` for what this session may not do, `UnknownEntry` for ids, and a
    `StoreError` if the database cannot be used.
    """

    def __init__(self, resources: Resources) -> None:
        self._services = Services(resources)

    @property
    def services(self) -> Services:
        """The services behind the methods, for remem's own commands; not a stable interface."""
        self._services.start()
        return self._services

    # The session

    @property
    def session(self) -> Session:
        """The session that the workspace was opened for."""
        return self._services.context.session

    @property
    def scope(self) -> Scope:
        """The part of the workspace that the session reads and writes."""
        return self._services.context.scope

    @property
    def profile(self) -> str:
        """The tools that the host is offered: `legacy`, `core` or `full`."""
        return self._services.context.profile

    @property
    def private_paths(self) -> PrivatePaths:
        """Paths that answers for this session must not contain; none for the owner."""
        return self._services.context.private_paths

    @property
    def trouble(self) -> list[str]:
        """One sentence for each thing that does not work at present; empty if all is well."""
        return self.services.problems()

    @property
    def keyword_only(self) -> str | None:
        """Why search uses keywords only; None if it uses a model, or if the settings say so."""
        return self._services.resources.keyword_only

    @property
    def language_hint(self) -> str | None:
        """A hint if the model does not support a language of the files; None if it does."""
        return self.services.freshness.language_hint()

    def sync(self) -> None:
        """Write all entries to their files, and store all edits that people made in the files."""
        self.services.sync.files.catch_up()

    def end_conversation(self) -> None:
        """Forget which files this conversation has read, because it has ended or was compacted."""
        from remem.files.conversations import end_conversation

        context = self._services.context
        end_conversation(context.layout, context.session, context.conversation)

    def close(self) -> None:
        """Finish the running work and close the databases.

        Any remaining work is done the next time the workspace is opened.
        """
        self._services.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Entries

    def store(self, *, keep_secrets: bool = False, **memory: Unpack[Memory]) -> Receipt:
        """Store one memory; once this returns, the memory survives a power cut.

        Args:
            category: `preference`, `instruction`, `fact`, `project`, `person`, `decision` or
                `insight`. Required.
            content: The memory itself, as one self-contained statement. Required.
            context: Why it is stored.
            priority: `critical`, `high`, `medium` (default) or `low`; critical entries are in the
                index of every conversation.
            tags: Names and topics to find it by.
            related_to: Ids of related entries.
            supersedes: Ids of entries that this one replaces.
            expires: ISO date after which it is archived.
            trust: `untrusted` for the words of a stranger, a web page or a tool.
            created_at: ISO time of the statement, if it was made earlier.
            origin: Where it comes from; the same content from the same origin is stored once.
            source: The kind of origin, such as `conversation`.
            keep_secrets: Do not mask secrets; only for the owner, in main.

        Returns:
            A receipt with the id, the kinds of secrets that were masked, and whether the memory
            was merged with a known one.
        """
        return self.services.entries.add(memory, keep_secrets=keep_secrets)

    def store_many(
        self, memories: Iterable[Memory], progress: Callable[[int], None] = _ignore
    ) -> list[Receipt]:
        """Store many memories, thousands per transaction.

        Args:
            memories: Dictionaries with the fields of `store`. A memory without an origin gets
                this call as its origin, so that repeating the call adds nothing.
            progress: Called with the number of memories stored so far.

        Returns:
            One receipt per memory, in order.
        """
        return self.services.entries.add_many(memories, progress)

    def recall(
        self, query: str = "", *, now: str | None = None, **options: Unpack[RecallOptions]
    ) -> Answer:
        """Find the memories that answer a question, best first, within a token budget.

        Args:
            query: A question in plain words, or ids. Without a query, all entries that pass the
                filters are listed, the most important first.
            now: ISO time from which "last week" and the like are counted.
            categories: Only entries of these categories.
            priority_min: Only entries of this priority or higher.
            token_budget: The maximum cost of the answer in tokens; 3,000 by default.
            limit: The maximum number of entries.
            tags: Only entries that have all of these tags.
            include_context: Add why each entry was stored.
            include_archived: Include archived and superseded entries.
            include_untrusted: Include untrusted entries, marked as data.
            format: `brief` (default) shortens long entries, `detailed` adds version and dates.
            why: Explain the rank of each entry.
            as_of: ISO date; only entries that were known and valid then.

        Returns:
            The entries, how many were left out, and notes if the search is degraded.

        Raises:
            GateFirst: The conversation of a group has not read the group's gate yet.
        """
        return self.services.recall.recall(query, now, options)

    # Shared spaces

    def shared_recall(
        self,
        query: str = "",
        *,
        spaces: Sequence[str] | None = None,
        now: str | None = None,
        **options: Unpack[RecallOptions],
    ) -> SharedAnswer:
        """Find what the shared spaces of this session have on a question, best first.

        Args:
            query: A question in plain words, or ids.
            spaces: Only these spaces. A name can only leave spaces out, never add one.
            now: ISO time from which "last week" and the like are counted.
            **options: The options of `recall`.

        Returns:
            The answer of `recall`, with the space and the author of every entry. It is empty if no
            space is granted to this session.
        """
        return self._shared.recall(query, now, spaces, options)

    def shared_store(
        self, space: str, *, expected_version: int | None = None, **memory: Unpack[Memory]
    ) -> SharedReceipt:
        """Store a memory in a shared space, or propose it where this session may not write.

        Args:
            space: One of the spaces of this session.
            expected_version: The version of the entry in `supersedes` that was read.
            **memory: The fields of `store`.

        Returns:
            A receipt with the id of the entry or of the proposal, or with a conflict: both texts.
        """
        return self._shared.store(space, memory, expected_version)

    def shared_proposals(
        self,
        *,
        accept: Sequence[str] = (),
        decline: Sequence[str] = (),
        spaces: Sequence[str] | None = None,
    ) -> Proposals:
        """List what waits to be accepted in shared spaces, and accept or decline it.

        Args:
            accept: Ids of proposals to store, under the name of their author.
            decline: Ids of proposals to remove.
            spaces: Only these spaces.
        """
        return self._shared.proposals(accept, decline, spaces)

    def shared_handle(
        self,
        name: str,
        *,
        spaces: Sequence[str],
        level: Level = "read",
        tools: Sequence[str] | None = None,
        expires_in: str = "2h",
    ) -> IssuedHandle:
        """Give a sub-agent access to shared spaces; the handle is its `session_token`.

        Args:
            name: A name for the sub-agent; it is named as the author of what it stores.
            spaces: Spaces of this session.
            level: `read` (default), `propose` or `write`, at most what this session may do.
            tools: Only these tools, instead of all that the level needs.
            expires_in: How long it is valid, such as `30m`; at most a day. It also ends with this
                conversation.
        """
        from remem.app.services.handles import give_handle

        return give_handle(
            self._shared, name, spaces, level=level, tools=tools, expires_in=expires_in
        )

    @property
    def spaces(self) -> SharingService:
        """The owner's operations on shared spaces: create, grant, revoke, share, unshare, log."""
        return self.services.sharing

    @property
    def _shared(self) -> SpaceService:
        return self.services.spaces

    def entry(self, id_: str) -> Entry:
        """Return the current version of an entry, archived or not."""
        return self.services.entries.find(id_)

    def entries(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        archived: bool = False,
        limit: int | None = 20,
    ) -> list[Entry]:
        """List entries, the latest change first.

        Args:
            category: Only this category.
            priority: Only this priority.
            tag: Only entries with this tag.
            archived: List archived and replaced entries instead of active ones.
            limit: The maximum number of entries; None for all.

        Raises:
            GateFirst: The conversation of a group has not read the group's gate yet.
        """
        self.services.gate_guard.require()
        state: State = "archived" if archived else "live"
        where = Where(state=state, category=category, priority=priority, tag=tag)
        return self.services.entries.select(where, limit)

    def recent(self, limit: int = 10) -> list[Version]:
        """Return the latest version of the entries that changed last, archived ones included.

        Entries that are waiting for review are left out. Each version says when it was made and
        why: stored, edited, reinforced, archived …
        """
        self.services.gate_guard.require()
        return self.services.entries.recent(limit)

    def edit(
        self,
        id_: str,
        *,
        content: str | None = None,
        category: Category | None = None,
        priority: Priority | None = None,
        tags: Sequence[str] | None = None,
        context: str | None = None,
        expires: str | None = None,
    ) -> Entry:
        """Change an entry; its earlier wording stays in its history. Owner only.

        Args:
            id_: The id of an active entry.
            content: The new wording.
            category: The new category.
            priority: The new priority.
            tags: The new tags, which replace the old ones.
            context: Why it is stored.
            expires: ISO date after which it is archived.

        Returns:
            The new version, or the current one if nothing changed.
        """
        from remem.entries.edit import EntryChanges

        changes = EntryChanges(content, category, priority, tags, context, expires)
        return self.services.entries.edit(id_, changes)

    def guess_category(self, content: str) -> tuple[Category, str]:
        """Return the category that migration would give to a statement, and the reason."""
        from remem.extract.judge import judge
        from remem.model.statement import Place

        judged = judge(content, Place())
        return judged.category, judged.why

    def history(self, id_: str) -> list[Version]:
        """Return all versions of an entry, oldest first."""
        return self.services.entries.history(id_)

    def forget(self, id: str) -> ForgetReport:  # noqa: A002 - the tool's parameter
        """Archive an entry: recall and the files omit it, but it can still be read by its id."""
        return self.services.entries.forget(id)

    def reinforce(self, id: str) -> ReinforceReport:  # noqa: A002 - the tool's parameter
        """Mark an entry as still relevant: it fades more slowly; a faded one is restored."""
        return self.services.entries.reinforce(id)

    def erase(self, id_: str, *, entity: str | None = None) -> ErasureReport:
        """Remove an entry or a fact permanently, with all its earlier wordings; only the owner.

        Args:
            id_: The id of an entry or, in main, of a fact.
            entity: The entity of the fact, if several facts have this id.

        Returns:
            What was erased, and the files that still contain the text because a person wrote it.
        """
        return self.services.erasure.erase(id_, entity)

    def index(self) -> Index:
        """Return the index: the short text with which every conversation should begin."""
        return self.services.entries.index()

    def index_pin(
        self, *what: str, text: str | None = None, category: Category = "fact"
    ) -> Verdicts:
        """Always show these lines in the index. Owner only.

        Args:
            what: Ids of entries, numbers of lines of the index, or the text of a new line, which
                is stored.
            text: A wording to show instead of a single line, until its entry changes.
            category: The category of a new line.
        """
        return self.services.curation.pin(what, text, category)

    def index_drop(self, *what: str) -> Verdicts:
        """Leave entries or lines out of the index; recall still finds them. Owner only."""
        return self.services.curation.drop(what)

    def index_order(self, *what: str) -> Verdicts:
        """Put lines of the index in this order, at the topmost of their positions. Owner only."""
        return self.services.curation.order(what)

    def curate(
        self,
        verdicts: Sequence[Mapping[str, Any]] = (),
        topic: str | None = None,
        token_budget: int = 6000,
    ) -> Curation:
        """Return the next items that need a judgement or, if there are verdicts, their outcomes.

        The owner's verdicts apply at once. An agent's verdicts apply at once to entries that agents
        stored, and are proposals otherwise.

        Args:
            verdicts: Mappings with an `answer` (keep, drop, pin, reword, merge, recategorise), the
                `items` it is about and, if needed, `text`, `category`, `into` and `why`.
            topic: Return only items of this topic: `index`, `line` (lines of files that are not
                stored), `review`, `duplicate` or `contradiction`; all topics by default.
            token_budget: The maximum cost of the items in tokens.
        """
        return self.services.curation.curate(verdicts, topic, token_budget)

    def curate_with_model(self, topic: str | None = None, token_budget: int = 6000) -> Curation:
        """Let the configured language model judge the next items.

        Its verdicts on the owner's lines are proposals.
        """
        return self.services.curation.ask_model(topic, token_budget)

    def accept_verdicts(self, *numbers: int) -> Curation:
        """Apply the proposed verdicts with these numbers, or all of them. Owner only."""
        return self.services.curation.accept(numbers)

    def decline_verdicts(self, *numbers: int) -> Verdicts:
        """Decline the proposed verdicts with these numbers, or all of them. Owner only.

        They are not proposed again.
        """
        return self.services.curation.decline(numbers)

    def verdicts(self) -> Verdicts:
        """Return all verdicts on this memory, oldest first. Owner only."""
        return self.services.curation.all()

    def undo_verdict(self, number: int | None = None) -> Verdicts:
        """Undo the verdict with this number, or the last one. Owner only."""
        return self.services.curation.undo(number)

    def graph_query(
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
            token_budget: The maximum cost of the rows in tokens.
        """
        view = self.services.graph.view(as_of, history=history, untrusted=untrusted)
        return self.services.graph.query(query, params or {}, view, token_budget)

    def graph_view(
        self, view: str, *names: str, since: str | None = None, token_budget: int = 3000
    ) -> GraphAnswer:
        """Return a prepared view of the graph, without Cypher.

        Args:
            view: `show` (the relations of a thing), `neighbours` (the things near it), `path` (how
                two things are connected) or `changes` (relations that began or ended).
            names: The names of one thing, or of two for `path`.
            since: For `changes`, only changes since this ISO date.
            token_budget: The maximum cost of the rows in tokens.
        """
        return self.services.graph.show(view, names, since, token_budget)

    def copy_graph(self, url: str = "", *, progress: Callable[[str], None] = _ignore) -> SyncReport:
        """Copy what is true now to a graph server, such as Neo4j; only the owner.

        Only the difference to the last copy is written, and nothing else on the server is touched.
        The name and password are those of NEO4J_USERNAME and NEO4J_PASSWORD.

        Args:
            url: The server, such as `neo4j://127.0.0.1:7687`; by default the configured one.
            progress: Called with what has been written so far.
        """
        return self.services.graph.copy_to(url, progress)

    def graph_ingest(self, statements: Sequence[Mapping[str, Any]]) -> IngestReport:
        """Store relations between named things as entries.

        A statement has a subject, a relation and an object, such as Ann, `works at` and Acme.
        Entities with observations, in the format of the MCP memory server, are accepted too. A
        statement that is already stored is reinforced.
        """
        return self.services.graph.ingest(statements)

    def review(self) -> list[Entry]:
        """Return the untrusted entries, with the category and priority they would be given.

        They wait for the owner, who can `confirm` or `dismiss` them.
        """
        return self.services.entries.untrusted()

    def confirm(self, id_: str) -> Entry:
        """Give an untrusted entry the owner's trust; a fact that waits for review is recorded."""
        return self.services.facts.confirm(id_)

    def dismiss(self, id_: str) -> Entry:
        """Archive an untrusted entry."""
        return self.services.entries.dismiss(id_)

    def decay(self, *, dry_run: bool = False, explain: bool = False) -> DecayReport:
        """Archive low-priority entries that have not been used for a long time. Owner only.

        Args:
            dry_run: Only report what would be archived.
            explain: Add the reasons for every entry.
        """
        return self.services.maintenance.decay(dry_run=dry_run, explain=explain)

    def undo_decay(self) -> UndoneDecay:
        """Restore what the last `decay` archived."""
        return self.services.maintenance.undo_decay()

    def export(self, *, file_format: ExportFormat = "remem") -> Iterator[str]:
        """Return all entries with their history as JSON Lines, as of one point in time.

        The lines are signed, so that `import_lines` recognises them in this workspace. With the
        format `mcp-memory`, return the statements about named things in the format of the MCP
        memory server's `memory.jsonl`.
        """
        from remem.model.arguments import EXPORT_FORMATS, one_of

        if one_of(file_format, EXPORT_FORMATS, "file_format") == "mcp-memory":
            return self.services.knowledge.export()
        return self.services.transfer.export()

    def import_lines(
        self,
        lines: Callable[[], Iterable[bytes]],
        *,
        trust: Trust | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = _ignore,
    ) -> ImportReport:
        """Import lines of `export`, memories as JSON objects, or a `memory.jsonl`.

        The latter is the file of the MCP memory server. All lines are checked first.

        Lines that this workspace exported are restored exactly. Others get the agent's trust, and
        wait for review if they are instructions or critical.

        Args:
            lines: A function that returns the lines; it is called once.
            trust: `owner` if you vouch for every line; a lower level limits the trust of all lines.
            dry_run: Import into a temporary copy, and only report the result.
            progress: Called with the number of lines imported so far.
        """
        transfer = self.services.transfer
        return transfer.import_lines(lines, trust=trust, dry_run=dry_run, progress=progress)

    # Files and conversations

    def search(
        self,
        query: str,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: Corpus | None = None,
    ) -> SearchResult:
        """Search the memory files, and transcripts where the settings allow it.

        Args:
            query: A question, or some of its words.
            max_results: The maximum number of results; 6 by default.
            min_score: The minimum relevance, from 0 to 1; age does not count.
            corpus: `memory`, `sessions` or `all`.

        Returns:
            Passages with their paths and lines, best first; or why search is unavailable.
        """
        return self.services.files.search(query, max_results, min_score, corpus)

    def get(
        self,
        path: str,
        from_line: int | None = None,
        lines: int | None = None,
        corpus: Corpus | None = None,
    ) -> Excerpt:
        """Read lines of a memory file, unchanged.

        Args:
            path: The path of a result, relative to the workspace.
            from_line: The first line; 1 by default.
            lines: How many lines.
            corpus: `memory` or `sessions`.

        Returns:
            The lines, including everything stored before this call, or why they may not be read.
        """
        return self.services.files.get(path, from_line, lines, corpus)

    def open(self, message: str) -> OpenResult:
        """Load the gate and the one file that a message needs, with a trace of each step.

        A conversation gets a few files at most; `end_conversation` resets the count.
        """
        return self.services.room.open(message)

    def start(self) -> Start:
        """Return the text that a host puts into a new conversation of this session."""
        return self.services.start_text.start()

    def refresh(
        self,
        progress: Callable[[int, int], None] = _ignore,
        *,
        with_vectors: bool = False,
        vectors_made: Callable[[int], None] = _ignore,
    ) -> Refreshed:
        """Read changed files for search, without a time limit; `search` reads them automatically.

        Args:
            progress: Called with the number of files read and the total number.
            with_vectors: Make the missing vectors of entries and passages too.
            vectors_made: Called with the number of vectors made so far.
        """
        services = self.services
        done = services.freshness.run(progress)
        if not with_vectors:
            return done
        entries = services.sync.embed_pending(vectors_made)
        services.freshness.embed(lambda made: vectors_made(entries + made))
        return replace(done, without_vector=services.freshness.missing_vectors())

    # Notes and facts (main only)

    def note(self, text: str, *, keep_secrets: bool = False) -> NoteReceipt:
        """Append to today's note; once this returns, the text survives a power cut.

        Args:
            text: One or more lines.
            keep_secrets: Do not mask secrets; only for the owner.
        """
        return self.services.facts.note(text, keep_secrets=keep_secrets)

    def record_fact(
        self, entity: str, fact: str, *, keep_secrets: bool = False, **fields: Unpack[FactFields]
    ) -> FactAnswer:
        """Record a fact about an entity, which is created if it is new.

        Args:
            entity: A name or id of a person, project or thing.
            fact: One self-contained statement; the same statement is recorded once.
            category: What the fact is about, such as `status` or `preference`.
            timestamp: ISO date since when it is true; today by default.
            source: How it is known; `conversation` by default.
            origin: Where it was said, as `path#L4-L5`; this conversation by default.
            kind: What the entity is, such as `person`.
            trust: `untrusted` makes it wait for review.
            keep_secrets: Do not mask secrets; only for the owner.

        Returns:
            The fact, and facts that contradict it, which stay until one is superseded.
        """
        return self.services.facts.record(entity, fact, fields, keep_secrets=keep_secrets)

    def supersede_fact(
        self,
        id_: str,
        fact: str,
        *,
        entity: str | None = None,
        keep_secrets: bool = False,
        **fields: Unpack[FactFields],
    ) -> FactAnswer:
        """Replace a fact with another; the old one is kept, marked as superseded.

        Args:
            id_: The id of the old fact.
            fact: The new statement.
            entity: The entity of the fact, if several facts have this id.
            keep_secrets: Do not mask secrets; only for the owner.
            fields: As for `record_fact`.
        """
        return self.services.facts.supersede(id_, fact, entity, fields, keep_secrets=keep_secrets)

    def facts(
        self,
        entity: str | None = None,
        *,
        as_of: str | None = None,
        id_: str | None = None,
        limit: int | None = None,
    ) -> FactAnswer:
        """Return the active facts, of one entity or of all.

        Args:
            entity: A name or id.
            as_of: ISO date; list the facts that were active at the end of that day.
            id_: Only the fact with this id.
            limit: The maximum number of facts.
        """
        from remem.learn.facts.answers import list_facts

        return list_facts(self.services.facts.known(), entity, as_of, limit, id_)

    def fact_history(
        self, entity: str | None = None, *, id_: str | None = None, limit: int | None = None
    ) -> FactAnswer:
        """Return all facts about an entity, including superseded ones.

        With `id_`, return that fact with its predecessors and successors.
        """
        from remem.learn.facts.answers import list_history

        return list_history(self.services.facts.known(), entity, id_, limit)

    def fact_contradictions(self) -> FactAnswer:
        """Return the active facts that contradict another fact of the same entity."""
        from remem.learn.facts.answers import list_contradictions

        return list_contradictions(self.services.facts.known())

    def entities(self) -> FactAnswer:
        """Return all entities that have facts."""
        from remem.learn.facts.answers import list_entities

        return list_entities(self.services.facts.known())

    def alias_entity(self, entity: str, aliases: Sequence[str]) -> FactAnswer:
        """Add other names to an entity."""
        return self.services.facts.alias(entity, aliases)

    def merge_entities(self, entity: str, into: str) -> FactAnswer:
        """Treat two entities as one; their facts remain in their files."""
        return self.services.facts.merge(entity, into)

    def unmerge_entity(self, entity: str) -> FactAnswer:
        """Undo `merge_entities`."""
        return self.services.facts.unmerge(entity)

    def keep_entities_apart(self, entity: str, into: str) -> FactAnswer:
        """Record that two entities are not the same, so that merging them is not proposed."""
        return self.services.facts.keep_apart(entity, into)

    # Learning

    def flush(self, items: Iterable[Mapping[str, Any]] = (), reason: str = "remem") -> FlushResult:
        """Write the lessons of a conversation into memory; repeating the call changes nothing.

        Args:
            items: Mappings with `kind` and `text`, and optionally `project`, `topic`, `status`,
                `why` and `trust`.
            reason: Why it is flushed now; recorded in the state of flushes.

        Returns:
            The items that were written, known before, or refused, with places and reasons.
        """
        return self.services.flushes.flush(items, reason)

    def flush_transcript(
        self,
        transcript: str | Path,
        reason: str = "remem",
        *,
        project: str | Path | None = None,
    ) -> FlushResult:
        """Flush a host's transcript from where it was last read.

        Args:
            transcript: The file that the host wrote.
            reason: Why it is flushed, for the record.
            project: The folder that the conversation was about, if not that of this session.
        """
        return self.services.flushes.flush_transcript(transcript, reason, project)

    def flush_idle(self) -> list[FlushResult]:
        """Flush the conversations that have been idle for half an hour, once each."""
        return self.services.flushes.flush_idle()

    def heartbeat(self, days: int = 7, progress: Callable[[int, int], None] = _ignore) -> Heartbeat:
        """Store lasting statements from recent conversations and, in main, from daily notes.

        Args:
            days: How far back to read; texts that were read before are not read again.
            progress: Called with the number of conversations read and the number of all.
        """
        return self.services.learning.heartbeat(days, progress)

    def consolidate(
        self,
        days: int = 60,
        *,
        explain: bool = False,
        progress: Callable[[int, int], None] = _ignore,
    ) -> Consolidation:
        """Store statements that recur in several conversations, after a `heartbeat`.

        Args:
            days: How far back.
            explain: Also list statements that were not stored, and why.
            progress: Called with the number of conversations read and the number of all.

        Returns:
            The stored statements with reasons, and the contradictions that were found.
        """
        return self.services.learning.consolidate(days, explain=explain, progress=progress)

    def undo_consolidation(self) -> UndoResult:
        """Undo the last `consolidate`, except for entries and facts that have changed since."""
        return self.services.learning.undo_consolidation()

    def synthesize(
        self, entities: Sequence[str] = (), progress: Callable[[str], None] = _ignore
    ) -> Synthesis:
        """Write the summaries of entities; text that a person wrote in them is kept.

        Args:
            entities: Names or ids. Without any, all summaries are written, and also
                `main/longterm.md` and `main/daily-synced.md`.
            progress: Called with the path of each page.
        """
        return self.services.summaries.synthesize(entities, progress)

    # MEMORY.md (changed by the owner only)

    def graduate(
        self, *, explain: bool = False, progress: Callable[[str], None] = _ignore
    ) -> Graduation:
        """Propose lines for MEMORY.md; nothing is changed.

        Args:
            explain: Also list lines that are not proposed, and why.
            progress: Called with the path of each note.
        """
        return self.services.summaries.graduate(explain=explain, progress=progress)

    def graduation(self, ids: Sequence[str]) -> Change:
        """Return the change to MEMORY.md that the proposals with these ids would make."""
        return self.services.summaries.graduation(ids)

    def graduate_apply(self, change: Change) -> Graduated:
        """Write a change returned by `graduation`, unless MEMORY.md has been edited since."""
        return self.services.summaries.apply(change)

    def graduate_decline(self, ids: Sequence[str]) -> Declined:
        """Do not propose the lines with these ids again."""
        return self.services.summaries.decline(ids)

    def graduate_undo(self) -> Undone:
        """Undo the last `graduate_apply`; later edits are kept."""
        return self.services.summaries.undo()

    def audit(
        self,
        scope: AuditScope = "all",
        recommend: bool = False,
        *,
        tools: str = "",
        progress: Callable[[str], None] = _ignore,
    ) -> Audit:
        """Measure the cost of the memory in tokens; find duplicates, contradictions and noise.

        Args:
            scope: `all`, `memory_md`, `domains` or `system_prompt`.
            recommend: Add recommendations with their savings and risks.
            tools: The text of the tools that a host puts into every conversation, if any.
            progress: Called with each step.
        """
        return self.services.audit.audit(scope, recommend=recommend, tools=tools, progress=progress)

    def audit_proposal(self, number: int, progress: Callable[[str], None] = _ignore) -> Proposal:
        """Return the change that a recommendation would make.

        `number` is its number in an audit of everything.
        """
        return self.services.audit.propose(number, progress)

    def audit_apply(self, proposal: Proposal) -> Applied:
        """Apply a proposal, unless MEMORY.md has been edited since."""
        return self.services.audit.apply(proposal)

    def audit_undo(self) -> Undone:
        """Undo the last `audit_apply`; later edits are kept."""
        return self.services.audit.undo()

    # Setup and care

    def migrate(
        self,
        *,
        only: Sequence[str] = (),
        exclude: Sequence[str] = (),
        dry_run: bool = False,
        progress: Callable[[int, int], None] = _ignore,
    ) -> Migration:
        """Store the statements of MEMORY.md, USER.md and the notes as entries; main only.

        The files are not changed. Repeating the migration stores only what is new.

        Args:
            only: Patterns of the files to read, such as `memory/2026-*`; by default all.
            exclude: Patterns of files to leave out.
            dry_run: Migrate into a temporary copy, and only report the result.
            progress: Called with the number of files read and the total number.
        """
        from remem.setup.migrate.sources import Choice

        choice = Choice(tuple(only), tuple(exclude))
        return self.services.setup.migrate(choice, dry_run=dry_run, progress=progress)

    def undo_migration(self) -> UndoneMigration:
        """Undo the last migration; main only.

        Its entries are archived, and entries that it changed are restored. What was changed since
        is kept and listed.
        """
        return self.services.setup.undo_migration()

    def validate(self, progress: Callable[[str], None] = _ignore) -> Validation:
        """Run the six checks that a memory must pass before it is activated; main only."""
        return self.services.setup.validate(progress)

    def activate(
        self,
        approve: Callable[[str], bool] = lambda _diff: True,
        progress: Callable[[str], None] = _ignore,
    ) -> Activated:
        """Add a section about this memory to AGENTS.md if all checks pass. Owner only.

        Args:
            approve: Called with the change as a unified diff and the lines that conversations no
                longer start with; False leaves the file as it is.
            progress: Called with each step of the validation.
        """
        return self.services.setup.activate(approve, progress)

    def rollback(self) -> RolledBack:
        """Undo `activate`: AGENTS.md is restored byte for byte."""
        return self.services.setup.roll_back()

    def status(self) -> Status:
        """Return the content and cost of the memory, and what is degraded."""
        return self.services.maintenance.status(self.services.problems)

    def rebuild(
        self, progress: Callable[[str], None] = _ignore, *, form: Form | None = None
    ) -> RebuildReport:
        """Drop everything that is derived from the entries and rebuild it.

        `form` chooses where domain files keep metadata from now on: `new`, at the end of the file,
        or `old`, in comments on the entries' lines.
        """
        return self.services.maintenance.rebuild(progress, form)

    def restore_from_files(self) -> RebuildReport:
        """Restore the entries of a lost database from the domain files."""
        return self.services.maintenance.restore_from_files()

    def embed_pending(self, progress: Callable[[int], None] = _ignore) -> int:
        """Make the missing vectors of entries now, and return how many were made."""
        return self.services.sync.embed_pending(progress)
