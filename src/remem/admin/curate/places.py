"""Where candidate lines come from: file, heading, and the introduction of their list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remem.model.entry import Entry, headings_in
from remem.model.host_loading import CURATED_FILES
from remem.model.statement import Place
from remem.text.markdown import one_line
from remem.text.note_dates import iso_date_in_name
from remem.text.statements import strip_markup

_MAX_HEADING_LENGTH: Final = 40
_COMPARED_LENGTH: Final = 12
"""The number of characters of a line that must follow the introduction of its list."""


class Sections:
    """The names of sections, each made of a file and the nearest heading below the file's title.

    A heading is the title of a file if all its statements are below it.
    """

    def __init__(self, places: Iterable[Place]) -> None:
        first_headings: dict[str, set[str]] = {}
        for place in places:
            first_headings.setdefault(place.path, set()).add("".join(place.headings[:1]))
        self._titled = {path for path, titles in first_headings.items() if len(titles) == 1}

    def name(self, place: Place) -> str:
        """Return the name of the section that a place is in: `MEMORY.md, Rules`."""
        below = place.headings[1:] if place.path in self._titled else place.headings
        headings = [one_line(heading.rstrip(" :："), _MAX_HEADING_LENGTH) for heading in below[-1:]]
        return ", ".join([place.path, *headings])


def place_of(entry: Entry) -> Place:
    """Return the place of an entry; without an origin, the path says who stored it."""
    source = entry.origins[0].source if entry.origins else f"stored by {entry.trust}"
    return Place(source, headings_in(entry.context))


def label_above(entry: Entry, shown: str) -> str:
    """Return the introduction of an entry's list if the page shows it above the line `shown`."""
    label, colon, rest = strip_markup(entry.content).partition(": ")
    is_above = colon and "\n" not in label and rest.startswith(shown[:_COMPARED_LENGTH])
    return one_line(label, _MAX_HEADING_LENGTH) if is_above and label not in shown else ""


def position_of(entry: Entry) -> tuple[str, int]:
    """Return the file and the line of an entry."""
    origin = entry.origins[0] if entry.origins else None
    return (origin.source, origin.position or 0) if origin else ("", 0)


def is_topic_page(path: str) -> bool:
    """Return whether a file is a page about one topic."""
    return path.endswith(".md") and path not in CURATED_FILES and iso_date_in_name(path) is None


def section_sort_key(path: str) -> tuple[bool, bool]:
    """Return the rank of a file in a batch: USER.md and MEMORY.md, then notes, then topic pages."""
    return path not in CURATED_FILES, is_topic_page(path)
