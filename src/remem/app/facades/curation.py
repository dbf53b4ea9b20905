"""The owner's and the agents' judgements of entries: `workspace.curation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.admin.curate.result import Curation, Verdicts
    from remem.app.composition import Services
    from remem.model.entry import Category


class CurationFacade:
    """Lines of the index, and verdicts on entries that need a judgement."""

    def __init__(self, services: Services) -> None:
        from remem.app.services.index_choices import IndexChoiceService

        self._services = services
        self._choices = IndexChoiceService(services.context, services.entries)

    def pin(self, *lines: str, text: str | None = None, category: Category = "fact") -> Verdicts:
        """Show these lines in every index. Owner only.

        Args:
            lines: Ids of entries, numbers of lines of the index, or the text of a new line, which
                is stored.
            text: A wording to show instead of a single line, until its entry changes.
            category: The category of a new line.
        """
        return self._choices.pin(lines, text, category)

    def drop(self, *lines: str) -> Verdicts:
        """Leave entries or lines out of the index; recall still finds them. Owner only."""
        return self._choices.drop(lines)

    def order(self, *lines: str) -> Verdicts:
        """Put lines of the index in this order, at the topmost of their positions. Owner only."""
        return self._choices.order(lines)

    def ask_model(self, topic: str | None = None, token_budget: int = 8000) -> Curation:
        """Let the configured language model judge the next items. Owner only.

        Its verdicts on the owner's lines are proposals.
        """
        return self._services.curation.ask_model(topic, token_budget)

    def accept(self, *numbers: int) -> Curation:
        """Apply the proposed verdicts with these numbers, or all of them. Owner only."""
        return self._services.curation.accept(numbers)

    def decline(self, *numbers: int) -> Verdicts:
        """Decline the proposed verdicts with these numbers, or all of them. Owner only.

        They are not proposed again.
        """
        return self._services.curation.decline(numbers)

    def verdicts(self) -> Verdicts:
        """Return all verdicts on this memory, oldest first. Owner only."""
        return self._choices.all()

    def undo(self, number: int | None = None) -> Verdicts:
        """Undo the verdict with this number, or the last one. Owner only."""
        return self._choices.undo(number)
