"""Generated Markdown pages in which people may write too.

Generated lines are between two markers. Everything outside the markers was written by people and is
kept. What they wrote between the markers is moved to a section of its own. The same points always
give the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from remem.model.page_sources import (
    BEGIN_LINE,
    BEGIN_PATTERN,
    END_PATTERN,
    HEADING,
    heading_name,
    listed_headings,
    with_marks,
    without_marks,
)
from remem.text.labels import headings, label
from remem.text.markdown import BULLET, front_matter_size, one_line
from remem.text.marked_line import MarkedLine, add_mark, line_digest, read_mark
from remem.text.words import fold

LONGTERM: Final = "memory/main/longterm.md"
DAILY: Final = "memory/main/daily-synced.md"
DERIVED: Final = frozenset({LONGTERM, DAILY})
"""Pages whose lines come from other Markdown files, which are searched instead."""

_BY_HAND: Final = "by_hand"
"""The label of the section for lines that people wrote between the markers."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A page, ready to be written.

    `rescued` are the lines that people wrote between the markers since the last time, `by_hand` all
    lines of the section for such lines, and `former_sources` the sources that the old page named.
    """

    text: str
    rescued: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    former_sources: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _PageParts:
    """The lines of a page before, between and after the markers."""

    before: list[str]
    inside: list[str]
    after: list[str]
    has_markers: bool


def compose_page(
    old: str | None,
    title: str,
    lines: Sequence[str],
    *,
    own_titles: Set[str],
    known_texts: Set[str] = frozenset(),
    facts: bool = False,
    language: str = "",
) -> GeneratedPage:
    """Put new generated lines into a page, and keep everything that people wrote.

    `lines` name their sources in marks, which are moved to the end marker; with `facts`, all lines
    but the first keep theirs. `own_titles` are the titles that generated headings may have had.
    `known_texts` are folded texts that are in memory: bullets with exactly these words are dropped
    from a page without markers, which an earlier version may have generated.
    """
    text = (old or "").removeprefix("\ufeff").replace("\r\n", "\n")
    own_digests = {line_digest(mark.text) for line in lines if (mark := read_mark(line))}
    parts = _split_page(text, title, known_texts, own_digests)
    titles = own_titles | listed_headings(text)
    rescued = [] if not parts.has_markers else list(_lines_to_rescue(parts.inside, lines, titles))
    after = _add_rescued(parts.after, rescued, language) if rescued else parts.after
    generated = without_marks(lines, facts=facts)
    content_lines = [
        *_without_blank_end(parts.before),
        "",
        BEGIN_LINE,
        "",
        *generated,
        *_after_one_blank(after),
    ]
    page = "\n".join(content_lines).rstrip("\n") + "\n"
    return GeneratedPage(
        text=_restore_format(page, old),
        rescued=tuple(rescued),
        by_hand=tuple(_section_lines(after)),
        former_sources=frozenset(_sources(parts.inside)),
    )


def is_generated(text: str) -> bool:
    """Return whether a page has generated lines, whatever the spelling of their markers."""
    return BEGIN_PATTERN.search(text) is not None


def generated_lines(text: str) -> list[MarkedLine]:
    """Return the lines between the markers that have sources."""
    lines = with_marks(text.replace("\r\n", "\n").split("\n"))
    first, last = _bounds(lines)
    marks = (read_mark(line) for line in lines[first : last + 1])
    return [mark for mark in marks if mark is not None]


def blank_generated_lines(text: str) -> str:
    """Return a page with its generated lines blank, so that other lines keep their numbers."""
    lines = text.split("\n")
    with_all_marks = with_marks([line.rstrip("\r") for line in lines])
    first, last = _bounds(with_all_marks)
    result = (
        line if not first <= index <= last or _is_by_hand(with_all_marks[index], None) else ""
        for index, line in enumerate(lines)
    )
    return "\n".join(result)


def blank_lines_with_sources(text: str) -> str:
    """Return a page in which the lines whose sources are in the end marker are blank.

    The end marker itself is blank too; lines that name their own sources are kept.
    """
    lines = text.split("\n")
    with_all_marks = with_marks([line.rstrip("\r") for line in lines])
    return "\n".join(
        line if line.rstrip("\r") == marked and not END_PATTERN.fullmatch(line.strip()) else ""
        for line, marked in zip(lines, with_all_marks, strict=True)
    )


def _split_page(text: str, title: str, known_texts: Set[str], own_digests: Set[str]) -> _PageParts:
    lines = with_marks(text.split("\n"))
    first, last = _bounds(lines, own_digests)
    if first <= last:
        return _PageParts(
            lines[:first], lines[first + 1 : last + 1], lines[last + 1 :], has_markers=True
        )
    start = _after_title(lines)
    before, after = lines[:start], lines[start:]
    if not any(line.strip() for line in before):
        before = [f"# {one_line(title)}"]
    after = [line for line in after if not _is_known(line, known_texts)]
    return _PageParts(before, [], after, has_markers=False)


def _bounds(lines: Sequence[str], own_digests: Set[str] = frozenset()) -> tuple[int, int]:
    """Return the indices of the first and the last generated line; (1, 0) if there are none.

    If somebody removed the end marker, the last one is the last line that names its sources or has
    one of the digests in `own_digests`.
    """
    begin = next((n for n, line in enumerate(lines) if BEGIN_PATTERN.fullmatch(line.strip())), None)
    if begin is None:
        return 1, 0
    ends = (n for n, line in enumerate(lines) if n > begin and END_PATTERN.fullmatch(line.strip()))
    marks = (
        n
        for n, line in enumerate(lines)
        if n > begin and (read_mark(line) or line_digest(line) in own_digests)
    )
    return begin, next(ends, max(marks, default=begin))


def _after_title(lines: Sequence[str]) -> int:
    """Return the index of the line after the front matter and the title of a page."""
    start = front_matter_size(lines)
    first = next((n for n in range(start, len(lines)) if lines[n].strip()), None)
    return first + 1 if first is not None and lines[first].startswith("# ") else start


def _is_known(line: str, known_texts: Set[str]) -> bool:
    bullet = BULLET.match(line)
    return bullet is not None and fold(line[bullet.end() :]) in known_texts


def _lines_to_rescue(
    inside: Sequence[str], lines: Sequence[str], own_titles: Set[str]
) -> Iterator[str]:
    """Yield what people wrote between the markers; an edited line names the sources it had."""
    titles = frozenset(
        {*own_titles, *(m["title"] for line in lines if (m := HEADING.fullmatch(line)))}
    )
    new = {line_digest(mark.text) for line in lines if (mark := read_mark(line))}
    for line in inside:
        mark = read_mark(line)
        if not _is_by_hand(line, titles) or (mark is None and line_digest(line) in new):
            continue
        yield f"{mark.text} <!-- instead of {' '.join(mark.sources)} -->" if mark else line


def _is_by_hand(line: str, titles: Set[str] | None) -> bool:
    """Return whether a person wrote or changed a line between the markers.

    Headings that are a date or one of `titles` count as generated; if that is None, all headings.
    """
    bare = line.strip()
    if not bare or BEGIN_PATTERN.fullmatch(bare) or END_PATTERN.fullmatch(bare):
        return False
    if heading := HEADING.fullmatch(bare):
        title = heading["title"].strip()
        if titles is None or _DAY.fullmatch(title):
            return False
        return titles.isdisjoint((title, heading_name(title)))
    mark = read_mark(line)
    return mark is None or mark.changed


def _sources(inside: Sequence[str]) -> Iterator[str]:
    for line in inside:
        if mark := read_mark(line):
            yield from mark.sources


def _add_rescued(after: list[str], paragraphs: list[str], language: str) -> list[str]:
    """Return the lines after the markers, with the rescued lines at the end of their section."""
    begin, end = _section_bounds(after)
    if begin is None:
        return ["", f"## {label(_BY_HAND, language)}", "", *paragraphs, *_after_one_blank(after)]
    body = after[begin + 1 : end]
    new = [line for line in paragraphs if line not in body]
    return [*after[: begin + 1], *_without_blank_end(body), *new, *_after_one_blank(after[end:])]


def _section_lines(after: Sequence[str]) -> list[str]:
    begin, end = _section_bounds(after)
    return [] if begin is None else [line for line in after[begin + 1 : end] if line.strip()]


def _section_bounds(lines: Sequence[str]) -> tuple[int | None, int]:
    titles = headings(2, _BY_HAND)
    begin = next((n for n, line in enumerate(lines) if line.strip() in titles), None)
    if begin is None:
        return None, len(lines)
    heads = (n for n in range(begin + 1, len(lines)) if lines[n].startswith(("# ", "## ")))
    return begin, next(heads, len(lines))


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    """Return the lines without the empty ones at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])


def _after_one_blank(lines: Sequence[str]) -> list[str]:
    """Return the lines with exactly one empty line before them; nothing if all are empty."""
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    return [] if start is None else ["", *lines[start:]]


def _restore_format(text: str, old: str | None) -> str:
    """Restore the line endings and the byte order mark of the old text."""
    if old is None:
        return text
    result = text.replace("\n", "\r\n") if old.count("\r\n") * 2 > old.count("\n") else text
    return f"\ufeff{result}" if old.startswith("\ufeff") else result


@dataclass(frozen=True, slots=True)
class Point:
    """One item of a page: its text, its source, and `group`, the heading that it goes under.

    Points with a `subgroup` have a heading of their own below that of the group. `state` is added
    to the text in brackets, and so is `day`.
    """

    source: str
    text: str
    group: str
    day: str | None = None
    state: str = ""
    subgroup: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that summarises some points."""

    text: str
    sources: tuple[str, ...]


def page_lines(lead: str, points: Sequence[Point], prose: Sequence[Sentence] = ()) -> list[str]:
    """Return the generated lines of a page: `lead`, then the points in their groups.

    A sentence replaces the points that are its sources, and goes into the group of the first one.
    """
    lines = [lead]
    covered_sources = {source for sentence in prose for source in sentence.sources}
    for group, group_points in groupby(points, lambda point: point.group):
        members = list(group_points)
        sources = {point.source for point in members}
        sentences = [sentence for sentence in prose if sentence.sources[0] in sources]
        uncovered = [point for point in members if point.source not in covered_sources]
        if sentences or uncovered:
            heading = ["", f"## {group}", ""] if group else [""]
            lines += [*heading, *_group_lines(sentences, uncovered)]
    return lines


def _group_lines(sentences: Sequence[Sentence], rest: Sequence[Point]) -> Iterator[str]:
    for sentence in sentences:
        yield add_mark(sentence.text, sentence.sources)
    is_first = not sentences
    for subgroup, points in groupby(rest, lambda point: point.subgroup):
        if not is_first:
            yield ""
        is_first = False
        if subgroup:
            yield from (f"### {subgroup}", "")
        for point in points:
            yield add_mark(f"- {point.text}{_suffix(point)}", (point.source,))


def _suffix(point: Point) -> str:
    """Return the state and the day of a point, but not a day that the text or a heading names."""
    named = f"{point.group} {point.subgroup} {point.text}"
    day = point.day if point.day and point.day not in named else ""
    details = ", ".join(detail for detail in (point.state, day) if detail)
    return f" ({details})" if details else ""
