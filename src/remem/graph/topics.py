"""Decide which tags are topics of the graph.

Tags that somebody chose always are. Migration also makes tags from headings; these are not topics
if the heading is only a date or the purpose of a section, such as `Key insights`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from remem.extract.headings import tag_of, topic_of
from remem.model.entry import Entry, headings_in
from remem.text.date_words import MONTHS_IN_NOTES, WEEKDAYS
from remem.text.pattern_file import pattern_file
from remem.text.words import fold

_CODE: Final = re.compile(r"[0-9a-f]{6}|[a-z]?\d+")
"""A colour, a number, or a rank such as `p1`."""


def topics_of(entry: Entry) -> list[str]:
    """Return the tags of an entry that name a subject."""
    if not entry.tags:
        return []
    titles = headings_in(entry.context)
    headings = {fold(tag) for title in titles for tag in (title, tag_of(title) or "")}
    return [tag for tag in entry.tags if fold(tag) not in headings or _names_a_subject(tag)]


@lru_cache(maxsize=4096)
def _names_a_subject(heading: str) -> bool:
    """Return whether a heading has other words than those for sections and dates."""
    words = re.findall(r"\w+", _unspaced().sub(" ", fold(heading)))
    unknown = [word for word in words if word not in _spaced() and not _CODE.fullmatch(word)]
    return any(len(word) > 1 for word in unknown) and topic_of(" ".join(unknown)) is not None


@cache
def _spaced() -> frozenset[str]:
    """Return the words for sections, and for the days and months of headings such as `Mar 2`."""
    return pattern_file("graph/topics").words("spaced") | {*MONTHS_IN_NOTES, *WEEKDAYS}


@cache
def _unspaced() -> re.Pattern[str]:
    unspaced_words = pattern_file("graph/topics").words("unspaced")
    return re.compile("|".join(sorted(unspaced_words, key=len, reverse=True)))
