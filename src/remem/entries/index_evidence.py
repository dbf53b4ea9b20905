"""Decide whether a statement of a file is proven to be a rule, a preference or a project.

The category of a statement may come from a single cue word, or from a heading about something else.
The index shows a category only with better evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from remem.entries.index_headings import places_in
from remem.entries.index_lines import MIGRATED_SOURCE, lines_of
from remem.entries.index_wording import breaks_off
from remem.extract.headings import is_plain_heading, names_projects
from remem.extract.judge import judge
from remem.extract.noise import is_daily
from remem.model.entry import Category, Entry, headings_in
from remem.model.statement import Place
from remem.ports.records import Where
from remem.ports.state import Namespace
from remem.text.note_dates import date_in_name

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot

PAGES: Final[Namespace[tuple[str, ...]]] = Namespace("pages", tuple[str, ...])
"""The migrated files in `memory/` that somebody keeps on one topic."""

MIGRATED_FILES: Final[Namespace[tuple[str, ...]]] = Namespace("migrated files", tuple[str, ...])
"""The files that completed migrations have read."""

RULES: Final = frozenset({"rule", "preference"})
"""The signals of words that state a rule or a wish."""

_MAX_ENTRIES: Final = 80
_PROOF: Final[dict[Category, frozenset[str]]] = {
    "instruction": frozenset({"rule", "label_instruction"}),
    "preference": frozenset({"preference", "label_preference"}),
}
"""The signals that prove that a line is a rule or a preference."""

_EXPLICIT: Final = frozenset({"label_instruction", "label_preference"})
_OF_NOTES: Final[tuple[Category, ...]] = ("instruction", "preference", "decision")
_MAX_OF_NOTES: Final = 10
_RECENT: Final = timedelta(days=14)
"""How long before the last note a note is recent."""


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


def latest_of_notes(snapshot: Snapshot) -> tuple[list[Entry], list[Entry]]:
    """Return the latest rules, wishes and decisions in daily notes.

    They are from the last two weeks, or have a label that says that they are the owner's rules or
    wishes. Those with such a label come first, then the others, the last ones first. Lines that
    only announce others are left out.
    """
    entries = [
        entry
        for kind in _OF_NOTES
        for entry in snapshot.select(Where(category=kind, trust="agent"), "latest", _MAX_ENTRIES)
        if entry.source == MIGRATED_SOURCE and _is_in_daily_note(entry) and _is_complete(entry)
    ]
    entries.sort(key=lambda entry: (_is_explicit(entry), entry.created_at, entry.id), reverse=True)
    since = _recent_since(snapshot)
    recent = [entry for entry in entries if entry.created_at >= since]
    earlier = [entry for entry in entries if entry.created_at < since and _is_explicit(entry)]
    return recent[:_MAX_OF_NOTES], earlier[:_MAX_OF_NOTES]


def _recent_since(snapshot: Snapshot) -> str:
    """Return the first day of the two weeks that end with the last note; empty without notes."""
    files = snapshot.record(MIGRATED_FILES) or ()
    days = [day for file in files if is_daily(file) and (day := date_in_name(file))]
    return (max(days) - _RECENT).isoformat() if days else ""


def _is_complete(entry: Entry) -> bool:
    """Whether an entry has one line of content, and does not only announce what follows it."""
    lines = lines_of(entry)
    return bool(lines) and not breaks_off(lines[0].text)


def _is_explicit(entry: Entry) -> bool:
    place = Place(entry.origins[0].source, headings_in(entry.context))
    signals = judge(entry.content, place).signals
    return not signals.isdisjoint(_EXPLICIT) and not signals.isdisjoint(RULES)


def stated_on_pages(snapshot: Snapshot) -> Iterator[Entry]:
    """Yield the statements that are only on pages in `memory/`, page by page."""
    for page in snapshot.record(PAGES) or ():
        entries = snapshot.select(Where(trust="agent", from_source=page), "position")
        page_entries = [entry for entry in entries if entry.origins[0].source == page]
        places = [place for entry in page_entries for place in places_in(page, entry)]
        yield from sorted(places, key=lambda entry: entry.origins[0].position or 0)


def _is_in_daily_note(entry: Entry) -> bool:
    return entry.priority != "low" and any(is_daily(origin.source) for origin in entry.origins)
