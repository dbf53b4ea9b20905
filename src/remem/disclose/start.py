"""Build the text that a conversation starts with: the index, routes and the newest notes.

The text as a whole never exceeds its budget. Lines of notes are quoted, so that they cannot be
mistaken for the page around them; notes that do not fit are listed with their cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from datetime import date
from itertools import chain
from typing import Final

from remem.entries.written_index import IndexText
from remem.fast_dataclass import dataclass
from remem.files.start_files import DayNote, Gate, LastFlush
from remem.ports.models import TokenCounter
from remem.text.labels import label, punctuation
from remem.text.markdown import lines_of, one_line
from remem.text.marked_line import remove_lesson_marks
from remem.text.secrets.mask import redact

INDEX_BUDGET: Final = 1500
"""The maximum number of tokens for the index, so that there is room for the notes and routes."""

_MAIN_BUDGET: Final = 2000
_MIN_BUDGET: Final = 200
_MAX_BUDGET: Final = 20_000
_MAX_NOTES: Final = 6
_MAX_LINE_LENGTH: Final = 400
_RESERVED_TOKENS: Final = 30
"""Tokens reserved for the lines that say what was left out."""


@dataclass(frozen=True, slots=True)
class ListedNote:
    """A note, the cost of reading all of it, and how many of its lines are shown."""

    path: str
    tokens: int
    lines_shown: int = 0


@dataclass(frozen=True, slots=True)
class StartText:
    """The text that a host adds to a new conversation, and its cost.

    `problems` says what could not be read.
    """

    text: str
    tokens: int
    budget: int
    notes: tuple[ListedNote, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StartContent:
    """The content of main's start text, apart from the index.

    `routing` are the routes of the gate, `flush` is the last flush, and `notice` a message from
    remem.
    """

    today: date
    routing: Sequence[str] = ()
    flush: LastFlush | None = None
    language: str = ""
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
        """Add all of the lines, or none if they do not fit."""
        cost = sum(self.counter.count(line) + 1 for line in lines)
        if self._used + cost > self.budget:
            return False
        self.lines += lines
        self._used += cost
        return True

    def first_that_fit(self, lines: Iterable[str], reserve: int = 0) -> list[str]:
        """Return the first lines that fit if `reserve` tokens are kept free.

        Lines after the first that does not fit are not generated, because a note may be very long.
        """
        available, fitting = self.budget - self._used - reserve, []
        for line in lines:
            available -= self.counter.count(line) + 1
            if available < 0:
                break
            fitting.append(line)
        return fitting

    def finish(self, notes: Iterable[ListedNote], problems: Sequence[str]) -> StartText:
        """Return the start text, without its last lines if it is too long as a whole."""
        text = self._joined()
        while (tokens := self.counter.count(text)) > self.budget:
            self.lines.pop()
            text = self._joined()
        return StartText(text, tokens, self.budget, tuple(notes), tuple(problems))

    def _joined(self) -> str:
        text = "\n".join(self.lines).rstrip("\n")
        return f"{text}\n" if text else ""


def build_main_start(
    index: IndexText | None, content: StartContent, counter: TokenCounter, problems: Sequence[str]
) -> StartText:
    """Return main's start text: index, routing, last flush, and notes of today and yesterday."""
    page = _Page(counter, _MAIN_BUDGET)
    _add_index(page, index)
    if content.routing:
        title = f"## {label('more_in_main', content.language)}"
        _add_lines(page, title, content.routing, content.language)
    if content.flush is not None:
        count = content.flush.pending
        pending = f"; {_label_text('pending', content.language, count=count)}" if count else ""
        at = one_line(content.flush.at or _label_text("never", content.language), 40)
        colon = punctuation(content.language).colon
        page.add("", f"{label('last_flush', content.language)}{colon}{at}{pending}")
    _add_notice(page, content.notice)
    return page.finish(_add_notes(page, content, counter), problems)


def build_group_start(
    index: IndexText | None,
    gate: Gate | None,
    counter: TokenCounter,
    budget: int,
    problems: Sequence[str],
    *,
    notice: str = "",
) -> StartText:
    """Return as much of the group's gate as fits the budget, and the index of its entries."""
    page = _Page(counter, budget)
    if gate is not None:
        _add_gate(page, gate, reserve=index.tokens + 8 if index else 0)
        page.add("")
    if gate is None or (index and "\n- " in index.text):  # an index without bullets says nothing
        _add_index(page, index)
    _add_notice(page, notice)
    return page.finish((), problems)


def group_budget(requested: int | None, configured: int) -> int:
    """Return the budget that a gate requests, or else the configured one, within limits."""
    budget = configured if requested is None else requested
    return min(max(budget, _MIN_BUDGET), _MAX_BUDGET)


def _add_index(page: _Page, index: IndexText | None) -> None:
    for line in (index.text if index else "").rstrip("\n").split("\n"):
        page.add(line)


def _add_notice(page: _Page, notice: str) -> None:
    if notice:
        page.add("", f"Notice: {one_line(notice, _MAX_LINE_LENGTH)}")


def _label_text(key: str, language: str, **values: object) -> str:
    return label(key, language, "texts").format(**values)


def _add_lines(page: _Page, title: str, lines: Sequence[str], language: str) -> None:
    """Add as much of a list as fits, and the number of lines that were left out."""
    bullets = [f"- {one_line(line, _MAX_LINE_LENGTH)}" for line in lines]
    if not page.add("", title, "", bullets[0]):
        return
    fits = 1 + len(page.first_that_fit(bullets[1:], reserve=_RESERVED_TOKENS))
    page.add(*bullets[1:fits])
    if left_out := len(bullets) - fits:
        page.add(f"- {_label_text('more', language, count=left_out)}")


def _add_notes(page: _Page, content: StartContent, counter: TokenCounter) -> list[ListedNote]:
    """List the notes with their cost, then add their newest lines, today's before yesterday's."""
    language = content.language
    listed_notes = [ListedNote(note.path, counter.count(note.text)) for note in content.notes]
    lines = [f"{note.path} ({note.tokens} tokens)" for note in listed_notes]
    if len(lines) > _MAX_NOTES:
        lines[_MAX_NOTES:] = [_label_text("more_notes", language, count=len(lines) - _MAX_NOTES)]
    if lines:
        title = f"## {label('recent_notes', language)} ({content.today})"
        _add_lines(page, title, lines, language)
    lines_shown = {
        note.path: _add_newest(page, note, language) for note in content.notes if note.own
    }
    return [replace(note, lines_shown=lines_shown.get(note.path, 0)) for note in listed_notes]


def _add_newest(page: _Page, note: DayNote, language: str) -> int:
    """Add the last lines of a note that fit, in order, and return their number."""
    title = ["", _label_text("newest_in", language, path=note.path), ""]
    lines = reversed(lines_of(note.text))
    newest = (f"> {quoted}" for line in lines if (quoted := _quotable(line)))
    fits = page.first_that_fit(chain(title, newest))[len(title) :]
    if fits:
        page.add(*title, *reversed(fits))
    return len(fits)


def _quotable(line: str) -> str:
    """Return the text of a line, shortened, with secrets masked; empty if nothing remains."""
    return one_line(redact(remove_lesson_marks(line)).text, _MAX_LINE_LENGTH)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))][:20]


def _add_gate(page: _Page, gate: Gate, reserve: int) -> None:
    """Add as many lines of the gate as fit, and how to read the others."""
    lines = [_indent(line) + one_line(line, _MAX_LINE_LENGTH) for _, line in gate.lines]
    fits = len(page.first_that_fit(lines, reserve))
    if fits < len(lines):
        fits = len(page.first_that_fit(lines, reserve + _RESERVED_TOKENS))
    page.add(*lines[:fits])
    if left_out := len(lines) - fits:
        more = f'memory_get(path:"{gate.path}", from:{gate.lines[fits][0]})'
        page.add(f"… {left_out} more lines: {more}")
