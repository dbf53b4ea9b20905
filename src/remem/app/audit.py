"""The token audit of a workspace.

Looking changes nothing. Applying a recommendation is the owner's, one at a time, and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remem.app.activation import Activation
from remem.errors import FileError, InvalidInput, NotAllowed
from remem.model.arguments import AUDIT_SCOPES, one_of
from remem.model.scope import MAIN

if TYPE_CHECKING:
    from remem.admin.audit.audit import AuditContext
    from remem.admin.audit.result import Audit, Recommendation
    from remem.files.edit_journal import Change, EditJournal, Undone

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A recommendation that can be carried out, and what it would change."""

    recommendation: Recommendation
    diff: str
    change: Change


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done. `measured` is what it saved: all tokens before, less all tokens after."""

    description: str
    claimed: int
    measured: int
    kept: str


def _quiet(_step: str) -> None:
    pass


class Audited(Activation):
    """The audit of one session's memory."""

    def audit(
        self,
        scope: str = "all",
        recommend: bool = False,
        *,
        tools: str = "",
        progress: Tell = _quiet,
    ) -> Audit:
        """Where the tokens go, what is said twice, contradicts itself or is noise.

        `tools` is the text of the tools that a host puts into every conversation; a program
        that calls the library puts none there.
        """
        from remem.admin.audit.audit import audit  # few commands need it

        wanted = one_of(scope, AUDIT_SCOPES, "scope")
        return audit(self._auditing(tools, progress), wanted, recommend=recommend)

    @property
    def profile(self) -> str:
        """Which tools the host is offered."""
        return self._parts.profile

    def audit_proposal(self, number: int, progress: Tell = _quiet) -> Proposal:
        """The change that a recommendation asks for, by its number in an audit of all."""
        from remem.admin.audit.audit import collect_findings
        from remem.admin.audit.recommend import make_plans, planned_change

        self._may_change()
        parts = replace(self._auditing("", progress), embedder="words decide here")
        found, _ = collect_findings(parts, "all")
        numbered = {plan.recommendation.number: plan for plan in make_plans(found)}
        if number not in numbered:
            raise InvalidInput(
                f"there is no recommendation {number}", hint="`remem audit --recommend` lists them"
            )
        plan = numbered[number]
        if plan.edit is None:
            raise InvalidInput(
                f"recommendation {number} is not remem's to carry out",
                hint=plan.recommendation.description,
            )
        change = planned_change(found, plan)
        return Proposal(plan.recommendation, change.diff, change)

    def audit_apply(self, proposal: Proposal) -> Applied:
        """Carry out a proposal, unless the file was edited since it was made."""
        from remem.admin.audit.audit import total_tokens

        self._may_change()
        parts = self._auditing("", _quiet)
        before = total_tokens(parts)
        kept = self._journal().apply(proposal.change)
        return Applied(
            description=proposal.recommendation.description,
            claimed=proposal.recommendation.estimated_savings_tokens,
            measured=before - total_tokens(parts),
            kept=kept.relative_to(self._parts.layout.root).as_posix(),
        )

    def audit_undo(self) -> Undone:
        """Take the last applied recommendation back; edits made since then stay."""
        self._may_change()
        return self._journal().undo()

    def _journal(self) -> EditJournal:
        from remem.files.edit_journal import EditJournal

        return EditJournal(self._parts.layout, self.scope)

    def _may_change(self) -> None:
        self._owner_only("changes MEMORY.md", "remem audit --apply")
        if self.scope != MAIN:
            raise NotAllowed("MEMORY.md belongs to main", hint="omit --session")

    def _is_activated(self) -> bool:
        from remem.setup.activate import is_active

        try:
            return is_active(self._parts.layout)
        except FileError:  # the audit names the file, and counts the others
            return False

    def _auditing(self, tools: str, progress: Tell) -> AuditContext:
        from remem.admin.audit.audit import AuditContext
        from remem.admin.audit.sources import Loading
        from remem.files.scopes import connected_hosts

        parts = self._parts
        self._upkeep.before_read()
        if self._store.writable:
            self._upkeep.files.write_pending_files()
        main = self.scope == MAIN
        index = self._readable_index() if main else None
        loading = Loading(
            tools=tools,
            profile=self.profile,
            index_tokens=index.tokens if index else 0,
            activated=main and self._is_activated(),
            hosts=tuple(connected_hosts(parts.layout)) if main else (),
        )
        return AuditContext(
            layout=parts.layout,
            scope=self.scope,
            store=self._store,
            counter=parts.counter,
            embedder=parts.embedders[0] if parts.embedders else parts.without_model or "no model",
            now=self._now(),
            loading=loading,
            start_tokens=self._start().tokens if main else 0,
            in_index=index.entries if index else frozenset(),
            report_progress=progress,
        )
