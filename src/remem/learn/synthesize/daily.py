"""Plan the page `main/daily-synced.md`, which lists the lasting statements of recent notes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Final

from remem.files.host_files import FileContent, note_files
from remem.files.layout import Layout
from remem.files.start_files import owner_language
from remem.learn.synthesize.plan import PagePlan
from remem.model.page import DAILY, Point
from remem.model.statement import SourceDocument
from remem.ports.models import Extractor
from remem.text.labels import keys_by_label, label
from remem.text.markdown import BULLET, CHECKBOX, is_fence, lines_of, one_line, outline
from remem.text.marked_line import lesson_ids_in, remove_lesson_marks
from remem.text.note_dates import day_of_headings, iso_date_in_name
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_hash, sentences
from remem.text.tokens import estimate
from remem.text.words import fold, search_terms

MAX_GIST_LENGTH: Final = 240
_QUOTE: Final = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_WIDE_STOP: Final = re.compile(r"([。！？]) ")
ANNOUNCES: Final = re.compile(r"[:：][*_\s]*$")
"""The end of a line that only announces the lines after it, such as `**Rules:**`."""
_PARTS: Final = keys_by_label("happened", "learned", "why", "decided", "next")
_LINE: Final = re.compile(
    rf"{BULLET.pattern}(?P<part>[^:：]{{2,30}}?)[ \t]*[:：][ \t]*(?P<text>.+)"
)
_MAIN_FOLDER: Final = "memory/main/"
_MAX_DAYS: Final = 14
_MAX_POINTS_PER_DAY: Final = 8
_MAX_TOPICS: Final = 6
_MAX_EVENTS: Final = 4
_MAX_EVENT_LENGTH: Final = 140
MAX_TOPIC_LENGTH: Final = 50
_MIN_WORDS: Final = 2
_SAVED_TURN: Final = re.compile(
    r"^(?:[-*] )?(?:\*\*)?(?:Session (?:Key|ID)|user|assistant|human|system)(?:\*\*)?\s*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a conversation that a host saved as a note."""
_FORM_FIELD: Final = re.compile(
    r"(?:[^:：]{1,30}[:：])?\W*\d{1,4}[-:：/.年]\d|[^:：]{1,30}[:：][*\s]*\S*[\d/]\S*$|.*[:：]\W*$|.*\\n"
)
"""A field of a form: a label alone, or with a date, a time, an id or a path, such as `**Created**:
2026-11-18`; or a text with line breaks that were written as `\\n`."""
_BOLD_LABEL: Final = re.compile(r"\*\*[^*]{1,20}\*\*")
TIME: Final = re.compile(
    r"\A\W{0,3}\d{1,2}[:：h]\d\d(?:[:：]\d\d)?(?: ?[A-Za-z]{1,4}\b)?(?: ?\([^()]*\))?"
    r"\W{0,3}[\s:：]+(?=\w\w)"
)
"""The time of day in front of an event."""
_DAILY_TOKENS: Final = 1_500
_DAILY_MARK_TOKENS: Final = 10
"""The tokens of the source behind each point."""


def gist(text: str, max_length: int = MAX_GIST_LENGTH) -> str:
    """Return the first sentences of a statement that fit on one line; a long one is cut at a word.

    Code, quotation marks of Markdown and nested lines are left out, and so is a last sentence that
    only announces the nested lines. If there is no other sentence, the nested lines are appended.
    """
    stripped = (_QUOTE.sub("", line) for line in text.strip().split("\n"))
    lines = list(takewhile(lambda line: not is_fence(line), stripped))
    not_nested = list(takewhile(lambda line: not BULLET.match(line), lines))
    parts = [part for line in not_nested for part in sentences(line)]
    while len(parts) > 1 and ANNOUNCES.search(parts[-1]):
        parts.pop()
    if parts and ANNOUNCES.search(parts[-1]):
        nested = (BULLET.sub("", line.strip(), count=1) for line in lines[len(not_nested) :])
        parts.append("; ".join(line for line in nested if line))
    line = one_line(redact(_joined(parts)).text)
    if len(line) <= max_length:
        return line
    fitting = ""
    for sentence in sentences(line):
        longer = _joined([fitting, sentence])
        if len(longer) > max_length:
            break
        fitting = longer
    if fitting:
        return fitting
    head = line[: max_length - 1]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head[max_length // 2 :] else head}…"


def _joined(parts: Sequence[str]) -> str:
    """Return sentences as one text, without a space after a Chinese or Japanese full stop."""
    return _WIDE_STOP.sub(r"\1", " ".join(filter(None, parts)))


@dataclass(frozen=True, slots=True)
class FlushedLine:
    """A line that a flush wrote, and the key of its label, such as `learned`."""

    number: int
    part: str
    text: str


def flushed_lines(text: str) -> Iterator[FlushedLine]:
    """Yield the lines that a flush wrote into a note, recognised by their marks.

    The headings of their blocks are left out.
    """
    for number, line in enumerate(lines_of(text), 1):
        if not lesson_ids_in(line):
            continue
        match = _LINE.fullmatch(remove_lesson_marks(line).rstrip())
        part = _PARTS.get(fold(match["part"])) if match else None
        if match is not None and part is not None:
            yield FlushedLine(number, part, match["text"])


def daily_plan(
    layout: Layout, extractor: Extractor, today: str, problems: list[str]
) -> PagePlan | None:
    """Return the page about the latest days with notes; None if they have nothing to show."""
    notes = dated_notes(layout, problems)
    days = sorted(notes, reverse=True)[:_MAX_DAYS]
    points = list(_days_that_fit(_points(notes[day], day, extractor, today) for day in days))
    if not points:
        return None
    days_on_page = list(dict.fromkeys(point.group for point in points))
    span = " – ".join(dict.fromkeys([days_on_page[-1], days_on_page[0]]))
    language = owner_language(layout)
    return PagePlan(
        path=DAILY,
        title=label("recent_days", language),
        about="notes",
        made_from="memory",
        lead=label("days_with_notes", language, "texts").format(span=span),
        points=points,
        language=language,
    )


def dated_notes(layout: Layout, problems: list[str]) -> dict[str, list[FileContent]]:
    """Return the notes by the day in their names."""
    notes: dict[str, list[FileContent]] = defaultdict(list)
    for note in note_files(layout, problems):
        day = iso_date_in_name(note.path)
        if day is not None and not note.path.startswith(_MAIN_FOLDER):
            notes[day].append(note)
    return notes


def _days_that_fit(days: Iterator[list[Point]]) -> Iterator[Point]:
    """Yield the points of as many complete days as fit; `days` has the points of each day.

    The latest day comes first. A statement that is repeated is listed only for its latest day.
    """
    room, seen_texts = _DAILY_TOKENS, set[int]()
    for day in days:
        points = [point for point in day if folded_hash(point.text) not in seen_texts]
        seen_texts.update(folded_hash(point.text) for point in points)
        room -= sum(estimate(point.text) + _DAILY_MARK_TOKENS for point in points)
        if room < 0:
            return
        yield from points


def _points(
    notes: Sequence[FileContent], day: str, extractor: Extractor, today: str
) -> list[Point]:
    """Return the statements of a day; its events or topics if there are none."""
    found: dict[int, Point] = {}
    decided = set[Point]()
    for note in notes:
        for number, statement, is_decision in sorted(_statements(note, extractor, today)):
            text = gist(statement)
            if ANNOUNCES.search(text):
                continue
            source = f"{note.path.replace(' ', '%20')}#L{number}"
            point = found.setdefault(folded_hash(text), Point(source, text, day))
            if is_decision:
                decided.add(point)
    chosen = sorted(found.values(), key=lambda point: point not in decided)[:_MAX_POINTS_PER_DAY]
    points = [point for point in found.values() if point in chosen]
    if not points:
        events = (event for note in notes for event in _events(note, day))
        points = list({folded_hash(event.text): event for event in events}.values())[:_MAX_EVENTS]
    if not points:
        points = [topics for note in notes if (topics := _topics(note, day))][:1]
    return points


def _statements(
    note: FileContent, extractor: Extractor, today: str
) -> Iterator[tuple[int, str, bool]]:
    """Yield the lasting statements in a note and the lines that a flush wrote.

    Each comes with its line number, and whether it is a decision. Left out are tasks, because they
    are in main's attention.md, and reasons, which cannot be understood without the line that they
    belong to.
    """
    for statement in extractor.extract(SourceDocument(note.path, note.text, today)).statements:
        if statement.likely:
            yield statement.lines[0], statement.content, statement.category == "decision"
    for line in flushed_lines(note.text):
        if line.part not in ("next", "why"):
            yield line.number, line.text, line.part == "decided"


def _events(note: FileContent, day: str) -> Iterator[Point]:
    """Yield the first line of each section of a daily note, for a day without lasting statements.

    Notes with saved conversations are left out, because anybody may have said their lines.
    """
    if PurePosixPath(note.path).stem != day or _SAVED_TURN.search(note.text):
        return
    seen_headings = set[tuple[str, ...]]()
    for block in outline(note.text):
        headings = tuple(title for title in block.headings if not day_of_headings((title,)))
        if headings in seen_headings or block.kind not in ("bullet", "text") or block.level:
            continue
        without_time = TIME.sub("", CHECKBOX.sub("", block.text, count=1), count=1)
        text = gist(without_time, _MAX_EVENT_LENGTH)
        is_label = _FORM_FIELD.match(text) or _BOLD_LABEL.fullmatch(text)
        if is_label or len(search_terms(text)) < _MIN_WORDS:
            continue
        seen_headings.add(headings)
        title = TIME.sub("", headings[-1], count=1) if headings else ""
        topic = gist(title, MAX_TOPIC_LENGTH).rstrip(":： ")
        source = f"{note.path.replace(' ', '%20')}#L{block.start}"
        yield Point(source, f"{topic}: {text}" if topic else text, day)


def _topics(note: FileContent, day: str) -> Point | None:
    """Return the headings of a note, for a day whose notes have nothing else to show."""
    headings = [block.text for block in outline(note.text) if block.kind == "heading"]
    topics = [text for text in dict.fromkeys(headings) if text and not day_of_headings((text,))]
    if not topics:
        return None
    text = gist("; ".join(topics[:_MAX_TOPICS]))
    return Point(note.path.replace(" ", "%20"), text, day)
