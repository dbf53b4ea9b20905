"""Learn from the notes of the last few days, and report what a heartbeat read and learned.

A person may write anywhere in a note, not only at its end, so a note is read completely whenever
its digest has changed; statements that are already known are not stored again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.transcripts.reading import ReadPosition
from remem.files.walking import MemoryFile
from remem.learn.flush.items import SourceLessons, reject_untrusted_rule
from remem.learn.flush.result import FlushedItem, FlushResult, RefusedItem
from remem.model.authorship.turn import foreign_lines
from remem.model.daily_note import note_text
from remem.model.entry import Origin, Trust, lower_trust
from remem.model.lesson import KIND_OF_CATEGORY, Lesson
from remem.model.scope import MAIN
from remem.model.statement import NOT_IN_SOURCE, ExtractedStatement, SourceDocument, find_spelling
from remem.ports.models import Extractor
from remem.text.markdown import lines_of
from remem.text.note_dates import iso_date_in_name

_EMPHASIS: Final = str.maketrans("", "", "*_`~")


def notes_since(layout: Layout, day: str) -> Iterator[MemoryFile]:
    """Yield main's daily notes from `day` on, the earliest first."""
    notes = [
        (note_day, file)
        for file in memory_files(layout, MAIN)
        if file.refused is None and len(file.parts) == 2 and file.parts[0] == "memory"
        if (note_day := iso_date_in_name(file.path)) is not None and note_day >= day
    ]
    yield from (file for _, file in sorted(notes, key=lambda pair: (pair[0], pair[1].path)))


def read_note(
    note: MemoryFile, last_read: ReadPosition | None, extractor: Extractor, now: str, trust: Trust
) -> SourceLessons | None:
    """Return the lasting statements in a note, or None if it has not changed since last read."""
    data = atomic.read(note.absolute) or b""
    read_to = ReadPosition(len(data), data.count(b"\n"), atomic.digest(data), len(data))
    if not data or last_read == read_to:
        return None
    text = note_text(data).removeprefix("\ufeff").replace("\0", "\ufffd")
    extraction = extractor.extract(SourceDocument(note.path, text, now[:10]))
    lines, foreign_reasons = lines_of(text), foreign_lines(text)
    skipped: Counter[str] = Counter()
    lessons: list[Lesson] = []
    for statement in extraction.statements:
        if statement.noise is not None:
            skipped[statement.noise] += 1
        elif foreign_line := next(filter(foreign_reasons.get, statement.lines), None):
            skipped[foreign_reasons[foreign_line]] += 1
        elif not _is_in_lines(statement, lines):
            skipped[NOT_IN_SOURCE] += 1
        else:
            lessons.append(_lesson(statement, note.path, lower_trust(trust, "agent")))
    return SourceLessons(note.path, read_to, lessons, skipped=dict(skipped))


def _is_in_lines(statement: ExtractedStatement, lines: list[str]) -> bool:
    """Return whether the statement's words occur in its lines, apart from emphasis and label."""
    source = " ".join(lines[number - 1] for number in statement.lines).translate(_EMPHASIS)
    content = statement.content
    if statement.label:
        content = content.removeprefix(f"{statement.label}:").strip()
    return find_spelling(source, content.translate(_EMPHASIS)) is not None


def _lesson(statement: ExtractedStatement, path: str, trust: Trust) -> Lesson:
    """Return the statement as a lesson, with its secrets masked."""
    from remem.text.secrets.mask import redact  # slow to import: it compiles many patterns

    redaction = redact(statement.content)
    day = statement.day or iso_date_in_name(path)
    lesson = Lesson(
        kind=KIND_OF_CATEGORY[statement.category],
        text=redaction.text,
        trust=trust,
        origin=Origin(path, statement.lines[0]),
        said_at=f"{day}T00:00:00Z" if day else None,
        redacted=redaction.kinds,
    )
    return reject_untrusted_rule(replace(lesson, text=lesson.text.strip()))


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The result of a heartbeat.

    `conversations` and `notes` count the sources with something new. `known` counts what memory
    already had, `passed` what was skipped, by reason. `waiting` items are written as soon as their
    files can be written. `review` items wait for the owner, because they may be somebody else's
    words. `problems` names sources that could not be read, and models that did not answer. `unread`
    is the reason if conversations were not read.
    """

    at: str
    conversations: int = 0
    notes: int = 0
    written: tuple[FlushedItem, ...] = ()
    known: int = 0
    waiting: tuple[FlushedItem, ...] = ()
    review: tuple[FlushedItem, ...] = ()
    refused: tuple[RefusedItem, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class SourceResult:
    """A source that was read, and the result of flushing its lessons."""

    lessons: SourceLessons
    result: FlushResult


def build_report(
    at: str,
    conversations: Sequence[SourceResult],
    notes: Sequence[SourceResult],
    problems: Sequence[str],
) -> Heartbeat:
    """Return the report about all sources that were read at a time."""
    sources = [*conversations, *notes]
    skipped: Counter[str] = Counter()
    for source in sources:
        skipped.update(source.lessons.skipped)
    reasons = [
        source.lessons.fallback_reason or source.lessons.unreadable_reason for source in sources
    ]
    return Heartbeat(
        at=at,
        conversations=len(conversations),
        notes=len(notes),
        written=tuple(item for source in sources for item in source.result.written),
        known=sum(len(source.result.known) for source in sources),
        waiting=tuple(item for source in sources for item in source.result.waiting),
        review=tuple(item for source in sources for item in source.result.review),
        refused=tuple(item for source in sources for item in source.result.refused),
        passed=dict(skipped),
        problems=(*problems, *dict.fromkeys(filter(None, reasons))),
    )
