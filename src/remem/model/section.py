"""The headings under which entries are listed in their domain file.

The context of an entry that was found in a file has the headings above its line, as in
`MEMORY.md › Home › Kitchen`. They say what a line such as `Name: Milo` is about. Entries without
such a context come first in their domain file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from remem.model.entry import PATH_SEPARATOR, Entry, headings_in, needs_heading
from remem.model.host_loading import CURATED_FILES
from remem.text.markdown import one_line
from remem.text.note_dates import mentions
from remem.text.words import fold

Section = tuple[str, ...]
"""The headings above a section, the highest first; empty at the beginning of the file."""

_MAX_LENGTH: Final = 100
_EDGES: Final = " \t*_~#:：-–—|·"
_FILE_NAME: Final = re.compile(
    r"^[a-z0-9_./-]+\.md(?:[ \t]*(?:[-–—:：|·]|$)|(?=[ \t]*[(（]))", re.IGNORECASE | re.ASCII
)
_CLOCK: Final = re.compile(r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?|\b[A-Z]{2,4}\b")
LABELLED: Final = re.compile(r"\W*\w[^:：.!?]{1,40}[:：]\W*\s*\S")
"""A label with a value, which cannot be understood without the heading above it."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=1024)
def section_title(heading: str) -> str:
    """Return the title of the section for a heading, or an empty string if it should have none.

    This is so for headings that only name a day or a file, and for very long ones.
    """
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

    `titles` are the titles that the domain file may have; they are not repeated as a section. A
    heading with a single bullet below it is left out if the bullet can be understood without it.
    """
    by_id = {entry.id: entry for entry in entries}
    sections = sections_in({id_: entry.context for id_, entry in by_id.items()}, titles)
    for depth in range(max(map(len, sections.values()), default=0), 0, -1):
        members = Counter(section[:depth] for section in sections.values())
        for id_, section in sections.items():
            is_single = len(section) == depth and members[section] == 1
            if is_single and can_be_read_alone(by_id[id_].content):
                sections[id_] = section[:-1]
    return sections


def sections_in(
    contexts: Mapping[str, str | None], titles: Iterable[str] = ()
) -> dict[str, Section]:
    """Return the section for each context, by its id, without headings that say little.

    These are `titles`, the titles of the domain file, and the title of the file that the entries
    come from. The latter is kept if it is the only heading that some contexts from that file have.
    """
    own_titles = frozenset(map(fold, titles))
    paths: dict[str, tuple[str, Section]] = {}
    starts_by_source: dict[str, set[Section]] = defaultdict(set)
    for id_, context in contexts.items():
        source = (context or "").partition(PATH_SEPARATOR)[0]
        names = (section_title(heading) for heading in headings_in(context))
        path = tuple(name for name in names if name)
        paths[id_] = source, path
        if path:
            starts_by_source[source].add(path if len(path) == 1 else (*path[:1], ""))
    with_title = {source for source, starts in starts_by_source.items() if len(starts) == 1}
    sections = {}
    for id_, (source, path) in paths.items():
        section = path[1:] if source in with_title and len(path) > 1 else path
        if section and fold(section[0]) in own_titles:
            is_only = len(section) == 1 and section != path and source not in CURATED_FILES
            section = path[:1] if is_only else section[1:]
        sections[id_] = section
    return sections


def can_be_read_alone(content: str) -> bool:
    """Return whether a text can be understood alone: it is not short, and no label with a value."""
    return not needs_heading(content) and not LABELLED.match(content)


def is_same_section(section: Section, headings: Section) -> bool:
    """Return whether a section and the headings above a line are equal, or one ends with the other.

    One of them may lack the title of a file.
    """
    size = min(len(section), len(headings))
    return bool(size) and [*map(fold, section[-size:])] == [*map(fold, headings[-size:])]
