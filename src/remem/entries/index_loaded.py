"""Compare the index with what a host loads today, which it must not fall short of.

A conversation must not start with less than if the owner's files were cut off at the size of the
index. Statements count by their worth, so that a rule is not outweighed by a detail. As long as the
index says less, other bonuses are tried: for short lines, and for the beginning of the files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from remem.entries.index_selection import SelectionBonus
from remem.extract.judge import judge
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, headings_in
from remem.model.host_loading import omitted_parts
from remem.model.loaded_statements import LoadedText
from remem.model.statement import Place

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter

_BONUSES: Final = (
    (1.0, 0.5, 4),
    (2.0, 1.0, 2),
    (3.0, 2.0, 0),
    (6.0, 4.0, 0),
    (8.0, 6.0, 0),
    (10.0, 10.0, 0),
    (16.0, 16.0, 0),
)
"""The `length`, `beginning` and `notes` of bonuses, in the order in which they are tried."""

_MARGIN: Final = 1.04
"""Entries are counted instead of the lines of the files, which is a little less exact."""


@dataclass(frozen=True, slots=True)
class HostLoadedStatements:
    """The statements that a host loads, each with its worth.

    `first_ids` are those that remain if the host cuts the files off at the size of the index.
    """

    entries: Sequence[tuple[Entry, float]]
    first_ids: frozenset[str]

    @staticmethod
    def select(
        statements: Sequence[Entry], counter: TokenCounter, target: int
    ) -> HostLoadedStatements:
        judged = [(entry, _worth_of(entry)) for entry in _loaded_by_hosts(statements)]
        entries = [(entry, worth) for entry, worth in judged if worth >= 0]
        first_ids = _beginning([entry for entry, _ in entries], counter, target)
        return HostLoadedStatements(entries, first_ids)

    @property
    def required_worth(self) -> float:
        """The worth that the index must reach."""
        return _MARGIN * sum(worth for entry, worth in self.entries if entry.id in self.first_ids)

    def worth_in(self, text: str) -> float:
        """Return what the statements in a text are worth together."""
        loaded = LoadedText(text)
        return sum(worth for entry, worth in self.entries if loaded.has(entry.content))

    def bonuses(self) -> Iterator[SelectionBonus]:
        for length, beginning, notes in _BONUSES:
            yield SelectionBonus(length, beginning, notes, self.first_ids)


def _loaded_by_hosts(statements: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the statements that are not in the middle of a file that hosts cut for its length."""
    files: dict[str, list[Entry]] = {}
    for entry in statements:
        files.setdefault(entry.origins[0].source, []).append(entry)
    sizes = {file: [len(entry.content) for entry in found] for file, found in files.items()}
    cut = omitted_parts({file: sum(size) for file, size in sizes.items()})
    for file, found in files.items():
        for entry, end in zip(found, accumulate(sizes[file]), strict=True):
            if not cut[file].head < end <= cut[file].tail:
                yield entry


def _worth_of(entry: Entry) -> float:
    path = entry.origins[0].source if entry.origins else ""
    return judge(entry.content, Place(path, headings_in(entry.context))).worth


def _beginning(statements: Sequence[Entry], counter: TokenCounter, target: int) -> frozenset[str]:
    """Return the ids of the statements that a host would load if it cut the files off."""

    def cost(number: int) -> int:
        return counter.count("\n".join(f"- {entry.content}" for entry in statements[:number]))

    fitting = bisect_right(range(1, len(statements) + 1), target, key=cost)
    return frozenset(entry.id for entry in statements[:fitting])
