"""What does `main/daily-synced.md` tell? What the notes of the last days leave behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from remem.core.likeness import wording
from remem.core.outline import outline
from remem.core.page import DAILY
from remem.core.point import Point
from remem.core.statement import Document
from remem.core.tokens import estimate
from remem.maintenance.synthesis.distilled import gist
from remem.maintenance.synthesis.flushed import flushed_lines
from remem.maintenance.synthesis.plan import Plan
from remem.notes.audited import Found, note_files
from remem.notes.layout import Layout
from remem.ports import Extractor
from remem.refresh.days import day_of_headings, day_of_name

_OWN: Final = "memory/main/"
_DAYS: Final = 14
_A_DAY: Final = 8
_TOPICS: Final = 6
_TOKENS: Final = 1_500
_MARK: Final = 18


def daily_plan(layout: Layout, extractor: Extractor, today: str, trouble: list[str]) -> Plan | None:
    """The page of the latest days that have notes; None where there are no notes."""
    notes = dated_notes(layout, trouble)
    days = sorted(notes, reverse=True)[:_DAYS]
    points = list(_fitting(_points(notes[day], day, extractor, today) for day in days))
    if not points:
        return None
    told = list(dict.fromkeys(each.group for each in points))
    span = told[0] if len(told) == 1 else f"{told[-1]} to {told[0]}"
    return Plan(
        path=DAILY,
        title="Recent days",
        about="notes",
        made_from="memory",
        lead=f"{len(told)} {'day' if len(told) == 1 else 'days'} with notes, {span}.",
        points=points,
    )


def dated_notes(layout: Layout, trouble: list[str]) -> dict[str, list[Found]]:
    """The notes of each day that their names tell."""
    notes: dict[str, list[Found]] = defaultdict(list)
    for found in note_files(layout, trouble):
        day = day_of_name(found.path)
        if day is not None and not found.path.startswith(_OWN):
            notes[day].append(found)
    return notes


def _fitting(days: Iterator[list[Point]]) -> Iterator[Point]:
    """Whole days, the latest first, as far as the page goes."""
    room = _TOKENS
    for points in days:
        room -= sum(estimate(each.text) + _MARK for each in points)
        if room < 0:
            return
        yield from points


def _points(notes: Sequence[Found], day: str, extractor: Extractor, today: str) -> list[Point]:
    found: dict[int, Point] = {}
    for note in notes:
        for number, told in sorted(_told(note, extractor, today)):
            text = gist(told)
            source = f"{note.path.replace(' ', '%20')}#L{number}"
            found.setdefault(wording(text), Point(source, text, day))
    points = list(found.values())[:_A_DAY]
    return points or [topics for note in notes if (topics := _topics(note, day))][:1]


def _told(note: Found, extractor: Extractor, today: str) -> Iterator[tuple[int, str]]:
    """What lasts of a note, and what its conversations taught: that has another home, too, but
    that it was learned is the day's. Tasks are told by main's attention.md."""
    for each in extractor.extract(Document(note.path, note.text, today)).statements:
        if each.noise is None:
            yield each.lines[0], each.content
    for line in flushed_lines(note.text):
        if line.part != "Next":
            yield line.number, line.text


def _topics(note: Found, day: str) -> Point | None:
    """A day that taught nothing is told by its headings."""
    titles = [each.text for each in outline(note.text) if each.kind == "heading"]
    telling = [each for each in dict.fromkeys(titles) if each and not day_of_headings((each,))]
    if not telling:
        return None
    text = gist("; ".join(telling[:_TOPICS]))
    return Point(note.path.replace(" ", "%20"), text, day)
