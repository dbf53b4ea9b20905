"""How is what is known told on a page? Point by point, under a heading each group of them.

The same points give the same lines. A point that a sentence tells need not be told again; one
that no sentence tells stands in its own words.

Which lines of a page are remem's, and which a person's? Each of ours says so itself.

What remem makes of other files stands between two marks. All that is outside of them is the
person's and stays, line by line; what he wrote between them moves to a section of his own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from remem.text.marked_line import Marked, marked, one_line, read_mark
from remem.text.words import fold

LONGTERM: Final = "memory/main/longterm.md"
DAILY: Final = "memory/main/daily-synced.md"
DERIVED: Final = frozenset({LONGTERM, DAILY})
"""Pages whose words stand in other Markdown files, where a search finds them already."""

KEPT: Final = "## Kept by hand"
BEGIN: Final = "<!-- remem: begin (made by remem: write your own lines above or below) -->"
END: Final = "<!-- remem: end -->"

_BEGIN: Final = re.compile(r"<!-- remem: begin\b[^>]*-->")
_END: Final = re.compile(r"<!-- remem: end\b[^>]*-->")
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?P<title>.*)")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is to be written. `rescued` are the person's lines that stood among ours;
    `by_hand` all lines of the section that keeps such lines; `shown` what the page named as
    its sources before."""

    text: str
    rescued: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Parts:
    before: list[str]
    inside: list[str]
    after: list[str]
    found: bool


def compose(
    old: str | None,
    title: str,
    lines: Sequence[str],
    *,
    ours: Set[str],
    known: Set[str] = frozenset(),
) -> Page:
    """The page with new lines of ours; everything that a person wrote is still there.

    `ours` are titles that our headings may have had. `known` are folded texts that the record
    has word for word: where a page was never made by remem, its bullets that say just that
    are not repeated.
    """
    text = (old or "").removeprefix("\ufeff")
    parts = _taken_apart(text, title, known)
    rescued = [] if not parts.found else list(_rescued(parts.inside, lines, ours))
    after = _with_kept(parts.after, rescued) if rescued else parts.after
    made = [*_trimmed(parts.before), "", BEGIN, "", *lines, "", END, *_led(after)]
    whole = "\n".join(made).rstrip("\n") + "\n"
    return Page(
        text=_like(whole, old),
        rescued=tuple(rescued),
        by_hand=tuple(_section(after)),
        shown=frozenset(_sources(parts.inside)),
    )


def lines_of_ours(text: str) -> list[Marked]:
    """The lines between the marks that carry one of their own."""
    lines = text.replace("\r\n", "\n").split("\n")
    first, last = _bounds(lines)
    found = (read_mark(line) for line in lines[first : last + 1])
    return [mark for mark in found if mark is not None]


def without_ours(text: str) -> str:
    """The text with every line of ours left empty: what a person has written, on its lines."""
    lines = text.split("\n")
    first, last = _bounds([line.rstrip("\r") for line in lines])
    kept = (
        line
        if not first <= place <= last
        or _is_foreign(line.rstrip("\r"), frozenset(), any_heading=True)
        else ""
        for place, line in enumerate(lines)
    )
    return "\n".join(kept)


def _taken_apart(text: str, title: str, known: Set[str]) -> _Parts:
    lines = text.replace("\r\n", "\n").split("\n")
    first, last = _bounds(lines)
    if first <= last:
        return _Parts(lines[:first], lines[first + 1 : last + 1], lines[last + 1 :], found=True)
    at = _behind_title(lines)
    rest = [line for line in lines[at:] if not _says(line, known)]
    before = lines[:at] if any(line.strip() for line in lines[:at]) else [f"# {one_line(title)}"]
    return _Parts(before, [], rest, found=False)


def _bounds(lines: Sequence[str]) -> tuple[int, int]:
    """The places of the first and the last line of ours; (1, 0) if there are none. An end that
    somebody removed is where the last line with a mark stands."""
    begin = next((n for n, line in enumerate(lines) if _BEGIN.fullmatch(line.strip())), None)
    if begin is None:
        return 1, 0
    ends = (n for n, line in enumerate(lines) if n > begin and _END.fullmatch(line.strip()))
    marks = (n for n, line in enumerate(lines) if n > begin and read_mark(line))
    return begin, next(ends, max(marks, default=begin))


def _behind_title(lines: Sequence[str]) -> int:
    """Where our lines go in a page of a person: behind front matter and the first title."""
    at = 0
    if lines and lines[0].rstrip() == "---":
        closing = (n for n in range(1, min(len(lines), 60)) if lines[n].rstrip() == "---")
        at = next(closing, -1) + 1
    rest = (n for n in range(at, len(lines)) if lines[n].strip())
    head = next(rest, None)
    return head + 1 if head is not None and lines[head].startswith("# ") else at


def _says(line: str, known: Set[str]) -> bool:
    bullet = _BULLET.match(line)
    return bullet is not None and fold(line[bullet.end() :]) in known


def _rescued(inside: Sequence[str], lines: Sequence[str], ours: Set[str]) -> Iterator[str]:
    """What a person wrote among our lines. One of ours that he changed says which it was."""
    titles = frozenset({*ours, *(m["title"] for line in lines if (m := _HEADING.fullmatch(line)))})
    for line in inside:
        if not _is_foreign(line, titles):
            continue
        mark = read_mark(line)
        yield f"{mark.text} <!-- instead of {' '.join(mark.sources)} -->" if mark else line


def _is_foreign(line: str, titles: Set[str], *, any_heading: bool = False) -> bool:
    bare = line.strip()
    if not bare or _BEGIN.fullmatch(bare) or _END.fullmatch(bare):
        return False
    if heading := _HEADING.fullmatch(bare):
        title = heading["title"].strip()
        return not (any_heading or title in titles or _DAY.fullmatch(title))
    mark = read_mark(line)
    return mark is None or mark.changed


def _sources(inside: Sequence[str]) -> Iterator[str]:
    for line in inside:
        if mark := read_mark(line):
            yield from mark.sources


def _with_kept(after: list[str], rescued: list[str]) -> list[str]:
    """The rescued lines at the end of their section, which is made where there is none."""
    begin, end = _section_bounds(after)
    if begin is None:
        return ["", KEPT, "", *rescued, *_led(after)]
    body = after[begin + 1 : end]
    new = [line for line in rescued if line not in body]
    return [*after[: begin + 1], *_trimmed(body), *new, *_led(after[end:])]


def _section(after: Sequence[str]) -> list[str]:
    begin, end = _section_bounds(after)
    return [] if begin is None else [line for line in after[begin + 1 : end] if line.strip()]


def _section_bounds(lines: Sequence[str]) -> tuple[int | None, int]:
    begin = next((n for n, line in enumerate(lines) if line.strip() == KEPT), None)
    if begin is None:
        return None, len(lines)
    heads = (n for n in range(begin + 1, len(lines)) if lines[n].startswith(("# ", "## ")))
    return begin, next(heads, len(lines))


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Without the empty lines at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])


def _led(lines: Sequence[str]) -> list[str]:
    """With one empty line in front, unless nothing follows."""
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    return [] if start is None else ["", *lines[start:]]


def _like(text: str, old: str | None) -> str:
    """With the line endings and the first sign of the old text."""
    if old is None:
        return text
    ended = text.replace("\n", "\r\n") if old.count("\r\n") * 2 > old.count("\n") else text
    return f"\ufeff{ended}" if old.startswith("\ufeff") else ended


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to be told: its words, where they stand, and under which heading they go."""

    source: str
    text: str
    group: str
    day: str | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words that somebody else found for some points."""

    text: str
    sources: tuple[str, ...]


def lines_of_page(lead: str, points: Sequence[Point], prose: Sequence[Sentence] = ()) -> list[str]:
    """A page's lines: `lead`, then each group, in the order in which its points come.

    A sentence stands in the group of the first of its points.
    """
    lines = [lead]
    told = {source for sentence in prose for source in sentence.sources}
    for group, of_group in groupby(points, lambda point: point.group):
        own = list(of_group)
        sources = {point.source for point in own}
        sentences = [sentence for sentence in prose if sentence.sources[0] in sources]
        rest = [point for point in own if point.source not in told]
        if sentences or rest:
            lines += ["", f"## {group}", "", *_told(sentences, rest)]
    return lines


def _told(sentences: Sequence[Sentence], rest: Sequence[Point]) -> Iterator[str]:
    for sentence in sentences:
        yield marked(sentence.text, sentence.sources)
    if sentences and rest:
        yield ""
    for point in rest:
        yield marked(f"- {point.text}{_when(point)}", (point.source,))


def _when(point: Point) -> str:
    """Its state and its day, unless its own words name the day."""
    day = point.day if point.day and point.day not in point.text else ""
    said = ", ".join(each for each in (point.state, day) if each)
    return f" ({said})" if said else ""
