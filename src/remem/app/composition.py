"""Build the services of a workspace from its resources, start them and close them.

Opening a workspace only connects to its stores. The first operation catches up with what happened
while the scope was closed: hand edits are stored, pending files are written, and interrupted
flushes, erasures and changes to shared spaces are finished.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from remem.app.context import Resources
from remem.app.searching import RecallService, SearchParts, recall_service
from remem.app.unfinished import InterruptedWork
from remem.entries.domain_sync.projector import Projector
from remem.entries.sync import Sync
from remem.ports import StoreDependencies

if TYPE_CHECKING:
    from remem.app.services.audit import AuditService
    from remem.app.services.curation import CurationService
    from remem.app.services.entries import EntryService
    from remem.app.services.erasure import ErasureService
    from remem.app.services.facts import FactService
    from remem.app.services.files import FileService
    from remem.app.services.flush import FlushService
    from remem.app.services.graph import GraphService
    from remem.app.services.knowledge import KnowledgeService
    from remem.app.services.layers import LayerService
    from remem.app.services.learning import LearningService
    from remem.app.services.maintenance import MaintenanceService
    from remem.app.services.rooms import RoomService
    from remem.app.services.setup import SetupService
    from remem.app.services.sharing import SharingService
    from remem.app.services.spaces import SpaceService
    from remem.app.services.start_text import StartService
    from remem.app.services.summaries import SummaryService
    from remem.app.services.transfer import TransferService
    from remem.app.workspace import Workspace
    from remem.disclose.gate_guard import GateGuard
    from remem.entries.background import BackgroundTask
    from remem.files.facts import FactFiles, KnownFacts
    from remem.learn.flush.state import FlushContext
    from remem.model.scope import Scope
    from remem.ports.passages import PassageStore
    from remem.search.passages.search import ScopeSearch
    from remem.search.qmd import QmdUpdater
    from remem.search.sync import Freshness


class Services:
    """The services of one opened workspace; each is created when it is first needed."""

    def __init__(self, resources: Resources) -> None:
        context = resources.context
        layout, scope = context.layout, context.scope
        config, clock = context.config, context.clock
        self.resources = resources
        self.context = context
        self.store = resources.store
        self.deps = StoreDependencies(resources.counter, config.topics, resources.random_bytes)
        projector = Projector(self.store, layout, scope, self.deps, clock, config.index_tokens)
        embedders = resources.models.embedders
        background = resources.background
        self.sync = Sync(self.store, projector, embedders, clock, config.topics, background)
        self.searching = SearchParts(resources, self.sync)
        self._qmd = self._qmd_updater()
        self._idle_timer: BackgroundTask | None = None
        self.unfinished = InterruptedWork(self)
        self._starting = threading.Lock()
        self._started = self._closed = False

    def start(self) -> None:
        """Catch up with what happened while the scope was closed; later calls do nothing."""
        with self._starting:
            if self._started or self._closed:
                return
            self.sync.start()
            if self.resources.background:
                self.freshness.start()
            self.unfinished.finish_flush()
            if self.resources.background and self.context.reads_transcripts:
                from remem.learn.flush.flush import start_idle_timer

                self._idle_timer = start_idle_timer(self.flushes.flush_idle)
            self.unfinished.finish_erasures()
            self.unfinished.finish_shares()
            self._started = True

    def close(self) -> None:
        """Finish the running work; what is left is done the next time the workspace is opened."""
        if self._closed:
            return
        self._closed = True
        if self._idle_timer is not None:
            self._idle_timer.close()
        try:
            if "spaces" in self.__dict__:
                self.spaces.close()
            if self._qmd is not None:
                self._qmd.close()
            self.searching.close()
            if self._started:
                self.sync.close()
        finally:
            self.store.close()
            self.resources.close()

    def problems(self) -> list[str]:
        """Return one sentence for each part that does not work at present."""
        problems = [
            *self.sync.problems(),
            *self.searching.problems(),
            *(self._qmd.problems() if self._qmd else []),
            self.resources.keyword_only,
            self._idle_timer.problem if self._idle_timer else None,
            *self.unfinished.problems(),
        ]
        return list(dict.fromkeys(problem for problem in problems if problem))

    def _qmd_updater(self) -> QmdUpdater | None:
        qmd = self.resources.qmd
        if qmd is None or not self.context.is_main:
            return None
        from remem.search.qmd import QmdUpdater  # few workspaces are used with QMD

        return QmdUpdater(self.context.layout, qmd, background=self.resources.background)

    def update_qmd(self) -> list[str]:
        """Make QMD read `brain/areas` again, if it is used; return its problems."""
        problem = self._qmd.on_change() if self._qmd else None
        return [problem] if problem else []

    @property
    def passages(self) -> PassageStore:
        return self.searching.passages

    @property
    def freshness(self) -> Freshness:
        return self.searching.freshness

    @property
    def scope_search(self) -> ScopeSearch:
        return self.searching.scope_search

    @cached_property
    def flush_context(self) -> FlushContext:
        from remem.learn.flush.state import FlushContext

        context = self.context
        layout, scope, zone, clock = context.layout, context.scope, context.zone, context.clock
        conversation, project = context.conversation, context.project
        return FlushContext(
            self.store, layout, scope, self.deps, zone, clock, conversation, project
        )

    @cached_property
    def fact_files(self) -> FactFiles:
        from remem.files.facts import FactFiles

        return FactFiles(self.context.layout)

    def known_facts(self) -> KnownFacts | None:
        """Return the facts of main; None in other scopes and if there are no fact files."""
        from remem.files.memory_files import has_facts

        if self.context.is_main and has_facts(self.context.layout):
            return self.fact_files()
        return None

    @cached_property
    def gate_guard(self) -> GateGuard:
        from remem.disclose.gate_guard import GateGuard
        from remem.files.conversations import ConversationRecord

        context = self.context
        conversations = ConversationRecord(
            context.layout, context.session, context.conversation, context.clock
        )
        return GateGuard(context.layout, context.scope, conversations)

    def require_gate(self) -> None:
        """Raise GateFirst if this conversation of a group has not read the group's gate yet.

        Otherwise note the activity, so that the record of what the conversation has read is kept.
        """
        if self.context.scope.kind == "group" or self.context.layout.conversations.exists():
            self.gate_guard.require()

    @cached_property
    def entries(self) -> EntryService:
        from remem.app.services.entries import EntryService

        return EntryService(self.context, self.store, self.sync, self.deps, self.known_facts)

    @cached_property
    def recall(self) -> RecallService:
        return recall_service(self)

    @cached_property
    def files(self) -> FileService:
        from remem.app.services.files import FileService

        search, resources = self.scope_search, self.resources
        return FileService(
            self.context, resources, self.sync, self.freshness, self.gate_guard, search
        )

    @cached_property
    def transfer(self) -> TransferService:
        from remem.app.services.transfer import TransferService

        store_copy = self.resources.store_copy
        return TransferService(self.context, self.store, self.sync, self.deps, store_copy)

    @cached_property
    def facts(self) -> FactService:
        from remem.app.services.facts import FactService

        rules = self.resources.rule_extractor
        return FactService(self.context, self.entries, self.fact_files, rules, self.update_qmd)

    @cached_property
    def flushes(self) -> FlushService:
        from remem.app.services.flush import FlushService

        transcripts, extractor = self.resources.transcripts, self.resources.extractor
        return FlushService(self.context, self.flush_context, self.sync, transcripts, extractor)

    @cached_property
    def learning(self) -> LearningService:
        from remem.app.services.learning import LearningService

        return LearningService(
            self.context, self.flushes, self.facts, self.resources.rule_extractor
        )

    @cached_property
    def start_text(self) -> StartService:
        from remem.app.services.start_text import StartService

        counter = self.resources.counter
        finish_flush = self.unfinished.finish_flush
        return StartService(
            self.context, self.store, counter, self.entries.index_text, finish_flush
        )

    @cached_property
    def room(self) -> RoomService:
        from remem.app.services.rooms import RoomService

        models, counter = self.resources.models, self.resources.counter
        time_limit = self.scope_search.time_limit
        return RoomService(self.context, models, counter, self.gate_guard, time_limit)

    @cached_property
    def setup(self) -> SetupService:
        from remem.app.services.setup import SetupService

        return SetupService(
            self.context, self.resources, self.entries, self.recall, self.files, self.start_text
        )

    @cached_property
    def audit(self) -> AuditService:
        from remem.app.services.audit import AuditService

        return AuditService(self.context, self.entries, self.start_text, self.resources.models)

    @cached_property
    def summaries(self) -> SummaryService:
        from remem.app.services.summaries import SummaryService

        extractor, chat = self.resources.extractor, self.resources.chat
        return SummaryService(self.context, self.store, extractor, chat, self.resources.qmd)

    @cached_property
    def graph(self) -> GraphService:
        from remem.app.services.graph import GraphService

        server = self.resources.graph_server
        return GraphService(
            self.context, self.entries, self.gate_guard, self.known_facts, self.passages, server
        )

    @cached_property
    def knowledge(self) -> KnowledgeService:
        from remem.app.services.knowledge import KnowledgeService

        return KnowledgeService(self.entries, self.gate_guard)

    @cached_property
    def curation(self) -> CurationService:
        from remem.admin.curate.conversation_lines import ConversationLines
        from remem.app.services.curation import CurationService

        resources = self.resources
        lines = ConversationLines(resources.transcripts, resources.rule_extractor)
        return CurationService(self.context, resources, self.entries, self.gate_guard, lines)

    @cached_property
    def erasure(self) -> ErasureService:
        from remem.app.services.erasure import ErasureService

        return ErasureService(
            self.context,
            self.store,
            self.passages,
            self.sync,
            self.freshness,
            self.facts,
            self.summaries,
            withdraw_copies=self.sharing.unshare_all,
        )

    @cached_property
    def maintenance(self) -> MaintenanceService:
        from remem.app.services.maintenance import MaintenanceService

        return MaintenanceService(
            self.context, self.resources, self.entries, self.passages, self.freshness
        )

    @cached_property
    def layers(self) -> LayerService:
        from remem.app.services.layers import LayerService

        return LayerService(self.context, self.entries, self.facts, self.resources.rule_extractor)

    @cached_property
    def spaces(self) -> SpaceService:
        from remem.app.services.spaces import space_service

        return space_service(self.resources)

    @cached_property
    def sharing(self) -> SharingService:
        from remem.app.services.sharing import SharingService

        def open_as_owner(scope: Scope) -> Workspace:
            return self.resources.open_space(scope, "owner")

        return SharingService(self.context, self.store, self.deps, self.known_facts, open_as_owner)
