"""Decide whether a statement of a file is proven to be a rule, a preference or a project.

The category of a statement may come from a single cue word, or from a heading about something else.
The index shows a category only with better evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import islice
from typing import TYPE_CHECKING, Final

from remem.entries.index_lines import MIGRATED_SOURCE
from remem.extract.headings import is_plain_heading, names_projects
from remem.extract.judge import judge
from remem.model.entry import Category, Entry, headings_in
from remem.model.statement import Place
from remem.ports.records import Where

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot

RULES: Final = frozenset({"rule", "preference"})
"""The signals of words that state a rule or a wish."""

_MAX_ENTRIES: Final = 80
_PROOF: Final[dict[Category, frozenset[str]]] = {
    "instruction": frozenset({"rule", "label_instruction"}),
    "preference": frozenset({"preference", "label_preference"}),
}
"""The signals that prove that a line is a rule or a preference."""

_REPORTS: Final = frozenset({"event", "status", "log_line", "dated", "active"})
_MAX_RULES_OF_NOTES: Final = 6


def shown_as(entry: Entry, signals: Set[str]) -> Category:
    """Return the category that a line of a file is shown with.

    A line is a project if a heading above it announces projects. A line whose category comes from
    a cue word or from a heading about something else is shown without one.
    """
    headings = headings_in(entry.context)
    if any(map(names_projects, headings)):
        return "project"
    if not _PROOF.get(entry.category, frozenset()).isdisjoint(signals):
        return entry.category
    under = entry.category in _PROOF and f"under_{entry.category}" in signals
    return entry.category if under and is_plain_heading(headings[-1]) else "fact"


def rules_of_notes(snapshot: Snapshot) -> Iterator[Entry]:
    """Return the latest statements of notes that their label calls a rule or a preference, and that
    are worded as one. Anything else in a note may be a log entry with the same words."""
    found = [
        entry
        for kind in ("instruction", "preference")
        for entry in snapshot.select(Where(category=kind), "latest", _MAX_ENTRIES)
        if entry.source == MIGRATED_SOURCE and entry.trust == "agent" and _is_labelled_rule(entry)
    ]
    found.sort(key=lambda entry: entry.created_at, reverse=True)
    return islice(found, _MAX_RULES_OF_NOTES)


def _is_labelled_rule(entry: Entry) -> bool:
    path = entry.origins[0].source if entry.origins else ""
    signals = judge(entry.content, Place(path, headings_in(entry.context))).signals
    labelled = not signals.isdisjoint(("label_instruction", "label_preference"))
    return labelled and not signals.isdisjoint(RULES) and signals.isdisjoint(_REPORTS)
