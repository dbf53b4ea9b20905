"""The headings under which entries are listed in their domain file.

An entry from a file has the headings above its line in its context: `MEMORY.md › Home › Kitchen`.
They say what a line such as `Name: Milo` is about. Entries without such a context come first in
their file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from remem.model.entry import PATH_SEPARATOR, Entry, headings_in
from remem.text.markdown import one_line
from remem.text.note_dates import mentions
from remem.text.words import fold

Section = tuple[str, ...]
"""The headings of a section, the highest first; empty for the beginning of the file."""

_MAX_LENGTH: Final = 100
_EDGES: Final = " \t*_~#:：-–—|·"
_FILE_NAME: Final = re.compile(
    r"^[a-z0-9_./-]+\.md(?:[ \t]*(?:[-–—:：|·]|$)|(?=[ \t]*[(（]))", re.IGNORECASE | re.ASCII
)
_CLOCK: Final = re.compile(r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?|\b[A-Z]{2,4}\b")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=1024)
def section_title(heading: str) -> str:
    """Return the heading of a section; empty if it names only a day or a file, or is a whole
    paragraph."""
    title = one_line(heading).strip(_EDGES)
    title = _FILE_NAME.sub("", title, count=1).strip(_EDGES) if ".md" in title.lower() else title
    return "" if len(title) > _MAX_LENGTH or _names_a_day(title) else title


def _names_a_day(title: str) -> bool:
    days = mentions(title)
    for mention in reversed(days):
        title = f"{title[: mention.start]} {title[mention.end :]}"
    return bool(days) and len(_WORD.findall(_CLOCK.sub(" ", title))) <= 1


def sections_of(entries: Iterable[Entry], titles: Iterable[str] = ()) -> dict[str, Section]:
    """Return the section of each entry of a domain file, by its id.

    The title of a file says little about a line: it is left out if all entries from that file have
    it, unless some of them have no other heading. `titles` are the titles of the domain file, which
    a section does not repeat.
    """
    own = frozenset(map(fold, titles))
    paths: dict[str, tuple[str, Section]] = {}
    first: dict[str, set[Section]] = defaultdict(set)
    for entry in entries:
        source = (entry.context or "").partition(PATH_SEPARATOR)[0]
        titles = (section_title(heading) for heading in headings_in(entry.context))
        path = tuple(title for title in titles if title)
        paths[entry.id] = source, path
        if path:
            first[source].add(path if len(path) == 1 else (*path[:1], ""))
    untitled = {source for source, starts in first.items() if len(starts) == 1}
    sections = {
        id_: path[1:] if source in untitled and len(path) > 1 else path
        for id_, (source, path) in paths.items()
    }
    return {
        id_: path[1:] if path and fold(path[0]) in own else path for id_, path in sections.items()
    }


def is_same_section(section: Section, headings: Section) -> bool:
    """Return whether the headings above a place are all headings of a section, or its last ones.

    The title of a file may have been left out when the section was written.
    """
    size = min(len(section), len(headings))
    return bool(size) and [*map(fold, section[-size:])] == [*map(fold, headings[-size:])]
