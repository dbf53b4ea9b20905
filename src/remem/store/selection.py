"""Conditions on entries as SQL, for the stores that are databases.

What a selection means is the same in all of them; a `Dialect` has the words in which they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from remem.model.entry import ArchiveReason, Filter
from remem.model.project import PROJECT_PREFIX
from remem.ports.records import EntryState, Order, Where
from remem.store.rows import compact, source_number
from remem.text.words import fold

FADED: Final = (
    "e.archived = 1 AND e.archive_reason = 'faded' "
    "AND e.superseded_by IS NULL AND e.trust <> 'untrusted'"
)
_ARCHIVED: Final[dict[ArchiveReason, str]] = {
    "faded": FADED,
    "expired": "e.archived = 1 AND e.archive_reason = 'expired'",
}
Lines = tuple[tuple[str, int], ...]
"""Files and numbers of lines."""


class PlaceholderValues(Protocol):
    """The values of a statement, in the order of their placeholders."""

    def add(self, value: object) -> str:
        """Add a value, and return its placeholder."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Conditions on the table of entries, `e`, in the words of one database.

    `tagged`, `from_source`, `worded` and `position` are queries that end where a value is compared.
    """

    number: str
    states: Mapping[EntryState, str]
    tagged: str
    from_source: str
    worded: str
    position: str
    find: str
    greatest: str
    one_of: Callable[[str, Sequence[str], PlaceholderValues], str]
    from_lines: Callable[[Lines, PlaceholderValues], str]
    always: tuple[str, ...] = ()

    @property
    def with_tag(self) -> str:
        return f"{self.tagged} = "

    @property
    def of_other_projects(self) -> str:
        """The entries that belong to other projects than the one whose tag follows."""
        first, end = PROJECT_PREFIX, f"{PROJECT_PREFIX[:-1]};"
        return f"{self.tagged} >= '{first}' AND t.tag < '{end}' EXCEPT {self.with_tag}"

    def order_by(self, where: Where, order: Order, values: PlaceholderValues) -> str:
        """Return an order as SQL."""
        match order:
            case "stored":
                return self.number
            case "latest":
                return f"e.updated_at DESC, {self.number} DESC"
            case "important":
                rank = f"{self.find}('critical high medium low', e.priority)"
                return f"{rank}, e.created_at DESC, {self.number} DESC"
            case "position":
                source = values.add(source_number(where.from_source or ""))
                return f"({self.position} = {source}), {self.number}"

    def condition_of(self, where: Where, values: PlaceholderValues) -> str:
        """Return the conditions as SQL."""
        return " AND ".join((*self.always, *self._conditions(where, values))) or "TRUE"

    def _conditions(self, where: Where, values: PlaceholderValues) -> Iterator[str]:
        yield from self._state(where, values)
        for condition, value in (
            ("e.category = {}", where.category),
            ("e.priority = {}", where.priority),
            ("e.trust = {}", where.trust),
            ("e.source <> {}", where.excluded_source),
            ("e.home = {}", where.stem),
            ("e.version > 1 AND e.updated_at > {}", where.revised_after),
            (f"{self.greatest}(e.updated_at, coalesce(e.last_used, '')) < {{}}", where.idle_since),
            ("e.expires_at IS NOT NULL AND e.expires_at <= {}", where.expires_until),
            ("e.expires_at > {}", where.expires_after),
            (f"{self.find}(e.related_to, {{}}) > 0", where.links_to and compact(where.links_to)),
            (self._in(self.with_tag), where.tag and fold(where.tag)),
            (f"NOT {self._in(self.with_tag)}", where.without_tag and fold(where.without_tag)),
            (
                self._in(f"{self.from_source} = "),
                where.from_source and source_number(where.from_source),
            ),
        ):
            if value is not None:
                yield condition.format(values.add(value))
        if (wording := where.wording_hash) is not None:
            earlier = f"(e.same = {{}} OR {self._in(f'{self.worded} = ')})"
            yield earlier.format(values.add(wording), values.add(wording))
        if where.home is not None:
            yield "e.home = {} AND e.part = {}".format(*map(values.add, where.home))
        if where.created is not None:
            yield "e.created_at BETWEEN {} AND {}".format(*map(values.add, where.created))
        if where.from_lines is not None:
            yield self.from_lines(where.from_lines, values)

    def _state(self, where: Where, values: PlaceholderValues) -> Iterator[str]:
        if where.filter is not None:
            yield from self.filter_conditions(where.filter, values)
            if where.filter.only_live:
                yield self.states["live"]
        elif where.archived_as is not None:
            yield _ARCHIVED[where.archived_as]
        elif where.state != "any":
            yield self.states[where.state]

    def filter_conditions(self, where: Filter, values: PlaceholderValues) -> Iterator[str]:
        """Yield a filter as SQL; nothing if it admits every live entry."""
        if not where.only_live:
            if not where.include_archived:
                yield "e.archived = 0 AND e.superseded_by IS NULL"
            if not where.include_untrusted:
                yield "e.trust <> 'untrusted'"
        for column, allowed in (("category", where.categories), ("priority", where.priorities)):
            if allowed:
                yield self.one_of(f"e.{column}", allowed, values)
        if where.project is not None:
            other = self._in(self.of_other_projects).format(values.add(fold(where.project)))
            yield f"NOT {other}"
        for tag in where.folded_tags:
            yield self._in(self.with_tag).format(values.add(tag))

    def _in(self, query: str) -> str:
        """Return the condition that an entry is in the result of a query without its last value."""
        return f"{self.number} IN ({query}{{}})"
