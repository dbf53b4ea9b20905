"""The headings of the index: the owner's own, so that every line keeps its scope.

A line such as `Price: 5 €` says little without the heading it was under. The lines of a section are
therefore shown below its heading, which is written once, rather than in front of each line. The
text that introduces a list, such as `Ask first:`, is shown in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, zip_longest
from typing import Final

from remem.entries.index_wording import shortened
from remem.extract.headings import (
    announced_kind,
    bare_title,
    names_procedure,
    topic_of,
    without_brackets,
)
from remem.extract.line_marks import named_cells
from remem.fast_dataclass import dataclass
from remem.model.entry import PATH_SEPARATOR, Entry, Origin, headings_in
from remem.model.host_loading import CURATED_FILES
from remem.text.note_dates import mentions

_MAX_LENGTH: Final = 70
_MIN_LIST: Final = 3
_FIRST_LEVEL: Final = 3
_MAX_HEADINGS: Final = 2
_FIRST: Final = ("instruction", "preference", "person")
_BRACKETS: Final = re.compile(r"[(（][^()（）]*[)）]")
_CLOCK: Final = re.compile(r"\d[:：]\d\d")
_LABEL: Final = re.compile(r"([^:：\n]{2,70}): (?=\S)")
_CONFIDENTIAL: Final = re.compile(
    r"\b(?:confidential|private|secret|vertraulich|privat|geheim|confidentiel|priv[ée]e?|secr[eè]te?|"
    r"confidencial|privad[oa]|secreto|segredo|sigilos[oa]|конфиденциальн|личн|секретн)"
    r"|机密|保密|私密|秘密|機密|極秘|비밀|기밀",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class IndexSection:
    """Where a line is shown: the file that it comes from, and the titles above it.

    `label` is the last title if it introduces a list; the line is then shown without it. `headings`
    are all headings above the line, the title of the file first, which may be empty.
    """

    file: str
    titles: tuple[str, ...] = ()
    label: str = ""
    headings: tuple[str, ...] = ()

    def headings_after(self, above: IndexSection | None) -> Iterator[str]:
        """Return the headings to write between a line of `above` and one of this section."""
        if above is None:
            above = IndexSection(self.file)
        if self.titles == above.titles:
            return
        if not self.titles:
            yield from ("", f"{'#' * _FIRST_LEVEL} {self.file}")
            return
        pairs = zip(self.titles, above.titles, strict=False)
        same = next((n for n, (one, two) in enumerate(pairs) if one != two), len(above.titles))
        yield ""
        for level in range(min(same, len(self.titles) - 1), len(self.titles)):
            yield f"{'#' * (_FIRST_LEVEL + level)} {self.titles[level]}"

    @property
    def is_confidential(self) -> bool:
        """Return whether a heading says that its content is not for everyone.

        Such a heading is not named where its lines are left out.
        """
        return any(map(_CONFIDENTIAL.search, (*self.titles, *self.headings)))

    @property
    def is_procedure(self) -> bool:
        """Whether its lines are steps, some of which alone would mislead."""
        return any(map(names_procedure, self.titles[-1:]))

    def with_and_without_label(self, text: str) -> tuple[str, ...]:
        """Return a line, and what it says without the label of its list.

        The label may say what kind of line it is, and hide how the line begins.
        """
        label = _LABEL.match(text) if self.label else None
        return (text, text[label.end() :]) if label else (text,)

    def only_topics(self) -> IndexSection:
        """Return the section without titles that only name a kind of memory."""
        titles = tuple(title for title in self.titles if topic_of(title) is not None)
        return replace(self, titles=titles)


def place_of(entry: Entry) -> Origin | None:
    """Return the line that an entry comes from."""
    return entry.origins[0] if entry.origins else None


def places_in(file: str, entry: Entry) -> Iterator[Entry]:
    """Yield an entry once for each of its lines in a file, with the headings above that line.

    The same words under two headings are one entry, and a statement in both places.
    """
    contexts = (entry.context or "").split("\n")
    above = [line for line in contexts if line.split(PATH_SEPARATOR, 1)[0] == file]
    lines = [origin for origin in entry.origins if origin.source == file]
    for origin, context in zip_longest(lines, above[: len(lines)]):
        yield replace(entry, origins=(origin,), context=context or above[-1] if above else None)


def sections_of(entries: Iterable[Entry]) -> dict[Origin | None, IndexSection]:
    """Return the section of each statement by its place, in the order of the index.

    Entries are given in the order of the files. That order is kept, except that in each file the
    sections on rules, preferences and people come first, and in each section its lists last. If
    all statements of a file are under the same first heading, it is the title of the file.
    """
    headings = {place_of(entry): (_file_of(entry), headings_in(entry.context)) for entry in entries}
    first: dict[str, set[str]] = {}
    for file, above in headings.values():
        first.setdefault(file, set()).add(above[0] if above else "")
    sections: dict[Origin | None, IndexSection] = {}
    for (_, label), members in groupby(entries, key=lambda entry: (entry.context, _label(entry))):
        listed = list(members)
        title = label if len(listed) >= _MIN_LIST else ""
        for entry in listed:
            file, above = headings[place_of(entry)]
            above = above if len(first[file]) == 1 else ("", *above)
            titles = _shown(above[1:] if file in CURATED_FILES else above)
            titles_above = (*titles, title) if title else titles
            sections[place_of(entry)] = IndexSection(file, titles_above, title, above)
    files = list(first)
    begins: dict[tuple[str, ...], int] = {}
    for at, section in enumerate(sections.values()):
        begins.setdefault((section.file, *section.headings), at)

    def order(item: tuple[Origin | None, IndexSection]) -> tuple[int, int, int, bool]:
        section = item[1]
        begin = begins[section.file, *section.headings]
        return files.index(section.file), _order(section), begin, bool(section.label)

    return dict(sorted(sections.items(), key=order))


def _order(section: IndexSection) -> int:
    if not section.titles:
        return 0
    return 1 if announced_kind(section.titles[0]) in _FIRST else 2


def _label(entry: Entry) -> str:
    match = None if named_cells(entry.content) else _LABEL.match(entry.content)
    return match[1].strip("*_` ") if match else ""


def _file_of(entry: Entry) -> str:
    return entry.origins[0].source if entry.origins else ""


def _shown(headings: Iterable[str]) -> tuple[str, ...]:
    titles = [title for heading in headings if (title := _title(heading))]
    return (titles[0], titles[-1]) if len(titles) > _MAX_HEADINGS else tuple(titles)


def _title(heading: str) -> str:
    """Return a heading as it is shown; empty if it says nothing, such as "Notes"."""
    if topic_of(heading) is None and announced_kind(heading) is None:
        return ""
    title = bare_title(_BRACKETS.sub(_without_date, heading))
    return shortened(title if len(title) <= _MAX_LENGTH else without_brackets(title), _MAX_LENGTH)


def _without_date(brackets: re.Match[str]) -> str:
    is_dated = mentions(brackets[0]) or _CLOCK.search(brackets[0])
    return " " if is_dated else brackets[0]
