"""Insert new bullets into the body of a domain file, and remove headings that have lost theirs.

A new bullet follows the other bullets of its section, wherever a person has moved them. Without
others it goes below the heading of its section, and a heading that is missing is added at the end.
Nothing that is already in the file is moved. A heading is removed only if remem has removed the
last bullet below it, and that bullet belonged there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.domain_file.document import DomainHeading, DomainItem, DomainProse, lines_of, show
from remem.model.entry import headings_in
from remem.model.section import Section, can_be_read_alone, is_same_section, section_title
from remem.text.words import fold

_LAST_LEVEL: Final = 6
_BLANK: Final = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class BodyRow:
    """A part of the body: a bullet with its `id`, a heading with its `level`, or other prose.

    `path` are the headings above it, its own included, without the title of the file. `after_gap`
    says that metadata were above it, which are now written elsewhere; `added` that it is new. If a
    bullet was removed here, `removed_from` is the section that it belonged to.
    """

    text: str
    path: Section = ()
    id: str | None = None
    level: int = 0
    is_item: bool = False
    after_gap: bool = False
    added: bool = False
    removed_from: Section | None = None

    @property
    def is_blank(self) -> bool:
        return not self.text.strip(_BLANK)

    def is_below(self, path: Section, *, whole: bool) -> bool:
        """Return whether the row is directly below these headings; with `whole`, at any depth."""
        return self.path == path or (whole and self.path[: len(path)] == path)


@dataclass(frozen=True, slots=True)
class BodyPiece:
    """A segment of the file with its new text, and the id of its entry.

    The text of a bullet that is removed is empty.
    """

    segment: DomainItem | DomainProse
    text: str
    id: str | None = None
    after_gap: bool = False


class Body:
    """The body of a domain file, into which bullets can be inserted.

    `sections` maps the id of each entry to its section.
    """

    def __init__(self, pieces: Iterable[BodyPiece], sections: Mapping[str, Section]) -> None:
        self._rows = list(rows_of(pieces))
        self._sections = sections
        self._end_without_section: int | None = None
        """Where the next bullet without a section follows the last one, if that is known."""

    def insert(self, id_: str, text: str) -> None:
        """Insert a new bullet in its section, and add the section's missing headings."""
        section = self._sections.get(id_, ())
        at, missing = self._place(section, text)
        path = self._rows[at - 1].path if at else ()
        new: list[BodyRow] = []
        if missing:
            path = section[: len(section) - len(missing)]
            above = self._heading_of(path)
            level = self._rows[above].level if above is not None else 1
            for title in missing:
                path, level = (*path, title), min(level + 1, _LAST_LEVEL)
                new.append(BodyRow(f"{'#' * level} {show(title)}", path, level=level, added=True))
        self._rows[at:at] = [*new, BodyRow(text, path, id_, is_item=True, added=True)]
        self._end_without_section = None if section else at + 1

    def text(self, newline: str, below: Iterable[BodyPiece]) -> str:
        """Return the text of the body, followed by the pieces that were `below` the metadata.

        A blank line separates new headings and lists from what is around them.
        """
        body, after_item, after_added = "", False, False
        rows = [*self._rows, *rows_of(below)]
        empty = emptied_rows(rows)
        for row in (row for at, row in enumerate(rows) if at not in empty):
            if row.added:
                if not after_added or row.level:
                    body = with_blank_line_at_end(body, newline)
                    body = body.removesuffix(newline) if after_item and row.is_item else body
                body += f"{row.text}{newline}{newline}" if row.level else row.text
            elif row.after_gap:
                if row.is_blank:
                    continue
                body = with_blank_line_at_end(body, newline)
                body += row.text if row.is_item else row.text.lstrip()
            elif after_added and not row.is_blank and not row.text.startswith(("\n", "\r")):
                if not (row.is_item and after_item):
                    body = with_blank_line_at_end(body, newline)
                body += row.text
            else:
                body += row.text
            if row.added or not row.is_blank:
                after_item, after_added = row.is_item, row.added
        return body

    def _place(self, section: Section, text: str) -> tuple[int, Section]:
        """Return the index at which a bullet is inserted, and the headings to add there.

        It follows the last other bullet of its section. A text that cannot be understood without a
        heading follows the last one that is below a heading.
        """
        if not section:
            end = self._end_without_section
            return self._end_of(0, (), whole=False) if end is None else end, ()
        needs_no_heading = can_be_read_alone(_words_of(text))
        for at in range(len(self._rows) - 1, -1, -1):
            row = self._rows[at]
            is_in_section = row.id and row.text and self._sections.get(row.id) == section
            if is_in_section and (row.path or needs_no_heading):
                return at + 1, ()
        for size in range(len(section), 0, -1):
            heading = self._heading_of(section[:size])
            if heading is not None:
                path, whole = self._rows[heading].path, size < len(section)
                return self._end_of(heading, path, whole=whole), section[size:]
        return self._end_of(0, (), whole=True), section

    def _heading_of(self, section: Section) -> int | None:
        """Return the index of the heading of a section."""
        headings = (
            at
            for at, row in enumerate(self._rows)
            if row.level and is_same_section(section, row.path)
        )
        return next(headings, None)

    def _end_of(self, start: int, path: Section, *, whole: bool) -> int:
        """Return the index after the last row below the headings `path` that is not blank.

        With `whole`, the sections inside are included.
        """
        end = start
        while end < len(self._rows) and self._rows[end].is_below(path, whole=whole):
            end += 1
        while end > start and self._rows[end - 1].is_blank:
            end -= 1
        return end


def _words_of(bullet: str) -> str:
    """Return the text of a rendered bullet without its dash and its id."""
    return bullet.removeprefix("- ").rpartition(" ^")[0]


def rows_of(pieces: Iterable[BodyPiece]) -> Iterator[BodyRow]:
    """Yield the rows of the segments of a file."""
    above: list[tuple[int, str]] = []
    has_heading = False
    for piece in pieces:
        segment, level, removed_from = piece.segment, 0, None
        if isinstance(segment, DomainHeading):
            level = segment.level
            above = [(other, title) for other, title in above if other < level]
            if has_heading or level > 1:  # otherwise it is the title of the file
                above.append((level, segment.title))
            else:
                level = 0
            has_heading = True
        elif isinstance(segment, DomainItem) and not piece.text:
            removed_from = section_of(segment)
        yield BodyRow(
            piece.text,
            tuple(title for _, title in above),
            piece.id,
            level,
            isinstance(segment, DomainItem),
            piece.after_gap,
            removed_from=removed_from,
        )


def section_of(item: DomainItem) -> Section:
    """Return the section that an item belongs to, according to its metadata."""
    headings = headings_in(item.meta.context if item.meta else None)
    return tuple(title for heading in headings if (title := section_title(heading)))


def emptied_rows(rows: Sequence[BodyRow]) -> set[int]:
    """Return the indices of headings that lost their last bullet, and of the blank rows below.

    A heading counts only if a bullet that belonged to its section was removed below it.
    """
    empty: set[int] = set()
    below: list[int] = []
    is_filled = False
    removed_from: list[Section] = []
    filled_path: Section = ()
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        if row.removed_from is not None:
            removed_from.append(row.removed_from)
        if not row.level:
            is_filled = is_filled or not row.is_blank
            below.append(at)
            continue
        belonged = any(fold(row.path[-1]) in map(fold, section) for section in removed_from)
        has_filled_part = filled_path[: len(row.path)] == row.path
        if is_filled or has_filled_part or not belonged:
            removed_from, filled_path = [], row.path
        else:
            empty.update([at, *below])
        below, is_filled = [], False
    return empty


def with_blank_line_at_end(body: str, newline: str) -> str:
    """Return the text with exactly one blank line at its end.

    A text that is blank becomes empty, except for a byte order mark.
    """
    lines = lines_of(body)
    while lines and not lines[-1].strip(_BLANK):
        lines.pop()
    if not lines:
        return "\ufeff" if body.startswith("\ufeff") else ""
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    return "".join([*lines, newline])
