"""What do the notes of the last days say that lasts? Read whole when they have changed.

A person may write anywhere in a note, so that no place in it tells what is new; a digest tells
whether anything is, and a statement that is known stays written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from remem.core.authorship import foreign_lines
from remem.core.daily_note import note_text
from remem.core.entry import Category, Origin, Trust, lower_trust
from remem.core.grounding import NOT_THERE, spelled_in
from remem.core.lesson import Lesson
from remem.core.lesson_kinds import LessonKind
from remem.core.outline import lines_of
from remem.core.scope import MAIN
from remem.core.statement import Document, Statement
from remem.maintenance.flush.conversation import Heard
from remem.maintenance.flush.items import refuse_power
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.memory_files import MemoryFile, memory_files
from remem.notes.transcripts.read_up_to import ReadUpTo
from remem.ports import Extractor
from remem.refresh.days import day_of_name

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
        (of, each)
        for each in memory_files(layout, MAIN)
        if each.refused is None and len(each.parts) == 2 and each.parts[0] == "memory"
        if (of := day_of_name(each.path)) is not None and of >= day
    ]
    yield from (each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].path)))


def read_note(
    note: MemoryFile, before: ReadUpTo | None, extractor: Extractor, now: str, trust: Trust
) -> Heard | None:
    """What a note says that lasts; None if it says what it said when it was last read."""
    data = files.read(note.absolute) or b""
    upto = ReadUpTo(len(data), data.count(b"\n"), files.digest(data), len(data))
    if not data or before == upto:
        return None
    text = note_text(data).removeprefix("\ufeff").replace("\0", "\ufffd")
    extraction = extractor.extract(Document(note.path, text, now[:10]))
    lines, foreign = lines_of(text), foreign_lines(text)
    passed: Counter[str] = Counter()
    lessons: list[Lesson] = []
    for each in extraction.statements:
        if each.noise is not None:
            passed[each.noise] += 1
        elif why := next((foreign[line] for line in each.lines if line in foreign), None):
            passed[why] += 1
        elif not _stands_there(each, lines):
            passed[NOT_THERE] += 1
        else:
            lessons.append(_lesson(each, note.path, lower_trust(trust, "agent")))
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
    from remem.core.secrets import redact  # hundreds of patterns, which nothing else here needs

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
