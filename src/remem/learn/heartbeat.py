"""What did a heartbeat learn? What was read, what it gave, and what was left and why.

What do the notes of the last days say that lasts? Read whole when they have changed.

A person may write anywhere in a note, so that no place in it tells what is new; a digest tells
whether anything is, and a statement that is known stays written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.transcripts.reading import ReadUpTo
from remem.files.walking import MemoryFile
from remem.learn.flush.items import Heard, refuse_power
from remem.learn.flush.result import Flushed, Kept, Refused
from remem.model.authorship.turn import foreign_lines
from remem.model.daily_note import note_text
from remem.model.entry import Category, Origin, Trust, lower_trust
from remem.model.lesson import Lesson, LessonKind
from remem.model.scope import MAIN
from remem.model.statement import NOT_THERE, Document, Statement, spelled_in
from remem.ports.models import Extractor
from remem.search.refresh.pieces import day_of_name
from remem.text.markdown import lines_of

_KIND_OF: Final[dict[Category, LessonKind]] = {
    "decision": "decision",
    "preference": "preference",
    "insight": "insight",
    "person": "person",
    "instruction": "rule",
    "fact": "fact",
    "project": "context",
}
_EMPHASIS: Final = str.maketrans("", "", "*_`~")


def notes_since(layout: Layout, day: str) -> Iterator[MemoryFile]:
    """Main's notes of the days from `day` on, the earliest first."""
    found = [
        (of, file)
        for file in memory_files(layout, MAIN)
        if file.refused is None and len(file.parts) == 2 and file.parts[0] == "memory"
        if (of := day_of_name(file.path)) is not None and of >= day
    ]
    yield from (each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].path)))


def read_note(
    note: MemoryFile, before: ReadUpTo | None, extractor: Extractor, now: str, trust: Trust
) -> Heard | None:
    """What a note says that lasts; None if it says what it said when it was last read."""
    data = atomic.read(note.absolute) or b""
    upto = ReadUpTo(len(data), data.count(b"\n"), atomic.digest(data), len(data))
    if not data or before == upto:
        return None
    text = note_text(data).removeprefix("\ufeff").replace("\0", "\ufffd")
    extraction = extractor.extract(Document(note.path, text, now[:10]))
    lines, foreign = lines_of(text), foreign_lines(text)
    passed: Counter[str] = Counter()
    lessons: list[Lesson] = []
    for statement in extraction.statements:
        if statement.noise is not None:
            passed[statement.noise] += 1
        elif why := next((foreign[line] for line in statement.lines if line in foreign), None):
            passed[why] += 1
        elif not _stands_there(statement, lines):
            passed[NOT_THERE] += 1
        else:
            lessons.append(_lesson(statement, note.path, lower_trust(trust, "agent")))
    return Heard(note.path, upto, lessons, passed=dict(passed))


def _stands_there(statement: Statement, lines: list[str]) -> bool:
    """Marks of emphasis are no words; what the headings add is not in the line."""
    place = " ".join(lines[number - 1] for number in statement.lines).translate(_EMPHASIS)
    own = statement.content
    if statement.topic:
        own = own.removeprefix(f"{statement.topic}:").strip()
    return spelled_in(place, own.translate(_EMPHASIS)) is not None


def _lesson(statement: Statement, path: str, trust: Trust) -> Lesson:
    """The statement in the words that a migration would give it, so that both are one."""
    from remem.text.secrets.mask import (
        redact,  # hundreds of patterns, which nothing else here needs
    )

    redaction = redact(statement.content)
    day = statement.day or day_of_name(path)
    lesson = Lesson(
        kind=_KIND_OF[statement.category],
        text=redaction.text,
        trust=trust,
        origin=Origin(path, statement.lines[0]),
        said_at=f"{day}T00:00:00Z" if day else None,
        redacted=redaction.kinds,
    )
    return refuse_power(replace(lesson, text=lesson.text.strip()))


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What came of reading what is new.

    `conversations` and `notes` count the sources that held something new. `known` counts what
    memory had already; `passed` what was left, by its reason. `review` waits for the owner: it may
    be somebody else's words. `troubles` are sources that could
    not be read, and models that gave no answer. `unread` says why conversations are not read,
    where that is a setting.
    """

    at: str
    conversations: int = 0
    notes: int = 0
    written: tuple[Kept, ...] = ()
    known: int = 0
    waiting: tuple[Kept, ...] = ()
    review: tuple[Kept, ...] = ()
    refused: tuple[Refused, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A source that was read, and what became of what it said."""

    heard: Heard
    done: Flushed


def told(
    at: str, conversations: Sequence[Source], notes: Sequence[Source], troubles: Sequence[str]
) -> Heartbeat:
    every = [*conversations, *notes]
    passed: Counter[str] = Counter()
    for source in every:
        passed.update(source.heard.passed)
    asides = [source.heard.trouble or source.heard.why_not for source in every]
    return Heartbeat(
        at=at,
        conversations=len(conversations),
        notes=len(notes),
        written=tuple(kept for source in every for kept in source.done.written),
        known=sum(len(source.done.known) for source in every),
        waiting=tuple(kept for source in every for kept in source.done.waiting),
        review=tuple(kept for source in every for kept in source.done.review),
        refused=tuple(one for source in every for one in source.done.refused),
        passed=dict(passed),
        troubles=(*troubles, *dict.fromkeys(aside for aside in asides if aside)),
    )
