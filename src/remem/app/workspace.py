"""The Workspace: every operation on a memory, bound to one session.

This is the public interface: the everyday methods, and attributes for the other topics, such as
`workspace.facts`. Each method hands its arguments to a service, which does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from remem.app import ignore_progress
from remem.app.composition import Services
from remem.app.context import Resources
from remem.files.private_paths import PrivatePaths
from remem.model.arguments import EXPORT_FORMATS, one_of
from remem.model.entry import CATEGORIES, PRIORITIES
from remem.model.scope import Scope, Session
from remem.ports.records import Where

if TYPE_CHECKING:
    from remem.admin.audit.result import Audit
    from remem.admin.curate.result import Curation
    from remem.admin.status import Status
    from remem.app.facades.curation import CurationFacade
    from remem.app.facades.facts import FactsFacade
    from remem.app.facades.graph import GraphFacade
    from remem.app.facades.maintenance import MaintenanceFacade
    from remem.app.facades.memory_md import GraduationFacade, RecommendationsFacade
    from remem.app.facades.setup import SetupFacade
    from remem.app.facades.spaces import SpacesFacade
    from remem.app.services.spaces import SpaceService
    from remem.disclose.get import Excerpt
    from remem.disclose.open.result import OpenResult
    from remem.disclose.start import StartText
    from remem.entries.draft import Memory
    from remem.entries.erase import ErasureReport
    from remem.entries.index import Index
    from remem.entries.lifecycle import ForgetReport, ReinforceReport
    from remem.entries.receipt import Receipt
    from remem.entries.transfer import ImportReport
    from remem.learn.daily_note import NoteReceipt
    from remem.learn.flush.result import FlushResult
    from remem.model.arguments import AuditScope, Corpus, ExportFormat
    from remem.model.entry import Category, Entry, Priority, Trust, Version
    from remem.search.answer.answer import Answer
    from remem.search.passages.snippet import SearchResult
    from remem.search.query.question import RecallOptions
    from remem.search.refresh.refresh import RefreshReport


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
        """The tools that the host is offered: `legacy`, `core`, `full` or `mcp-memory`."""
        return self._services.context.profile

    @property
    def private_paths(self) -> PrivatePaths:
        """Paths that answers for this session must not contain; none for the owner."""
        return self._services.context.private_paths

    @property
    def problems(self) -> list[str]:
        """One sentence for each part that does not work at present; empty if all is well."""
        return self.services.problems()

    @property
    def keyword_only(self) -> str | None:
        """Why search uses keywords only; None if it uses a model, or if `embedder` is "none"."""
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

    def __repr__(self) -> str:
        root = self._services.context.layout.root
        return f"<remem workspace {str(root)!r}, session {self.session.key!r}>"

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
        self, memories: Iterable[Memory], progress: Callable[[int], None] = ignore_progress
    ) -> list[Receipt]:
        """Store many memories, thousands per transaction.

        Args:
            memories: Dictionaries with the fields of `store`. All memories without an origin get
                the same one, so that repeating the call adds nothing.
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
        self.services.require_gate()
        where = Where(
            state="archived" if archived else "live",
            category=category and one_of(category, CATEGORIES, "category"),
            priority=priority and one_of(priority, PRIORITIES, "priority"),
            tag=tag,
        )
        return self.services.entries.select(where, limit)

    def recent(self, limit: int = 10) -> list[Version]:
        """Return the latest version of the entries that changed last, archived ones included.

        Entries that wait for review are left out. Each version says when and why it was made.
        """
        self.services.require_gate()
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

        judgement = judge(content, Place())
        return judgement.category, judgement.why

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
        """Remove an entry or a fact permanently, with all its earlier wordings. Owner only.

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

    def review(self) -> list[Entry]:
        """Return the untrusted entries, which the owner can `confirm` or `dismiss`. Owner only.

        Each has the category and the priority that it would get if it were confirmed.
        """
        return self.services.entries.untrusted()

    def confirm(self, id_: str) -> Entry:
        """Give an untrusted entry the owner's trust; a fact that waits for review is recorded.

        Owner only.
        """
        return self.services.facts.confirm(id_)

    def dismiss(self, id_: str) -> Entry:
        """Archive an untrusted entry. Owner only."""
        return self.services.entries.dismiss(id_)

    def export(self, *, file_format: ExportFormat = "remem") -> Iterator[str]:
        """Return all entries with their history as JSON Lines, as of one point in time.

        The lines are signed, so that `import_lines` recognises them in this workspace. With the
        format `mcp-memory`, return the statements about named things in the format of the MCP
        memory server's `memory.jsonl`.
        """
        if one_of(file_format, EXPORT_FORMATS, "file_format") == "mcp-memory":
            return self.services.knowledge.export()
        return self.services.transfer.export()

    def import_lines(
        self,
        lines: Callable[[], Iterable[bytes]],
        *,
        trust: Trust | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = ignore_progress,
    ) -> ImportReport:
        """Import lines of `export`, memories as JSON objects, or lines of a `memory.jsonl`.

        A `memory.jsonl` is the file of the MCP memory server. All lines are checked before the
        first is stored. Lines that this workspace exported are restored exactly. Others get the
        agent's trust, and wait for review if they are instructions or critical.

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
            Passages with their paths and lines, best first.

        Raises:
            GateFirst: The gate of this group has to be read first.
            NotAllowed: The settings do not allow searching transcripts.
            StoreError: The files cannot be searched.
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
            The lines, including everything stored before this call.

        Raises:
            NotAllowed: The session may not read this file, or not yet.
            FileError: The file does not exist or cannot be read.
        """
        return self.services.files.get(path, from_line, lines, corpus)

    def open(self, message: str) -> OpenResult:
        """Load the gate and the one file that a message needs, with a trace of each step.

        A conversation gets a few files at most; `end_conversation` resets the count.
        """
        return self.services.room.open(message)

    def start(self) -> StartText:
        """Return the text that a host puts into a new conversation of this session."""
        return self.services.start_text.start()

    def refresh(
        self,
        progress: Callable[[int, int], None] = ignore_progress,
        *,
        with_vectors: bool = False,
        vector_progress: Callable[[int], None] = ignore_progress,
    ) -> RefreshReport:
        """Read changed files for search, without a time limit; `search` reads them automatically.

        Args:
            progress: Called with the number of files read and the total number.
            with_vectors: Make the missing vectors of entries and passages too.
            vector_progress: Called with the number of vectors made so far.
        """
        services = self.services
        report = services.freshness.run(progress)
        if not with_vectors:
            return report
        entries = services.sync.embed_pending(vector_progress)
        services.freshness.embed(lambda passages: vector_progress(entries + passages))
        return replace(report, without_vector=services.freshness.missing_vectors())

    def note(self, text: str, *, keep_secrets: bool = False) -> NoteReceipt:
        """Append to today's note, in main; once this returns, the text survives a power cut.

        Args:
            text: One or more lines.
            keep_secrets: Do not mask secrets; only for the owner.
        """
        return self.services.facts.note(text, keep_secrets=keep_secrets)

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
            project: The folder that the conversation was about, if it is not the folder of this
                session.
        """
        return self.services.flushes.flush_transcript(transcript, reason, project)

    # Curation and audits

    def curate(
        self,
        verdicts: Sequence[Mapping[str, Any]] = (),
        topic: str | None = None,
        token_budget: int = 8000,
    ) -> Curation:
        """Return the lines of the index and other items to judge; apply verdicts on them.

        With verdicts, the result is the index after them. The owner's verdicts apply at once. An
        agent's verdicts apply at once to entries that agents stored; the others are proposals.

        Args:
            verdicts: Mappings with an `answer` (keep, drop, pin, reword, merge, recategorise), the
                `items` it is about and, if needed, `text`, `category`, `into` and `why`.
            topic: Return only items of this topic: `index`, `line` (lines that are not in the
                index), `review`, `duplicate` or `contradiction`; all topics by default.
            token_budget: The maximum cost of the items in tokens.
        """
        return self.services.curation.curate(verdicts, topic, token_budget)

    def audit(
        self,
        scope: AuditScope = "all",
        recommend: bool = False,
        *,
        tools: str = "",
        progress: Callable[[str], None] = ignore_progress,
    ) -> Audit:
        """Measure the cost of the memory in tokens; find duplicates, contradictions and noise.

        Args:
            scope: `all`, `memory_md`, `domains` or `system_prompt`.
            recommend: Add recommendations with their savings and risks.
            tools: The text of the tools that a host puts into every conversation, if any.
            progress: Called with each step.
        """
        return self.services.audit.audit(scope, recommend=recommend, tools=tools, progress=progress)

    def status(self) -> Status:
        """Return the content and cost of the memory, and what is degraded."""
        return self.services.maintenance.status(self.services.problems)

    # Topics

    @property
    def facts(self) -> FactsFacade:
        """Facts about people, projects and things, in main."""
        from remem.app.facades.facts import FactsFacade

        return FactsFacade(self.services)

    @property
    def graph(self) -> GraphFacade:
        """The graph of memories, things and daily notes, in Cypher and in prepared views."""
        from remem.app.facades.graph import GraphFacade

        return GraphFacade(self.services)

    @property
    def curation(self) -> CurationFacade:
        """The lines of the index, and verdicts on entries that need a judgement."""
        from remem.app.facades.curation import CurationFacade

        return CurationFacade(self.services)

    @property
    def spaces(self) -> SpacesFacade:
        """Memories that several sessions share, and who may use them."""
        from remem.app.facades.spaces import SpacesFacade

        return SpacesFacade(self._space_service, lambda: self.services.sharing)

    def _space_service(self) -> SpaceService:
        return self.services.spaces

    @property
    def graduation(self) -> GraduationFacade:
        """Lines that graduate to MEMORY.md when the owner approves."""
        from remem.app.facades.memory_md import GraduationFacade

        return GraduationFacade(self.services)

    @property
    def recommendations(self) -> RecommendationsFacade:
        """The recommendations of an audit, which the owner can apply."""
        from remem.app.facades.memory_md import RecommendationsFacade

        return RecommendationsFacade(self.services)

    @property
    def setup(self) -> SetupFacade:
        """Migrating existing files, checking the result, and activating it for agents."""
        from remem.app.facades.setup import SetupFacade

        return SetupFacade(self.services)

    @property
    def maintenance(self) -> MaintenanceFacade:
        """Learning from past conversations, decay, and rebuilding derived data."""
        from remem.app.facades.maintenance import MaintenanceFacade

        return MaintenanceFacade(self.services)
