"""The index as it would be after a change that has not been made.

The change is made in a transaction that then fails on purpose, so that nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.curate.lines import lines_without_room
from remem.app.services.entries import EntryService
from remem.entries.index import Index
from remem.entries.verdicts import all_verdicts
from remem.ports.entries import Snapshot, Transaction

_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class IndexPreview:
    """An index of at most `target` tokens, and the beginnings of the lines that should be in it but
    have no room."""

    index: Index
    target: int
    missing: Sequence[str]

    def fullness(self) -> str:
        return f"{self.index.tokens} of {self.target} tokens used"

    def notes(self) -> Iterator[str]:
        """Yield what the reader should know: lines that are kept or pinned in vain."""
        if self.missing:
            texts = ", ".join(f"“{text}”" for text in self.missing[:_MAX_NAMED])
            lines = "line that was" if len(self.missing) == 1 else "lines that were"
            yield (
                f"the index has no room for {len(self.missing)} {lines} kept or pinned, such as "
                f"{texts}: drop or shorten others"
            )


class _Made(Exception):
    """Ends the transaction of a preview."""

    def __init__(self, preview: IndexPreview) -> None:
        super().__init__("a preview changes nothing")
        self.preview = preview


def preview_index(
    entries: EntryService, target: int, change: Callable[[Transaction], None] | None
) -> IndexPreview:
    """Return the index as it would be after a change; without one, as it is."""

    def preview(snapshot: Snapshot) -> IndexPreview:
        index = entries.index_of(snapshot)
        missing = lines_without_room(index, all_verdicts(snapshot), snapshot)
        return IndexPreview(index, target, list(missing))

    def operation(tx: Transaction) -> None:
        if change is not None:
            change(tx)
        raise _Made(preview(tx))

    if change is not None:
        try:
            entries.store.write(operation)
        except _Made as made:
            return made.preview
    with entries.store.read() as snapshot:
        return preview(snapshot)
