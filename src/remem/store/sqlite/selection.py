"""The SQL of SQLite for conditions on entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from remem.ports.records import SourcePosition
from remem.store.rows import compact
from remem.store.selection import Dialect, PlaceholderValues

_FROM_LINES: Final = """EXISTS (SELECT 1 FROM json_each(e.origins) o
    WHERE (o.value ->> 1) || ' ' || (o.value ->> 0) IN (SELECT value FROM json_each({})))"""
_MAX_SOURCES: Final = 100


class ListedValues(list[Any]):
    """The values of a statement, in the order of its question marks."""

    def add(self, value: object) -> str:
        self.append(value)
        return "?"


def _one_of(column: str, allowed: Sequence[str], values: PlaceholderValues) -> str:
    return f"{column} IN (SELECT value FROM json_each({values.add(compact(allowed))}))"


def _from_lines(lines: Sequence[SourcePosition], values: PlaceholderValues) -> str:
    """Return the condition that an entry comes from one of some lines of files.

    If the lines are in few files, the condition begins with instr(), so that SQLite parses the
    origins of only those entries that name one of the files.
    """
    sources = list(dict.fromkeys(compact(source) for source, _ in lines))
    mentioned = ""
    if 0 < len(sources) <= _MAX_SOURCES:
        mentions = " OR ".join(f"instr(e.origins, {values.add(source)})" for source in sources)
        mentioned = f"({mentions}) AND "
    lines_json = compact([f"{line} {source}" for source, line in lines])
    return mentioned + _FROM_LINES.format(values.add(lines_json))


SELECTION: Final = Dialect(
    number="e.row",
    states={"live": "e.live = 1", "current": "e.standing = 1", "archived": "e.standing = 0"},
    numbers_by_tag="SELECT t.row FROM memory_tags t WHERE t.tag",
    numbers_by_source="SELECT p.row FROM memory_places p WHERE p.source",
    numbers_by_wording="SELECT v.row FROM memory_versions v WHERE v.same",
    position_by_source=(
        "SELECT min(p.position) FROM memory_places p WHERE p.row = e.row AND p.source"
    ),
    find="instr",
    greatest="max",
    one_of=_one_of,
    from_lines=_from_lines,
)
