"""Changes to MEMORY.md that the owner approves.

They are reached by `workspace.graduation` and `workspace.recommendations`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from remem.app import ignore_progress

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.app.services.audit import AppliedRecommendation, RecommendationChange
    from remem.files.edit_journal import FileChange, UndoneChange
    from remem.learn.graduate.result import DeclinedProposals, GraduatedLines, Graduation


class GraduationFacade:
    """Lines that graduate to MEMORY.md; nothing is written before `apply`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def propose(
        self, *, explain: bool = False, progress: Callable[[str], None] = ignore_progress
    ) -> Graduation:
        """Propose lines for MEMORY.md; nothing is changed.

        Args:
            explain: Also list lines that are not proposed, and why.
            progress: Called with the path of each note.
        """
        return self._services.summaries.propose_lines(explain=explain, progress=progress)

    def change(self, ids: Sequence[str]) -> FileChange:
        """Return the change to MEMORY.md that the proposals with these ids would make.

        Owner only.
        """
        return self._services.summaries.planned_change(ids)

    def apply(self, change: FileChange) -> GraduatedLines:
        """Write a change returned by `change`, unless MEMORY.md has been edited since.

        Owner only.
        """
        return self._services.summaries.apply(change)

    def decline(self, ids: Sequence[str]) -> DeclinedProposals:
        """Do not propose the lines with these ids again. Owner only."""
        return self._services.summaries.decline(ids)

    def undo(self) -> UndoneChange:
        """Undo the last `apply`; later edits are kept. Owner only."""
        return self._services.summaries.undo()


class RecommendationsFacade:
    """The recommendations of an audit; nothing is written before `apply`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def proposal(
        self, number: int, progress: Callable[[str], None] = ignore_progress
    ) -> RecommendationChange:
        """Return the change that a recommendation would make. Owner only.

        `number` is its number in an audit of everything.
        """
        return self._services.audit.propose(number, progress)

    def apply(self, proposal: RecommendationChange) -> AppliedRecommendation:
        """Apply a proposal, unless MEMORY.md has been edited since. Owner only."""
        return self._services.audit.apply(proposal)

    def undo(self) -> UndoneChange:
        """Undo the last `apply`; later edits are kept. Owner only."""
        return self._services.audit.undo()
