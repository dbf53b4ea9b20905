"""What does a conversation begin with? The index, the way on, and what is newest.

The whole text is counted, and never above its budget. What a person wrote last is quoted, so
that it cannot be taken for the page around it; what does not fit is named with its cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Final

from remem.entries.index import LIMIT, Index
from remem.files.start_files import DayNote, Flush, Gate
from remem.ports.models import TokenCounter
from remem.text.markdown import lines_of
from remem.text.marked_line import without_marks
from remem.text.secrets.mask import redact
from remem.text.untrusted import flat

INDEX_SHARE: Final = 1500
"""The index gets no more of a start than this, so that something is left for the rest."""

_SMALLEST: Final = 200
_LARGEST: Final = 20_000
_MOST_NOTES: Final = 6
_LONGEST: Final = 400
_SMALL_TALK: Final = 30
"""Tokens kept free for the lines that say what was left out."""


@dataclass(frozen=True, slots=True)
class NamedNote:
    """A note, what reading it whole would cost, and how many of its lines are shown."""

    path: str
    tokens: int
    lines_shown: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """The text that a host puts into a new conversation; `trouble` says what is missing in it."""

    text: str
    tokens: int
    budget: int
    notes: tuple[NamedNote, ...] = ()
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recent:
    """What main's files add to its index."""

    today: date
    routing: Sequence[str] = ()
    flush: Flush | None = None
    chinese: bool = False
    notes: Sequence[DayNote] = ()
    notice: str = ""


@dataclass
class _Page:
    """A text that grows line by line while there is room."""

    counter: TokenCounter
    budget: int
    lines: list[str] = field(default_factory=list)
    _used: int = 0

    def add(self, *lines: str) -> bool:
        """All of the lines, or none of them if they do not fit."""
        cost = sum(self.counter.count(line) + 1 for line in lines)
        if self._used + cost > self.budget:
            return False
        self.lines += lines
        self._used += cost
        return True

    def fitting(self, lines: Iterable[str], keep: int = 0) -> list[str]:
        """The first of the lines, as many as would fit with some tokens to spare.

        No line is asked for that cannot fit: a note may be very long.
        """
        room, found = self.budget - self._used - keep, []
        for line in lines:
            room -= self.counter.count(line) + 1
            if room < 0:
                break
            found.append(line)
        return found

    def done(self, notes: Iterable[NamedNote], trouble: Sequence[str]) -> Start:
        """Lines were counted alone; the last word has the text that is really sent."""
        text = self._text()
        while (tokens := self.counter.count(text)) > self.budget:
            self.lines.pop()
            text = self._text()
        return Start(text, tokens, self.budget, tuple(notes), tuple(trouble))

    def _text(self) -> str:
        text = "\n".join(self.lines).rstrip("\n")
        return f"{text}\n" if text else ""


def start_of_main(
    index: Index | None, recent: Recent, counter: TokenCounter, trouble: Sequence[str]
) -> Start:
    """The index, main's routing, its last flush, and the notes of today and yesterday."""
    page = _Page(counter, LIMIT)
    _add_index(page, index)
    if recent.routing:
        _add_lines(page, "## Where to look next (memory/main/index.md)", recent.routing)
    if recent.flush is not None:
        waiting = f"; {recent.flush.pending} items wait" if recent.flush.pending else ""
        label = "上次 flush" if recent.chinese else "Last flush"
        page.add("", f"{label}: {flat(recent.flush.at or 'never', 40)}{waiting}")
    _add_notice(page, recent.notice)
    return page.done(_add_notes(page, recent, counter), trouble)


def start_of_group(
    index: Index | None,
    gate: Gate | None,
    counter: TokenCounter,
    budget: int,
    trouble: Sequence[str],
    *,
    notice: str = "",
) -> Start:
    """The group's gate as far as the budget goes, and the index of its own entries."""
    page = _Page(counter, budget)
    room = budget - (index.tokens + 8 if index else 0)
    if gate is not None:
        _add_gate(page, gate, room)
        page.add("")
    _add_index(page, index)
    _add_notice(page, notice)
    return page.done((), trouble)


def group_budget(asked: int | None, configured: int) -> int:
    """What the gate asks for, within reason; else what is configured."""
    wanted = configured if asked is None else asked
    return min(max(wanted, _SMALLEST), _LARGEST)


def _add_index(page: _Page, index: Index | None) -> None:
    for line in (index.text if index else "").rstrip("\n").split("\n"):
        page.add(line)


def _add_notice(page: _Page, notice: str) -> None:
    if notice:
        page.add("", f"Notice: {flat(notice, _LONGEST)}")


def _add_lines(page: _Page, title: str, lines: Sequence[str]) -> None:
    """A list as far as it fits, and how much of it did not."""
    bullets = [f"- {flat(line, _LONGEST)}" for line in lines]
    if not page.add("", title, "", bullets[0]):
        return
    fits = 1 + len(page.fitting(bullets[1:], keep=_SMALL_TALK))
    page.add(*bullets[1:fits])
    if left := len(bullets) - fits:
        page.add(f"- + {left} more")


def _add_notes(page: _Page, recent: Recent, counter: TokenCounter) -> list[NamedNote]:
    """Each note by its name and cost; then the newest lines, today's before yesterday's."""
    named = [NamedNote(note.path, counter.count(note.text)) for note in recent.notes]
    lines = [f"{named_note.path} ({named_note.tokens} tokens)" for named_note in named]
    if len(lines) > _MOST_NOTES:
        lines[_MOST_NOTES:] = [f"{len(lines) - _MOST_NOTES} more of these days in memory/"]
    if lines:
        title = f"## Notes of today ({recent.today}) and yesterday: memory_get reads them"
        _add_lines(page, title, lines)
    shown = {note.path: _add_newest(page, note) for note in recent.notes if note.own}
    return [
        NamedNote(named_note.path, named_note.tokens, shown.get(named_note.path, 0))
        for named_note in named
    ]


def _add_newest(page: _Page, note: DayNote) -> int:
    """The last lines of a note, as many as fit, in their order; how many that are."""
    title = ["", f"Newest in {note.path}:", ""]
    lines = reversed(lines_of(note.text))
    newest = (f"> {quoted}" for line in lines if (quoted := _quotable(line)))
    fits = page.fitting(chain(title, newest))[len(title) :]
    if fits:
        page.add(*title, *reversed(fits))
    return len(fits)


def _quotable(line: str) -> str:
    """A line without secrets and without power over the page; nothing if it says nothing."""
    return flat(redact(without_marks(line)).text, _LONGEST)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))][:20]


def _add_gate(page: _Page, gate: Gate, room: int) -> None:
    lines = [_indent(line) + flat(line, _LONGEST) for line in gate.lines]
    spare = page.budget - room
    fits = len(page.fitting(lines, keep=spare))
    if fits < len(lines):
        fits = len(page.fitting(lines, keep=spare + _SMALL_TALK))
    page.add(*lines[:fits])
    if left := len(lines) - fits:
        more = f'memory_get(path:"{gate.path}", from:{gate.first + fits})'
        page.add(f"… {left} more lines: {more}")
