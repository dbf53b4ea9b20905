"""What does `main/longterm.md` tell? MEMORY.md in short: what binds first, then the rest.

What is left of a statement where a page has room for its gist? Its first sentences.

Which lines of a note tell of a conversation? Those that a flush wrote: each carries its mark.

What does `main/daily-synced.md` tell? What the notes of the last days leave behind.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from remem.files.host_files import Found, note_files, owners_file
from remem.files.layout import Layout
from remem.learn.synthesize.plan import Plan
from remem.model.entry import CATEGORIES, PRIORITIES, Category
from remem.model.host_loading import MEMORY_MD
from remem.model.page import DAILY, LONGTERM, Point
from remem.model.statement import Document, Statement
from remem.ports.models import Extractor
from remem.search.refresh.pieces import day_of_headings, day_of_name
from remem.text.markdown import lines_of, outline
from remem.text.marked_line import marks_in, one_line, without_marks
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_number, sentences
from remem.text.tokens import estimate

LONGEST: Final = 240
_BELOW: Final = re.compile(r"[ \t]*(?:```|~~~|[-*+•][ \t]|\d+[.)][ \t])")


def gist(text: str, longest: int = LONGEST) -> str:
    """One line of whole sentences, as many as fit; a longer one is cut at a word. Code and what
    is nested below say more than a gist."""
    own = takewhile(lambda line: not _BELOW.match(line), text.strip().split("\n"))
    line = one_line(redact(" ".join(own)).text)
    if len(line) <= longest:
        return line
    kept = ""
    for sentence in sentences(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > longest:
            break
        kept = longer
    if kept:
        return kept
    head = line[: longest - 1]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head[longest // 2 :] else head}…"


_LINE: Final = re.compile(
    r"[ \t]*[-*+•][ \t]+(?P<part>Happened|Learned|Why it matters|Decided|Next):[ \t]*(?P<text>.+)"
)


@dataclass(frozen=True, slots=True)
class Flushed:
    """A line of a flush; `part` says what it is: learned, decided, next and so on."""

    number: int
    part: str
    text: str


def flushed_lines(text: str) -> Iterator[Flushed]:
    """In their order. The head of a block, which only says when, has no part and is left out."""
    for number, line in enumerate(lines_of(text), 1):
        if not marks_in(line):
            continue
        match = _LINE.fullmatch(without_marks(line).rstrip())
        if match is not None:
            yield Flushed(number, match["part"], match["text"])


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
    told = list(dict.fromkeys(point.group for point in points))
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
        room -= sum(estimate(point.text) + _MARK for point in points)
        if room < 0:
            return
        yield from points


def _points(notes: Sequence[Found], day: str, extractor: Extractor, today: str) -> list[Point]:
    found: dict[int, Point] = {}
    for note in notes:
        for number, told in sorted(_told(note, extractor, today)):
            text = gist(told)
            source = f"{note.path.replace(' ', '%20')}#L{number}"
            found.setdefault(folded_number(text), Point(source, text, day))
    points = list(found.values())[:_A_DAY]
    return points or [topics for note in notes if (topics := _topics(note, day))][:1]


def _told(note: Found, extractor: Extractor, today: str) -> Iterator[tuple[int, str]]:
    """What lasts of a note, and what its conversations taught: that has another home, too, but
    that it was learned is the day's. Tasks are told by main's attention.md."""
    for statement in extractor.extract(Document(note.path, note.text, today)).statements:
        if statement.noise is None:
            yield statement.lines[0], statement.content
    for line in flushed_lines(note.text):
        if line.part != "Next":
            yield line.number, line.text


def _topics(note: Found, day: str) -> Point | None:
    """A day that taught nothing is told by its headings."""
    titles = [block.text for block in outline(note.text) if block.kind == "heading"]
    telling = [each for each in dict.fromkeys(titles) if each and not day_of_headings((each,))]
    if not telling:
        return None
    text = gist("; ".join(telling[:_TOPICS]))
    return Point(note.path.replace(" ", "%20"), text, day)


_LONGTERM_TOKENS: Final = 1_500
_LONGTERM_MARK: Final = 14
"""What the comment at the end of a line costs."""
_TITLES: Final[dict[Category, str]] = {
    "instruction": "Rules",
    "preference": "Preferences",
    "person": "People",
    "decision": "Decisions",
    "project": "Projects",
    "insight": "Lessons",
    "fact": "Facts",
}
_ORDER: Final = tuple(_TITLES)


def longterm_plan(
    layout: Layout, extractor: Extractor, today: str, trouble: list[str]
) -> Plan | None:
    """The page, or None where MEMORY.md says nothing."""
    found = owners_file(layout, MEMORY_MD, trouble)
    if found is None or not found.text.strip():
        return None
    said = extractor.extract(Document(MEMORY_MD, found.text, today, curated=True)).statements
    lasting = _lasting(said)
    if not lasting:
        return None
    chosen = _chosen(lasting)
    chosen.sort(key=lambda each: (_ORDER.index(each.category), each.lines))
    more = len(lasting) - len(chosen)
    rest = f"; {more} more stand there" if more else ""
    return Plan(
        path=LONGTERM,
        title="Long-term memory",
        about=MEMORY_MD,
        made_from=MEMORY_MD,
        lead=f"{len(chosen)} of {len(lasting)} statements of {MEMORY_MD}{rest}.",
        points=[_point(statement) for statement in chosen],
        titles=frozenset(_TITLES[category] for category in CATEGORIES),
    )


def _lasting(said: Sequence[Statement]) -> list[Statement]:
    """Each thing once, without what is over, noise, or nothing but code."""
    found: dict[int, Statement] = {}
    for statement in said:
        current = statement.noise is None and statement.standing == "current"
        if current and "status" not in statement.tags and gist(statement.content):
            found.setdefault(folded_number(gist(statement.content)), statement)
    return list(found.values())


def _chosen(lasting: Sequence[Statement]) -> list[Statement]:
    """What weighs most, as far as the page goes; of equal weight some of every category, the
    latest first."""
    room, chosen = _LONGTERM_TOKENS, []
    for statement in _ranked(lasting):
        room -= estimate(gist(statement.content)) + _LONGTERM_MARK
        if room < 0:
            break
        chosen.append(statement)
    return chosen


def _ranked(lasting: Sequence[Statement]) -> list[Statement]:
    latest = sorted(lasting, key=lambda each: each.day or "", reverse=True)
    seen: Counter[tuple[str, str]] = Counter()
    places: list[tuple[int, int, int, Statement]] = []
    for each in latest:
        kind = (each.priority, each.category)
        weight, turn = PRIORITIES.index(each.priority), seen[kind]
        places.append((weight, turn, _ORDER.index(each.category), each))
        seen[kind] += 1
    return [each for *_, each in sorted(places, key=lambda place: place[:3])]


def _point(each: Statement) -> Point:
    return Point(
        f"{MEMORY_MD}#L{each.lines[0]}", gist(each.content), _TITLES[each.category], each.day
    )
