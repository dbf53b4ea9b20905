"""Find chatter in MEMORY.md and move it to the daily notes.

Chatter is text that only mattered at one moment: reports, greetings, lines of a conversation. In
MEMORY.md, it costs tokens in every conversation; it belongs in the note of its day. Lines are
appended to the notes before they are removed from MEMORY.md, so that an interrupted run loses
nothing, and the next run does not append them again. The audit's journal records the change to
MEMORY.md and can undo it exactly; the lines in the notes stay there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.admin.audit.noise import Noise, is_status
from remem.admin.doctor.findings import Finding
from remem.errors import InvalidInput, counted, listed
from remem.files import atomic
from remem.files.domain_file.document import show
from remem.files.edit_journal import EditJournal, FileChange
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import rewrite
from remem.model.daily_note import bytes_to_append
from remem.model.host_loading import MEMORY_MD
from remem.model.scope import MAIN
from remem.text.line_edits import LineEdit, apply_edit
from remem.text.markdown import without_bullet
from remem.text.pattern_file import pattern_file
from remem.text.similarity import sentences
from remem.text.statements import TextStatement, statements

_MOVE_COMMAND: Final = "`remem doctor --move-chatter`"
_MAX_LENGTH: Final = 100
_MAX_LISTED: Final = 5
_PATTERNS: Final = pattern_file("admin/doctor/chatter")
_SPEAKER: Final = _PATTERNS.regex("speaker")
_COURTESY: Final = _PATTERNS.regex("courtesy")
_CASUAL: Final = _PATTERNS.regex("casual")
_WAITING: Final = _PATTERNS.regex("waiting")
_NORMAL: Final = _PATTERNS.regex("normal")
_LASTING: Final = _PATTERNS.regex("lasting")
_TIMED: Final = re.compile(
    r"(?P<bracket>[\[(])?(?:[01]?\d|2[0-3])(?(bracket)[:.]|:)(?P<minute>[0-5]\d)"
    r"(?:[:.][0-5]\d)?[\])]?\s*[-–—:|]?\s+(?=\S)"
)


@dataclass(frozen=True, slots=True)
class Chatter:
    """A line of chatter, and the reason why it is chatter.

    It can be removed from MEMORY.md without changing the meaning of other lines.
    """

    statement: TextStatement
    reason: str

    @property
    def day(self) -> str | None:
        """The date in the line, or else in a heading above it."""
        return self.statement.day


def find_chatter(text: str) -> list[Chatter]:
    """Return the chatter in MEMORY.md."""
    return [
        Chatter(statement, reason)
        for statement in statements(MEMORY_MD, text, always_loaded=True)
        if statement.removable and (reason := _reason(statement))
    ]


def chatter_findings(matches: Sequence[Chatter]) -> Iterator[Finding]:
    """Yield one finding about all chatter in MEMORY.md, if there is any."""
    if not matches:
        return
    lines = counted(len(matches), "line")
    places = listed(
        [f"L{match.statement.start} ({match.reason})" for match in matches], _MAX_LISTED
    )
    yield Finding(
        "main",
        MEMORY_MD,
        "notice",
        f"{lines} of chatter: {places}",
        "chatter costs tokens in every conversation, and makes lasting content harder to find",
        f"{_MOVE_COMMAND} shows the change and moves the chatter to the daily notes if you agree",
    )


def stale_findings(lines: Sequence[Noise]) -> Iterator[Finding]:
    """Yield one finding for each file that has outdated lines."""
    for path in dict.fromkeys(line.statement.path for line in lines):
        own = [line for line in lines if line.statement.path == path]
        places = listed([f"L{line.statement.start} ({line.reason})" for line in own], _MAX_LISTED)
        yield Finding(
            "main",
            path,
            "notice",
            f"{counted(len(own), 'line is', 'lines are')} out of date: {places}",
            "every conversation loads them, and an agent takes them for current",
            "correct or remove them; `remem audit` lists them",
        )


def _reason(statement: TextStatement) -> str | None:
    """Return why a statement is chatter, or None if it is not.

    Only a short line can be chatter, because a longer one may also say something else. It must not
    contain a demand, a quotation or a preference.
    """
    line = statement.plain_text.strip()
    if "\n" in line or statement.struck:
        return None
    timed = _TIMED.match(line)
    message = line[timed.end() :] if timed else line
    if len(line) > _MAX_LENGTH or _LASTING.search(message):
        return None
    if _SPEAKER.fullmatch(line) and len(sentences(line)) == 1:
        return "a line of a conversation"
    if _COURTESY.fullmatch(line):
        return "courtesy"
    if _CASUAL.search(message) or _WAITING.match(message):
        return "small talk"
    if is_status(line) or _NORMAL.fullmatch(line):
        return "a report"
    if timed is None or statement.parent is not None:  # a detail of something else
        return None
    logged = timed["bracket"] or int(timed["minute"]) % 5 > 0  # appointments are at round times
    return "a line with a time of day" if logged else None


@dataclass(frozen=True, slots=True)
class ChatterMove:
    """A proposal: the change to MEMORY.md, and the lines to append to the daily notes, by day."""

    change: FileChange
    notes: dict[str, tuple[str, ...]]

    @property
    def diff(self) -> str:
        """All changes, for a person to read."""
        additions = (
            f"+++ {day}.md\n+{line}" for day, lines in self.notes.items() for line in lines
        )
        return "\n".join([self.change.diff, *additions])


def propose_move(layout: Layout, today: str) -> ChatterMove | None:
    """Return a proposal to move the chatter in MEMORY.md, or None if it has none."""
    data = atomic.read(layout.root / MEMORY_MD)
    try:
        matches = find_chatter((data or b"").decode())
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{MEMORY_MD} is not UTF-8 at byte {error.start}", hint="repair the file first"
        ) from error
    if not matches or data is None:
        return None
    lines = frozenset(
        number
        for match in matches
        for number in range(match.statement.start, match.statement.end + 1)
    )
    after = apply_edit(data, LineEdit(lines))
    description = f"moved {counted(len(matches), 'line')} to the daily notes"
    change = FileChange(MEMORY_MD, description, data, after)
    return ChatterMove(change, _group_by_day(matches, today))


def move_chatter(layout: Layout, proposal: ChatterMove) -> Path:
    """Apply the proposal, and return the path of a copy of the previous MEMORY.md."""
    for day, lines in proposal.notes.items():
        _append(layout, day, lines)
    return EditJournal(layout, MAIN).apply(proposal.change)


def _bare_line(line: str) -> str:
    return without_bullet(line).strip()


def _group_by_day(matches: Sequence[Chatter], today: str) -> dict[str, tuple[str, ...]]:
    """Group the lines by day; lines without a date, or with a future date, go to today's note."""
    days: defaultdict[str, list[str]] = defaultdict(list)
    for match in matches:
        day = match.day if match.day and match.day <= today else today
        days[day].append(_note_line(match))
    return {day: tuple(lines) for day, lines in sorted(days.items())}


def _note_line(match: Chatter) -> str:
    """Return the line for the note, with its markup and comments, but without secrets.

    An unclosed comment is escaped, because it would hide the lines below it in the note.
    """
    from remem.text.secrets.mask import redact  # compiles hundreds of patterns

    text = redact(" ".join(match.statement.text.split())).text
    return text if text.count("<!--") == text.count("-->") else show(text)


def _append(layout: Layout, day: str, lines: Sequence[str]) -> None:
    path = layout.memory / f"{day}.md"
    atomic.refuse_links(layout.root, path)

    def append(data_before: bytes | None) -> bytes:
        """Append the lines that the note lacks; a line that occurs twice is appended twice."""
        data = data_before or b""
        present = Counter(map(_bare_line, data.decode(errors="replace").splitlines()))
        for line, count in Counter(lines).items():
            for _ in range(count - present[_bare_line(line)]):
                data += bytes_to_append(data, line, "", day)
        return data

    with exclusive_lock(layout.state_folder(MAIN) / "flush.lock"):
        rewrite(layout, path, append)
