"""Conditions on entries as SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from remem.model.entry import ArchiveReason, Filter
from remem.model.project import PROJECT_PREFIX
from remem.ports.records import Order, State, Where
from remem.store.postgres.session import Values
from remem.store.rows import compact, source_number
from remem.text.words import fold

_STATES: Final[dict[State, str]] = {
    "live": "e.live",
    "current": "e.standing",
    "archived": "NOT e.standing",
    "any": "TRUE",
}
FADED: Final = (
    "e.archived = 1 AND e.archive_reason = 'faded' "
    "AND e.superseded_by IS NULL AND e.trust <> 'untrusted'"
)
_ARCHIVED: Final[dict[ArchiveReason, str]] = {
    "faded": FADED,
    "expired": "e.archived = 1 AND e.archive_reason = 'expired'",
}
WITH_TAG: Final = "SELECT t.number FROM remem.tags t WHERE t.scope_id = %(scope)s AND t.tag = "
OF_OTHER_PROJECTS: Final = (
    "SELECT t.number FROM remem.tags t WHERE t.scope_id = %(scope)s "
    f"AND t.tag >= '{PROJECT_PREFIX}' AND t.tag < '{PROJECT_PREFIX[:-1]};' EXCEPT {WITH_TAG}"
)
"""The entries that belong to other projects than the one whose tag follows."""
_PLACES: Final = "SELECT p.number FROM remem.places p WHERE p.scope_id = %(scope)s"
_VERSIONS: Final = "SELECT v.number FROM remem.versions v WHERE v.scope_id = %(scope)s"
_POSITION: Final = (
    "(SELECT min(o.position) FROM remem.places o WHERE o.scope_id = %(scope)s "
    "AND o.number = e.number AND o.source = {source})"
)
_ORDERS: Final[dict[Order, str]] = {
    "stored": "e.number",
    "latest": "e.updated_at DESC, e.number DESC",
    "important": (
        "strpos('critical high medium low', e.priority), e.created_at DESC, e.number DESC"
    ),
}


def order_by(where: Where, order: Order, values: Values) -> str:
    """Return an order as SQL."""
    if order != "position":
        return _ORDERS[order]
    source = values.add(source_number(where.from_source or ""))
    return f"{_POSITION.format(source=source)}, e.number"


def condition_of(where: Where, values: Values) -> str:
    """Conditions as SQL on `remem.entries e`."""
    return " AND ".join(("e.scope_id = %(scope)s", *_conditions(where, values)))


def _conditions(where: Where, values: Values) -> Iterator[str]:
    yield from _state(where, values)
    for condition, value in (
        ("e.category = {}", where.category),
        ("e.priority = {}", where.priority),
        ("e.trust = {}", where.trust),
        ("e.source <> {}", where.without_source),
        ("e.home = {}", where.stem),
        ("e.version > 1 AND e.updated_at > {}", where.revised_after),
        ("greatest(e.updated_at, coalesce(e.last_used, '')) < {}", where.idle_since),
        ("e.expires_at IS NOT NULL AND e.expires_at <= {}", where.expires_until),
        ("e.expires_at > {}", where.expires_after),
        ("strpos(e.related_to, {}) > 0", where.links_to and compact(where.links_to)),
        (f"e.number IN ({WITH_TAG}{{}})", where.tag and fold(where.tag)),
        (f"e.number NOT IN ({WITH_TAG}{{}})", where.without_tag and fold(where.without_tag)),
        (
            f"e.number IN ({_PLACES} AND p.live AND p.source = {{}})",
            where.from_source and source_number(where.from_source),
        ),
        (f"(e.same = {{0}} OR e.number IN ({_VERSIONS} AND v.same = {{0}}))", where.wording_hash),
    ):
        if value is not None:
            yield condition.format(values.add(value))
    if where.home is not None:
        yield f"e.home = {values.add(where.home.stem)} AND e.part = {values.add(where.home.part)}"
    if where.created is not None:
        first, last = map(values.add, where.created)
        yield f"e.created_at BETWEEN {first} AND {last}"
    if where.from_lines is not None:
        yield _from_lines(where.from_lines, values)


def _state(where: Where, values: Values) -> Iterator[str]:
    if where.filter is not None:
        yield from filter_conditions(where.filter, values)
        if where.filter.only_live:
            yield _STATES["live"]
    elif where.archived_as is not None:
        yield _ARCHIVED[where.archived_as]
    else:
        yield _STATES[where.state]


def _from_lines(lines: tuple[tuple[str, int], ...], values: Values) -> str:
    """Entries that come from some lines of files."""
    sources = values.add([source_number(source) for source, _ in lines])
    positions = values.add([line for _, line in lines])
    return (
        f"e.number IN ({_PLACES} AND (p.source, p.position) IN "
        f"(SELECT * FROM unnest({sources}::bigint[], {positions}::bigint[])))"
    )


def filter_conditions(where: Filter, values: Values) -> list[str]:
    """Return a filter as SQL on `remem.entries e`; empty if it admits every live entry."""
    parts: list[str] = []
    if not where.only_live:
        if not where.include_archived:
            parts.append("e.archived = 0 AND e.superseded_by IS NULL")
        if not where.include_untrusted:
            parts.append("e.trust <> 'untrusted'")
    for column, allowed in (("category", where.categories), ("priority", where.priorities)):
        if allowed:
            parts.append(f"e.{column} = ANY({values.add(list(allowed))}::text[])")
    if where.project is not None:
        parts.append(f"e.number NOT IN ({OF_OTHER_PROJECTS}{values.add(fold(where.project))})")
    parts += [f"e.number IN ({WITH_TAG}{values.add(tag)})" for tag in where.folded_tags]
    return parts
