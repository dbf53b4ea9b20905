"""Compare a statement with the others of the owner's files.

It may be replaced by a later one, be one of the latest decisions, begin a project, or stand for a
part of somebody's biography.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from remem.entries.index_lines import section_order
from remem.extract.headings import announced_kind, is_biography, lists_projects, names_projects
from remem.extract.signals import label_of
from remem.model.entry import Entry, headings_in

_DECIDED: Final = 2.0
_OUTDATED: Final = -1.0
_MAX_DECISIONS: Final = 6
_DAY: Final = re.compile(r"20\d\d-\d\d-\d\d")
_TODAY: Final = re.compile(
    r"\b(?:present|current(?:ly)?|today|now|heute|aktuell|aujourd'hui|actuel\w*|actual\w*|"
    r"atual\w*|hoy|hoje|настоящее|сейчас)\b|至今|现在|現在|今",
    re.IGNORECASE,
)


def replaced(statements: Sequence[Entry]) -> Iterator[int]:
    """Yield the positions of statements that a later one with the same label and heading replaces.

    The later one gives the value as it is now. Neighbours with one label are a list.
    """
    latest: dict[tuple[str, ...], int] = {}
    for at, entry in enumerate(statements):
        if name := label_of(entry.content):
            path = entry.origins[0].source if entry.origins else ""
            key = (path, *headings_in(entry.context)[-1:], name)
            if latest.get(key, at - 1) != at - 1:
                yield latest[key]
            latest[key] = at


def latest_decisions(statements: Sequence[Entry]) -> dict[str, float]:
    """Return the worth that the latest dated decisions gain, and that earlier ones lose."""
    days = {
        entry.id: (day[0], at)
        for at, entry in enumerate(statements)
        if any(announced_kind(title) == "decision" for title in headings_in(entry.context))
        and (day := _DAY.search(entry.content))
    }
    in_order = sorted(days, key=lambda id_: days[id_], reverse=True)
    return {
        id_: _DECIDED if number < _MAX_DECISIONS else _OUTDATED
        for number, id_ in enumerate(in_order)
    }


def chosen_of_biographies(statements: Sequence[Entry]) -> set[int]:
    """Return the positions of the statements that stand for each part of a biography."""
    parts: dict[str | None, list[int]] = {}
    for at, entry in enumerate(statements):
        if any(map(is_biography, headings_in(entry.context))):
            parts.setdefault(entry.context, []).append(at)
    return {
        next((at for at in part if _TODAY.search(statements[at].content)), part[0])
        for part in parts.values()
    }


def begins_project(headings: Sequence[str], *, is_first: bool) -> bool:
    """Return whether a statement is the first one about a project.

    It is an item directly below a heading that announces projects, or the beginning of a section
    below such a heading or of a section on one project.
    """
    if not any(map(names_projects, headings)):
        return False
    if not any(map(lists_projects, headings)):
        return is_first and names_projects(headings[-1])
    return is_first or lists_projects(headings[-1])


def rank(statement: Entry) -> tuple[bool, int]:
    """Return the order in which statements are read, if there are too many for all of them."""
    order = section_order(statement.context or "") or 0
    return statement.priority not in ("critical", "high"), order
