"""Moving an existing memory to remem: `workspace.setup`, in main only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from remem.app import ignore_progress

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.setup.activate import ActivationResult, RollbackResult
    from remem.setup.migrate.account import Migration
    from remem.setup.migrate.undo import UndoneMigration
    from remem.setup.validate.result import Validation


class SetupFacade:
    """Migrate existing files, check the result, and activate it for agents."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def migrate(
        self,
        *,
        only: Sequence[str] = (),
        exclude: Sequence[str] = (),
        dry_run: bool = False,
        progress: Callable[[int, int], None] = ignore_progress,
    ) -> Migration:
        """Store the statements of MEMORY.md, USER.md and the notes as entries. Owner only.

        The files are not changed. Repeating the migration stores only what is new.

        Args:
            only: Patterns of the files to read, such as `memory/2026-*`; by default all.
            exclude: Patterns of files to leave out.
            dry_run: Migrate into a temporary copy, and only report the result.
            progress: Called with the number of files read and the total number.
        """
        from remem.setup.migrate.sources import FileChoice

        choice = FileChoice(tuple(only), tuple(exclude))
        return self._services.setup.migrate(choice, dry_run=dry_run, progress=progress)

    def undo_migration(self) -> UndoneMigration:
        """Undo the last migration. Owner only.

        Its entries are archived, and entries that it changed are restored. What was changed since
        is kept and listed.
        """
        return self._services.setup.undo_migration()

    def validate(self, progress: Callable[[str], None] = ignore_progress) -> Validation:
        """Run the six checks that a memory must pass before it is activated; main only."""
        return self._services.setup.validate(progress)

    def activate(
        self,
        approve: Callable[[str], bool] = lambda _diff: True,
        progress: Callable[[str], None] = ignore_progress,
    ) -> ActivationResult:
        """Add a section about this memory to AGENTS.md if all checks pass. Owner only.

        Args:
            approve: Called with a text for the owner: the change as a unified diff, and the lines
                that conversations no longer start with. If it returns False, nothing is changed.
            progress: Called with each step of the validation.
        """
        return self._services.setup.activate(approve, progress)

    def rollback(self) -> RollbackResult:
        """Undo `activate`: AGENTS.md is restored byte for byte. Owner only."""
        return self._services.setup.roll_back()
