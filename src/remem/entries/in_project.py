"""A view of a snapshot without the entries of other projects, for making an index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, Filter
from remem.model.project import is_of_other_project

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot
    from remem.ports.records import Order, Tally, TallyBy, Where


def in_project(snapshot: Snapshot, project: str | None) -> Snapshot:
    """Return the snapshot itself, or a view of it for one project."""
    return snapshot if project is None else cast("Snapshot", _ProjectView(snapshot, project))


@dataclass(frozen=True, slots=True)
class _ProjectView:
    """Reads the entries of one project and those of none; everything else is not filtered."""

    snapshot: Snapshot
    project: str

    def find(self, ids: Iterable[str]) -> dict[str, Entry]:
        entries = self.snapshot.find(ids)
        return {
            id_: entry
            for id_, entry in entries.items()
            if not is_of_other_project(entry.tags, self.project)
        }

    def select(
        self, where: Where, order: Order = "stored", limit: int | None = None
    ) -> list[Entry]:
        return self.snapshot.select(self._within(where), order, limit)

    def tally(self, by: TallyBy, where: Where) -> dict[str, Tally]:
        return self.snapshot.tally(by, self._within(where))

    def _within(self, where: Where) -> Where:
        """Return the condition with a filter for the project, which replaces its `state`."""
        if where.filter is not None:
            return replace(where, filter=replace(where.filter, project=self.project))
        archived, untrusted = where.state == "any", where.state in ("any", "current")
        condition = Filter(
            include_archived=archived, include_untrusted=untrusted, project=self.project
        )
        return replace(where, filter=condition)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.snapshot, name)
