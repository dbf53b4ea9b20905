"""The block of lines about a conversation in a day's note.

It lists what happened, what was learned, what was decided and what is next; empty parts are
omitted. A reason follows the line that it belongs to, and the earlier states of tasks come last.
Each line has the mark of its lesson, so that no line is written twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.files.domain_file.document import show
from remem.learn.file_updates.changes import AddDayBlock, AddHistory
from remem.learn.file_updates.routing import KINDS, TargetScope
from remem.learn.file_updates.tasks import TaskState
from remem.model.daily_note import NoteStyle, bytes_to_append, note_style
from remem.model.lesson import Lesson, lesson_id
from remem.text.labels import label, punctuation
from remem.text.marked_line import lesson_ids_in, lesson_mark

Clock = Callable[[str | None], str]
"""The owner's time of day at a moment; the current time if the moment is None."""

_PARTS: Final = ("happened", "learned", "decided", "next")
"""The keys of the labels, in the order of the lines."""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A line of a block, for the note of the day on which it was said.

    `part` is one of `_PARTS`; a reason has the part of the line above it. `language` is the
    language of the label.
    """

    file: str
    day: str
    part: str
    text: str
    said_at: str | None = None
    language: str = ""


def note_lines(lesson: Lesson, target: TargetScope, task_id: str = "") -> tuple[NoteLine, ...]:
    """Return the lines of main's note for a lesson.

    Untrusted lessons and lessons from a note get none. `task_id` identifies the state of a task,
    because the text alone is the same in every state.
    """
    if target.scope.kind != "main" or lesson.trust == "untrusted" or _is_from_note(lesson):
        return ()
    part = _part_of(lesson)
    text = _labelled(part, _text_with_state(lesson, target.language), target)
    lines = [f"{text} {lesson_mark(task_id or lesson.id)}"]
    if lesson.why:
        mark = lesson_mark(lesson_id("why", lesson.id, lesson.why))
        lines.append(f"{_labelled('why', _flat(lesson.why), target)} {mark}")
    return tuple(
        NoteLine(target.note, target.day, part, line, lesson.said_at, target.language)
        for line in lines
    )


def _is_from_note(lesson: Lesson) -> bool:
    return lesson.origin is not None and lesson.origin.source.startswith("memory/")


def note_changes(lines: Sequence[NoteLine], clock: Clock, conversation: str) -> list[AddDayBlock]:
    """Return one change for each day's note that a conversation has lines for."""
    by_file: dict[str, list[NoteLine]] = defaultdict(list)
    for line in lines:
        by_file[line.file].append(line)
    return [_block(file, file_lines, clock, conversation) for file, file_lines in by_file.items()]


def append_to_note(text: str, changes: Sequence[AddDayBlock | AddHistory]) -> str:
    """Return the note with the lines of blocks added, and the history of tasks after the last one.

    Lines of a block that the note already contains are not repeated.
    """
    style = note_style(text)
    # The note is that of the day in front of the line.
    history = [
        change.text.removeprefix("- ").removeprefix(f"{change.day}: ")
        for change in changes
        if isinstance(change, AddHistory)
    ]
    blocks = [change for change in changes if isinstance(change, AddDayBlock)]
    for change in blocks:
        lines = _new_lines(text, change)
        if lines and change is blocks[-1]:
            lines += [f"- {line}" for line in history]
            history = []
        text = _with_block(text, change, lines, style)
    for line in history:
        text += bytes_to_append(text.encode(), line, "", changes[0].day, style=style).decode()
    return text


def _new_lines(text: str, change: AddDayBlock) -> list[str]:
    ids_in_note = lesson_ids_in(text)
    return [line for line in change.text.split("\n") if not lesson_ids_in(line) <= ids_in_note]


def _with_block(text: str, change: AddDayBlock, lines: Sequence[str], style: NoteStyle) -> str:
    if not lines:
        return text
    new = bytes_to_append(
        text.encode(),
        f"{change.heading} {lesson_mark(change.conversation)}",
        change.time,
        change.day,
        nested_lines=lines,
        mark=change.conversation,
        style=style,
    )
    return text + new.decode()


def _block(file: str, lines: Sequence[NoteLine], clock: Clock, conversation: str) -> AddDayBlock:
    times = [line.said_at for line in lines if line.said_at]
    ordered = sorted(lines, key=lambda line: _PARTS.index(line.part))
    text = "\n".join(line.text for line in ordered)
    return AddDayBlock(
        id=lesson_id("block", file, *sorted(lesson_ids_in(text))),
        file=file,
        text=text,
        day=lines[0].day,
        heading=label("conversation", lines[0].language),
        time=clock(max(times) if len(times) == len(lines) else None),
        conversation=lesson_id("conversation", conversation),
    )


def _labelled(key: str, text: str, target: TargetScope) -> str:
    return f"- {label(key, target.language)}{punctuation(target.language).colon}{text}"


def _part_of(lesson: Lesson) -> str:
    is_closed = lesson.kind == "task" and TaskState.named(lesson.status or "").closed
    return "happened" if is_closed else KINDS[lesson.kind].part


def _text_with_state(lesson: Lesson, language: str) -> str:
    text = _flat(lesson.text)
    state = TaskState.named(lesson.status or "") if lesson.kind == "task" else None
    if state is None or (not state.closed and not state.status):
        return text
    if state.closed and not state.status:
        return f"{text} ({label('done', language, 'texts')})"
    return f"{text} ({_flat(state.status_in(language))})"


def _flat(text: str) -> str:
    return " ".join(show(text).split())
