"""The SQL of PostgreSQL for conditions on entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.ports.records import SourcePosition
from remem.store.rows import source_number
from remem.store.selection import Dialect, PlaceholderValues

_PLACES: Final = "SELECT p.number FROM remem.places p WHERE p.scope_id = %(scope)s AND "


def _one_of(column: str, allowed: Sequence[str], values: PlaceholderValues) -> str:
    return f"{column} = ANY({values.add(list(allowed))}::text[])"


def _from_lines(lines: Sequence[SourcePosition], values: PlaceholderValues) -> str:
    """Return the condition that an entry comes from one of some lines of files."""
    sources = values.add([source_number(source) for source, _ in lines])
    positions = values.add([line for _, line in lines])
    return (
        f"e.number IN ({_PLACES}(p.source, p.position) IN "
        f"(SELECT * FROM unnest({sources}::bigint[], {positions}::bigint[])))"
    )


SELECTION: Final = Dialect(
    number="e.number",
    states={"live": "e.live", "current": "e.standing", "archived": "NOT e.standing"},
    numbers_by_tag="SELECT t.number FROM remem.tags t WHERE t.scope_id = %(scope)s AND t.tag",
    numbers_by_source=f"{_PLACES}p.live AND p.source",
    numbers_by_wording=(
        "SELECT v.number FROM remem.versions v WHERE v.scope_id = %(scope)s AND v.same"
    ),
    position_by_source=(
        "SELECT min(o.position) FROM remem.places o WHERE o.scope_id = %(scope)s "
        "AND o.number = e.number AND o.source"
    ),
    find="strpos",
    greatest="greatest",
    one_of=_one_of,
    from_lines=_from_lines,
    always=("e.scope_id = %(scope)s",),
)
