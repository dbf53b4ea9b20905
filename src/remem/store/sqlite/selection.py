"""Conditions on entries as SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from remem.model.entry import ArchiveReason, Filter
from remem.model.project import PROJECT_PREFIX
from remem.ports.records import Order, State, Where
from remem.store.rows import compact, source_number
from remem.text.words import fold

_STATES: Final[dict[State, str]] = {
    "live": "e.live = 1",
    "current": "e.standing = 1",
    "archived": "e.standing = 0",
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
_WITH_TAG: Final = "(SELECT row FROM memory_tags WHERE tag = ?)"
OF_OTHER_PROJECTS: Final = f"""(
    SELECT row FROM memory_tags
    WHERE tag >= '{PROJECT_PREFIX}' AND tag < '{PROJECT_PREFIX[:-1]};'
    EXCEPT SELECT row FROM memory_tags WHERE tag = ?)"""
"""The entries that belong to other projects only."""
_IN_SOURCE: Final = "e.row IN (SELECT row FROM memory_places WHERE source = ?)"
_FROM_LINES: Final = """EXISTS (SELECT 1 FROM json_each(e.origins) o
    WHERE (o.value ->> 1) || ' ' || (o.value ->> 0) IN (SELECT value FROM json_each(?)))"""
_MAX_SOURCES: Final = 100
_WORDED: Final = "(e.same = ? OR e.row IN (SELECT row FROM memory_versions WHERE same = ?))"
_ORDERS: Final[dict[Order, str]] = {
    "stored": "e.row",
    "latest": "e.updated_at DESC, e.row DESC",
    "important": "instr('critical high medium low', e.priority), e.created_at DESC, e.row DESC",
    "position": "(SELECT min(position) FROM memory_places p WHERE p.source = ? AND p.row = e.row), "
    "e.row",
}


def order_by(where: Where, order: Order) -> tuple[str, list[Any]]:
    """Return an order as SQL, and its values."""
    by_position = order == "position" and where.from_source is not None
    return _ORDERS[order], [source_number(where.from_source or "")] if by_position else []


def condition_of(where: Where) -> tuple[str, list[Any]]:
    """Conditions as SQL on `memory_entries e`, and their values."""
    parts = list(_conditions(where))
    return " AND ".join(part for part, _ in parts), [value for _, more in parts for value in more]


def _conditions(where: Where) -> Iterator[tuple[str, list[Any]]]:
    yield from _state(where)
    for condition, value in (
        ("e.category = ?", where.category),
        ("e.priority = ?", where.priority),
        ("e.trust = ?", where.trust),
        ("e.source <> ?", where.without_source),
        ("e.home = ?", where.stem),
        ("e.version > 1 AND e.updated_at > ?", where.revised_after),
        ("max(e.updated_at, coalesce(e.last_used, '')) < ?", where.idle_since),
        ("e.expires_at IS NOT NULL AND e.expires_at <= ?", where.expires_until),
        ("e.expires_at > ?", where.expires_after),
        ("instr(e.related_to, ?)", where.links_to and compact(where.links_to)),
        (f"e.row IN {_WITH_TAG}", where.tag and fold(where.tag)),
        (f"e.row NOT IN {_WITH_TAG}", where.without_tag and fold(where.without_tag)),
        (_IN_SOURCE, where.from_source and source_number(where.from_source)),
    ):
        if value is not None:
            yield condition, [value]
    wording = None if where.wording_hash is None else (where.wording_hash, where.wording_hash)
    for condition, values in (
        (_WORDED, wording),
        ("e.home = ? AND e.part = ?", where.home),
        ("e.created_at BETWEEN ? AND ?", where.created),
    ):
        if values is not None:
            yield condition, list(values)
    if where.from_lines is not None:
        yield _from_lines(where.from_lines)


def _state(where: Where) -> Iterator[tuple[str, list[Any]]]:
    if where.filter is not None:
        condition, values = condition_of_filter(where.filter)
        yield condition or "TRUE", values
        if where.filter.only_live:
            yield _STATES["live"], []
    elif where.archived_as is not None:
        yield _ARCHIVED[where.archived_as], []
    else:
        yield _STATES[where.state], []


def _from_lines(places: tuple[tuple[str, int], ...]) -> tuple[str, list[Any]]:
    """Entries that come from some lines of files.

    If these are few files, instr() comes first, so that only their entries are parsed.
    """
    lines = compact([f"{line} {source}" for source, line in places])
    sources = list(dict.fromkeys(compact(source) for source, _ in places))
    if not 0 < len(sources) <= _MAX_SOURCES:
        return _FROM_LINES, [lines]
    mentioned = " OR ".join(["instr(e.origins, ?)"] * len(sources))
    return f"({mentioned}) AND {_FROM_LINES}", [*sources, lines]


def condition_of_filter(where: Filter) -> tuple[str, list[Any]]:
    """Return a filter as SQL on `memory_entries e`; empty if it admits every live entry."""
    parts: list[str] = []
    values: list[Any] = []
    if not where.only_live:
        if not where.include_archived:
            parts.append("e.archived = 0 AND e.superseded_by IS NULL")
        if not where.include_untrusted:
            parts.append("e.trust <> 'untrusted'")
    for column, allowed in (("category", where.categories), ("priority", where.priorities)):
        if allowed:
            parts.append(f"e.{column} IN (SELECT value FROM json_each(?))")
            values.append(compact(allowed))
    if where.project is not None:
        parts.append(f"e.row NOT IN {OF_OTHER_PROJECTS}")
        values += [fold(where.project)]
    for tag in where.folded_tags:
        parts.append(f"e.row IN {_WITH_TAG}")
        values.append(tag)
    return " AND ".join(parts), values
