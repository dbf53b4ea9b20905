"""Run the token audit, and apply its recommendations to MEMORY.md one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from remem.admin.audit.audit import AuditContext, audit, collect_findings, total_tokens
from remem.admin.audit.coverage import StartText
from remem.admin.audit.recommend import make_plans, planned_change
from remem.admin.audit.result import Audit, Recommendation
from remem.admin.audit.sources import Loading
from remem.app.context import Models, SessionContext
from remem.app.services.entries import EntryService
from remem.app.services.start_text import StartService
from remem.errors import FileError, InvalidInput
from remem.files.edit_journal import EditJournal, FileChange, UndoneChange
from remem.files.scopes import connected_hosts
from remem.model.arguments import AUDIT_SCOPES, one_of
from remem.setup.activate import is_active

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RecommendationChange:
    """A recommendation that can be applied, and the change it would make."""

    recommendation: Recommendation
    diff: str
    change: FileChange


@dataclass(frozen=True, slots=True)
class AppliedRecommendation:
    """An applied recommendation, with the expected and the measured savings in tokens.

    `kept` is the path of a copy of MEMORY.md from before the change.
    """

    description: str
    expected: int
    measured: int
    kept: str


@dataclass(frozen=True, slots=True)
class AuditService:
    """Audits the memory of one scope; only the owner can change MEMORY.md."""

    context: SessionContext
    entries: EntryService
    start: StartService
    models: Models

    def audit(self, scope: str, *, recommend: bool, tools: str, progress: Progress) -> Audit:
        audit_scope = one_of(scope, AUDIT_SCOPES, "scope")
        return audit(self._context(tools, progress), audit_scope, recommend=recommend)

    def propose(self, number: int, progress: Progress) -> RecommendationChange:
        """Return the change that a recommendation would make.

        `number` is its number in an audit of everything.
        """
        self._require_owner()
        # A model only finds paraphrases, and no recommendation about those can be applied.
        context = replace(self._context("", progress), embedder="not needed")
        findings, _ = collect_findings(context, "all")
        plans = {plan.recommendation.number: plan for plan in make_plans(findings)}
        plan = plans.get(number)
        if plan is None:
            raise InvalidInput(
                f"there is no recommendation {number}", hint="`remem audit --recommend` lists them"
            )
        if plan.edit is None:
            raise InvalidInput(
                f"remem cannot apply recommendation {number}",
                hint=plan.recommendation.description,
            )
        change = planned_change(findings, plan)
        return RecommendationChange(plan.recommendation, change.diff, change)

    def apply(self, proposal: RecommendationChange) -> AppliedRecommendation:
        self._require_owner()
        context = self._context("", lambda _step: None)
        before = total_tokens(context)
        backup = self._journal().apply(proposal.change)
        return AppliedRecommendation(
            description=proposal.recommendation.description,
            expected=proposal.recommendation.estimated_savings_tokens,
            measured=before - total_tokens(context),
            kept=self.context.layout.relative(backup),
        )

    def undo(self) -> UndoneChange:
        self._require_owner()
        return self._journal().undo()

    def _journal(self) -> EditJournal:
        return EditJournal(self.context.layout, self.context.scope)

    def _require_owner(self) -> None:
        self.context.require_owner("change MEMORY.md", "remem audit --apply")
        self.context.require_main("MEMORY.md belongs to main")

    def _is_activated(self) -> bool:
        try:
            return is_active(self.context.layout)
        except FileError:  # the audit reports that the file cannot be read
            return False

    def _context(self, tools: str, progress: Progress) -> AuditContext:
        context, entries, is_main = self.context, self.entries, self.context.is_main
        entries.sync.before_read()
        if entries.store.writable:
            entries.sync.files.write_pending_files()
        index = entries.readable_index() if is_main else None
        loading = Loading(
            tools=tools,
            profile=context.profile,
            index_tokens=index.tokens if index else 0,
            activated=is_main and self._is_activated(),
            hosts=tuple(connected_hosts(context.layout)) if is_main else (),
        )
        start = self.start.preview() if is_main else None
        if not (loading.activated or loading.hosts):
            index = None  # no conversation starts with the index
        embedders = self.models.embedders
        return AuditContext(
            layout=context.layout,
            scope=context.scope,
            store=entries.store,
            counter=entries.deps.counter,
            embedder=embedders[0] if embedders else self.models.unavailable or "no model",
            now=context.now(),
            loading=loading,
            start_tokens=start.tokens if start else 0,
            start=StartText(start.text, index.entries) if start and index else StartText(),
            report_progress=progress,
        )
