"""Translate conditions on entries (`Where` and `Filter`) to SQL.

SQLite and PostgreSQL share the translation; a `Dialect` has the table names, functions and
subqueries in which they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from remem.model.entry import PRIORITIES, ArchiveReason, Filter
from remem.model.project import PROJECT_PREFIX
from remem.ports.records import EntryState, Order, SourcePosition, Where
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


class PlaceholderValues(Protocol):
    """The values of a statement, in the order of their placeholders."""

    def add(self, value: object) -> str:
        """Add a value, and return its placeholder."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The SQL of one database for conditions on its table of entries, `e`.

    - `number`: the column that identifies an entry inside the store.
    - `states`: the condition for each state.
    - `numbers_by_tag`, `numbers_by_source`, `numbers_by_wording`: queries for the numbers of the
      entries with a tag, source or wording; `position_by_source`: for the first position of an
      entry in a source. All four end with the column that is to be compared, as in
      `SELECT t.row FROM memory_tags t WHERE t.tag`.
    - `find`: the function that returns the position of a text in another, 0 if it is not there.
    - `greatest`: the function that returns the greater of two values.
    - `one_of`: returns the condition that a column has one of some values.
    - `from_lines`: returns the condition that an entry comes from one of some lines of files.
    - `always`: conditions that are added to every selection.
    """

    number: str
    states: Mapping[EntryState, str]
    numbers_by_tag: str
    numbers_by_source: str
    numbers_by_wording: str
    position_by_source: str
    find: str
    greatest: str
    one_of: Callable[[str, Sequence[str], PlaceholderValues], str]
    from_lines: Callable[[Sequence[SourcePosition], PlaceholderValues], str]
    always: tuple[str, ...] = ()

    @property
    def with_tag(self) -> str:
        """The query for the numbers of entries with a tag; the tag has to follow."""
        return f"{self.numbers_by_tag} = "

    @property
    def of_other_projects(self) -> str:
        """The query for the numbers of entries that belong only to other projects than one.

        The tag of that project has to follow.
        """
        first, end = PROJECT_PREFIX, f"{PROJECT_PREFIX[:-1]};"  # `;` is the character after `:`
        return f"{self.numbers_by_tag} >= '{first}' AND t.tag < '{end}' EXCEPT {self.with_tag}"

    def order_by(self, where: Where, order: Order, values: PlaceholderValues) -> str:
        """Return the expressions to order by."""
        match order:
            case "stored":
                return self.number
            case "latest":
                return f"e.updated_at DESC, {self.number} DESC"
            case "important":
                rank = f"{self.find}('{' '.join(PRIORITIES)}', e.priority)"
                return f"{rank}, e.created_at DESC, {self.number} DESC"
            case "position":
                source = values.add(source_number(where.from_source or ""))
                return f"({self.position_by_source} = {source}), {self.number}"

    def condition_of(self, where: Where, values: PlaceholderValues) -> str:
        """Return the condition that an entry meets all conditions of `where`."""
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
                self._in(f"{self.numbers_by_source} = "),
                where.from_source and source_number(where.from_source),
            ),
        ):
            if value is not None:
                yield condition.format(values.add(value))
        if (wording := where.wording_hash) is not None:
            now_or_earlier = f"(e.same = {{}} OR {self._in(f'{self.numbers_by_wording} = ')})"
            yield now_or_earlier.format(values.add(wording), values.add(wording))
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
        """Yield the conditions of a filter, except the condition that an entry is live."""
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
        """Return the condition that an entry's number is in the result of a query.

        The query's last value is still missing; `{}` stands for it.
        """
        return f"{self.number} IN ({query}{{}})"
