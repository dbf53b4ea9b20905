"""What does a day's note tell of a conversation? One block, and in it only what there is:
what happened, what was learned, why it matters, what was decided, what is next.

Each line carries the id of what it tells, so that telling it again adds nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.files.domain_file.document import show
from remem.learn.file_updates.changes import Change, place
from remem.learn.file_updates.routing import Where
from remem.learn.file_updates.tasks import State
from remem.model.daily_note import behind
from remem.model.lesson import Lesson, lesson_id
from remem.text.marked_line import lesson_mark, marks_in

Clock = Callable[[str | None], str]
"""The owner's time of day at a moment; at this one, if it is not known when."""

HEAD: Final = "Conversation"
_PARTS: Final = ("Happened", "Learned", "Why it matters", "Decided", "Next")
_PART_OF: Final = {
    "context": "Happened",
    "fact": "Learned",
    "person": "Learned",
    "preference": "Learned",
    "insight": "Learned",
    "rule": "Learned",
    "decision": "Decided",
}


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A line of a block, for the note of the day it was said on."""

    file: str
    day: str
    part: str
    text: str
    said_at: str | None = None


def lines_for(lesson: Lesson, where: Where, task_id: str = "") -> tuple[NoteLine, ...]:
    """What main's note tells of a lesson; a stranger's words stand in no note.

    A task has the same words in one state after another: `task_id` tells those apart. What was
    read in a note stands there already.
    """
    if where.scope.kind != "main" or lesson.trust == "untrusted" or _from_note(lesson):
        return ()
    source = place(lesson.origin)
    mark = lesson_mark(task_id or lesson.id, source)
    found = [_line(lesson, where, _part(lesson), _told(lesson), mark)]
    if lesson.why:
        mark = lesson_mark(lesson_id("why", lesson.id, lesson.why), source)
        found.append(_line(lesson, where, "Why it matters", _flat(lesson.why), mark))
    return tuple(found)


def _from_note(lesson: Lesson) -> bool:
    return lesson.origin is not None and lesson.origin.source.startswith("memory/")


def blocks_of(lines: Sequence[NoteLine], clock: Clock, conversation: str) -> list[Change]:
    """A change for each day's note: what a conversation has to tell of that day."""
    by_file: dict[str, list[NoteLine]] = defaultdict(list)
    for line in lines:
        by_file[line.file].append(line)
    return [_block(file, some, clock, conversation) for file, some in by_file.items()]


def with_block(text: str, change: Change) -> str:
    """The note with those lines of the block that it does not hold yet."""
    known = marks_in(text)
    lines = [line for line in change.text.split("\n") if not marks_in(line) <= known]
    if not lines:
        return text
    head = f"{change.section} {lesson_mark(change.trigger)}"
    data = text.encode()
    return (
        text
        + behind(data, head, change.status, change.title, below=lines, mark=change.trigger).decode()
    )


def with_line(text: str, change: Change) -> str:
    """The note with one line of its own, which names its day itself."""
    said = change.text.removeprefix("- ")
    return text + behind(text.encode(), said, "", change.title).decode()


def _block(file: str, lines: Sequence[NoteLine], clock: Clock, conversation: str) -> Change:
    said = [line.said_at for line in lines if line.said_at]
    ordered = sorted(lines, key=lambda each: _PARTS.index(each.part))
    text = "\n".join(note_line.text for note_line in ordered)
    return Change(
        id=lesson_id("block", file, *sorted(marks_in(text))),
        file=file,
        do="note",
        text=text,
        title=lines[0].day,
        section=HEAD,
        status=clock(max(said) if len(said) == len(lines) else None),
        trigger=lesson_id("conversation", conversation),
    )


def _line(lesson: Lesson, where: Where, part: str, told: str, mark: str) -> NoteLine:
    return NoteLine(where.note, where.day, part, f"- {part}: {told} {mark}", lesson.said_at)


def _part(lesson: Lesson) -> str:
    if lesson.kind != "task":
        return _PART_OF[lesson.kind]
    return "Happened" if State.named(lesson.status or "").closed else "Next"


def _told(lesson: Lesson) -> str:
    said = _flat(lesson.text)
    state = State.named(lesson.status or "") if lesson.kind == "task" else None
    if state is None or (not state.closed and not state.status):
        return said
    return f"{said} ({_flat(lesson.status or '')})"


def _flat(text: str) -> str:
    return " ".join(show(text).split())
