"""Append items to a daily note in the style in which a person writes it.

Existing text is never changed. If the bullets of a note begin with the time, so do the new ones; a
note of timed headings, plain bullets or paragraphs is continued with the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.text.markdown import blocks_of, front_matter_size, lines_of, unclosed_fence
from remem.text.marked_line import lesson_ids_in

_BULLET: Final = re.compile(r"(?P<marker>[-*+•])[ \t]+\S")
_INDENTED: Final = re.compile(r"(?:[ \t]{2,}|\t)\S")
_HEADING: Final = re.compile(r"#{1,6}[ \t]")
_TIMED: Final = re.compile(
    r"(?P<before>[-*+•][ \t]+(?:\[|\*\*|\()?)(?P<hour>\d{1,2})(?P<sep>[:.])(?P<minute>\d{2})"
    r"(?P<after>(?:\]|\*\*:?|\))?[ \t]*[-–—:·|]?[ \t]+)\S"
)
_TIMED_HEADING: Final = re.compile(r"(?P<level>#{2,6})[ \t]+\d{1,2}(?P<sep>[:.])\d{2}\b")
_UTF16: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Byte order marks of the encodings that some editors save in."""


@dataclass(frozen=True, slots=True)
class NoteStyle:
    """The style of the items of a note.

    `before` and `after` are the texts around the time, and `sep` is the sign between hour and
    minute; if it is empty, an item has no time. With a `level`, such as `##`, the time is a heading
    above the item. A `prose` note has paragraphs instead of bullets.
    """

    before: str = "- "
    after: str = " "
    sep: str = ":"
    level: str = ""
    prose: bool = False


def note_text(data: bytes) -> str:
    """Decode a note; bytes that cannot be decoded are replaced."""
    return data.decode(_encoding(data), errors="replace")


def bytes_to_append(
    data: bytes,
    item: str,
    at: str,
    day: str,
    *,
    nested_lines: Sequence[str] = (),
    mark: str = "",
    style: NoteStyle | None = None,
) -> bytes:
    """Return the bytes to append to a note: an item and, below it, `nested_lines`.

    `at` is the time of the item; if it is empty, the item has no time. Lines of `item` after the
    first must already be indented like the lines of a bullet. If the note ends with the item that
    has the lesson mark `mark`, only the nested lines are added to that item. An unclosed code block
    is closed first, so that the new text does not become part of it. `day` is the title of an empty
    note. `style` is the result of `note_style`, if the caller has it.
    """
    text = note_text(data)
    eol = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    fence = _unclosed_fence(text)
    style = style or note_style(text)
    marked_line = _item_with_mark(text, mark) if mark and not fence else None
    if marked_line is not None:
        indent = "  " if _BULLET.match(marked_line) else ""
        new = [f"{indent}{line}" for line in nested_lines]
        gap = ""
    else:
        new = _item_lines(item, at, nested_lines, style)
        gap = _gap(text, new) if text.strip("\ufeff \t\r\n") and not fence else ""
    if not text.strip("\ufeff \t\r\n"):
        new = [f"# {day}", "", *new]
    lines = [*([fence, ""] if fence else []), *new]
    start = "" if not text or text.endswith("\n") else "\n"
    return (start + gap + "\n".join(lines) + "\n").replace("\n", eol).encode(_encoding(data))


def _encoding(data: bytes) -> str:
    wide = _UTF16.get(data[:2], "")
    try:
        return wide if wide and data.decode(wide) else "utf-8"
    except UnicodeDecodeError:
        return "utf-8"


def _item_lines(text: str, at: str, nested_lines: Sequence[str], style: NoteStyle) -> list[str]:
    first, *rest = text.split("\n")
    unindented_lines = [first, *(line.removeprefix("  ") for line in rest)]
    if style.level and at:
        return [
            f"{style.level} {_clock(at, style)}",
            "",
            *unindented_lines,
            *_indent_nested(nested_lines, style),
        ]
    if style.prose:
        return [*unindented_lines, *([""] if nested_lines else []), *nested_lines]
    if not at:
        return [f"{style.before[:1]} {first}", *rest]
    time = f"{_clock(at, style)}{style.after}" if style.sep else ""
    return [f"{style.before}{time}{first}", *rest, *_indent_nested(nested_lines, style)]


def _indent_nested(lines: Sequence[str], style: NoteStyle) -> list[str]:
    if style.level:
        return ["", *lines] if lines else []
    return list(lines) if style.prose else [f"  {line}" for line in lines]


def _clock(at: str, style: NoteStyle) -> str:
    return at.replace(":", style.sep)


def _gap(text: str, new: Sequence[str]) -> str:
    """Return the blank line before new text, or "" if a bullet continues a list."""
    lines = text.splitlines()
    last = lines[-1] if lines else ""
    if not last.strip():
        return ""
    is_list = _BULLET.match(last) or _INDENTED.match(last)
    return "" if is_list and _BULLET.match(new[0]) else "\n"


def note_style(text: str) -> NoteStyle:
    """Return the style in which a person writes a note; lines with a lesson mark do not count."""
    timed_item: re.Match[str] | None = None
    timed_heading: re.Match[str] | None = None
    bullet, prose = "", False
    for line in _outside_code(text):
        if lesson_ids_in(line):
            continue
        if match := _TIMED.match(line):
            timed_item, bullet = match, match["before"][:1]
        elif match := _BULLET.match(line):
            bullet = match["marker"]
        elif match := _TIMED_HEADING.match(line):
            timed_heading, timed_item = match, None
        elif not _HEADING.match(line) and line.strip() and not _INDENTED.match(line):
            prose = True
    if timed_item is not None:
        return NoteStyle(timed_item["before"], timed_item["after"], timed_item["sep"])
    if timed_heading is not None:
        return NoteStyle(level=timed_heading["level"], sep=timed_heading["sep"])
    if bullet:
        return NoteStyle(before=f"{bullet} ", sep="")
    return NoteStyle(before="", sep="", prose=True) if prose else NoteStyle()


def _outside_code(text: str) -> list[str]:
    """Return the lines that are neither code nor front matter."""
    lines = lines_of(text.removeprefix("\ufeff"))
    for block in blocks_of(lines):
        if block.kind in ("code", "front matter"):
            lines[block.start - 1 : block.end] = [""] * (block.end - block.start + 1)
    return lines


def _unclosed_fence(text: str) -> str:
    """Return the fence that would close an unclosed code block; empty if there is none."""
    lines = lines_of(text.removeprefix("\ufeff"))
    body = lines[front_matter_size(lines) :]
    return unclosed_fence(line for line in body if not line.startswith(("    ", "\t")))


def _item_with_mark(text: str, mark: str) -> str | None:
    """Return the first line of the item with a lesson mark.

    It is None if anything follows the item in the note but nested bullets with lesson marks.
    """
    below: list[str] = []
    for line in reversed([line for line in text.splitlines() if line.strip()]):
        marks = lesson_ids_in(line)
        if mark in marks:
            nested = not _BULLET.match(line) or all(_INDENTED.match(bullet) for bullet in below)
            return line if nested else None
        if not marks:
            return None
        below.append(line)
    return None
