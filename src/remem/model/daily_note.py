"""In which manner is a day's note kept, and what is put behind it?

Nothing that stands in a note is changed: what comes out is appended. A note that marks its
bullets with the time goes on so; one of headings, plain bullets or paragraphs goes on in those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.text.marked_line import marks_in

_FENCE: Final = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_BULLET: Final = re.compile(r"(?P<marker>[-*+•])[ \t]+\S")
_INDENTED: Final = re.compile(r"(?:[ \t]{2,}|\t)\S")
_HEADING: Final = re.compile(r"#{1,6}[ \t]")
_TIMED: Final = re.compile(
    r"(?P<before>[-*+•][ \t]+(?:\[|\*\*|\()?)(?P<hour>\d{1,2})(?P<sep>[:.])(?P<minute>\d{2})"
    r"(?P<after>(?:\]|\*\*:?|\))?[ \t]*[-–—:·|]?[ \t]+)\S"
)
_TIMED_HEADING: Final = re.compile(r"(?P<level>#{2,6})[ \t]+\d{1,2}(?P<sep>[:.])\d{2}\b")
_WIDE: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Some editors save so, and say it with the first two bytes."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a new item begins. `before` and `after` stand around the time, which is left out where
    `sep` is empty; `level` is that of a heading of its own; a `prose` note has no bullets."""

    before: str = "- "
    after: str = " "
    sep: str = ":"
    level: str = ""
    prose: bool = False


def note_text(data: bytes) -> str:
    """What a note says, whatever else its bytes hold."""
    return data.decode(_coding(data), errors="replace")


def behind(
    data: bytes, said: str, at: str, day: str, *, below: Sequence[str] = (), mark: str = ""
) -> bytes:
    """The bytes to append: what was `said` at a time, with bullets `below` it. Further lines of
    what was said are indented, as those of a bullet; where no time is given, it is a bullet.

    If the note ends with the item that carries `mark`, the bullets go on with that one. A code
    block that nobody has closed is closed first, or the new words would be part of it.
    """
    text = note_text(data)
    eol = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    fence = _unclosed(text)
    manner = _manner(text)
    head = _last_head(text, mark) if mark and not fence else None
    if head is not None:
        new = [f"  {line}" for line in below] if _BULLET.match(head) else list(below)
        gap = ""
    else:
        new = _item(said, at, below, manner)
        gap = _gap(text, new) if text.strip("\ufeff \t\r\n") and not fence else ""
    if not text.strip("\ufeff \t\r\n"):
        new = [f"# {day}", "", *new]
    lines = [*([fence, ""] if fence else []), *new]
    start = "" if not text or text.endswith("\n") else "\n"
    return (start + gap + "\n".join(lines) + "\n").replace("\n", eol).encode(_coding(data))


def _coding(data: bytes) -> str:
    wide = _WIDE.get(data[:2], "")
    try:
        return wide if wide and data.decode(wide) else "utf-8"
    except UnicodeDecodeError:
        return "utf-8"


def _item(said: str, at: str, below: Sequence[str], manner: Manner) -> list[str]:
    first, *rest = said.split("\n")
    outside = [first, *(line.removeprefix("  ") for line in rest)]
    if manner.level and at:
        return [f"{manner.level} {_clock(at, manner)}", "", *outside, *_nested(below, manner)]
    if manner.prose:
        return [*outside, *([""] if below else []), *below]
    if not at:
        return [f"{manner.before[:1]} {first}", *rest]
    time = f"{_clock(at, manner)}{manner.after}" if manner.sep else ""
    return [f"{manner.before}{time}{first}", *rest, *_nested(below, manner)]


def _nested(below: Sequence[str], manner: Manner) -> list[str]:
    if manner.level:
        return ["", *below] if below else []
    return list(below) if manner.prose else [f"  {line}" for line in below]


def _clock(at: str, manner: Manner) -> str:
    return at.replace(":", manner.sep)


def _gap(text: str, new: Sequence[str]) -> str:
    """A blank line, but for a bullet that goes on with a list."""
    lines = text.splitlines()
    last = lines[-1] if lines else ""
    if not last.strip():
        return ""
    joins = _BULLET.match(last) or _INDENTED.match(last)
    return "" if joins and _BULLET.match(new[0]) else "\n"


def _manner(text: str) -> Manner:
    timed: re.Match[str] | None = None
    headed: re.Match[str] | None = None
    bullet, prose = "", False
    for line in _outside_code(text):
        if marks_in(line):
            continue  # that is how a conversation is told, wherever it stands
        if match := _TIMED.match(line):
            timed, bullet = match, match["before"][:1]
        elif match := _BULLET.match(line):
            bullet = match["marker"]
        elif match := _TIMED_HEADING.match(line):
            headed, timed = match, None
        elif not _HEADING.match(line) and line.strip() and not _INDENTED.match(line):
            prose = True
    if timed is not None:
        return Manner(timed["before"], timed["after"], timed["sep"])
    if headed is not None:
        return Manner(level=headed["level"], sep=headed["sep"])
    if bullet:
        return Manner(before=f"{bullet} ", sep="")
    return Manner(before="", sep="", prose=True) if prose else Manner()


def _outside_code(text: str) -> list[str]:
    """The lines that are neither code nor front matter."""
    found, fence = [], ""
    for line in _without_matter(text):
        if was := _fenced(line, fence):
            fence = was if not fence else ""
        elif not fence:
            found.append(line)
    return found


def _without_matter(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return lines
    ends = (place for place, each in enumerate(lines[1:], 1) if each.rstrip() == "---")
    return lines[next(ends, -1) + 1 :]


def _unclosed(text: str) -> str:
    """The fence that closes a block which nobody has closed."""
    fence = ""
    for line in _without_matter(text):
        if was := _fenced(line, fence):
            fence = was if not fence else ""
    return fence


def _fenced(line: str, inside: str) -> str:
    """The fence that a line opens, or closes if one is open."""
    match = _FENCE.match(line)
    if match is None:
        return ""
    fence = match["fence"]
    if not inside:
        return "" if fence[0] == "`" and "`" in match["rest"] else fence
    closes = fence[0] == inside[0] and len(fence) >= len(inside) and not match["rest"].strip()
    return fence if closes else ""


def _last_head(text: str, mark: str) -> str | None:
    """The line with that mark, if nothing stands behind it but marked bullets below it."""
    below: list[str] = []
    for line in reversed([line for line in text.splitlines() if line.strip()]):
        marks = marks_in(line)
        if mark in marks:
            nested = not _BULLET.match(line) or all(_INDENTED.match(each) for each in below)
            return line if nested else None
        if not marks:
            return None
        below.append(line)
    return None
