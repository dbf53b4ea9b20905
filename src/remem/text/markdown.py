"""Split a Markdown text into blocks, line by line, without omitting or joining anything.

Handles notes as people and hosts leave them: tabs, CRLF, unclosed fences, bullets nested under
paragraphs. Every line that is not blank belongs to exactly one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

BlockKind = Literal["heading", "bullet", "row", "code", "text", "comment", "front matter"]

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
BULLET: Final = re.compile(r"(?P<indent>[ \t]*)(?P<marker>[-*+•]|\d{1,9}[.)])(?P<gap>[ \t]+)(?=\S)")
"""The start of a list item: its indentation, its bullet or number, and the space after it."""
CHECKBOX: Final = re.compile(r"\[(?P<state>.)\](?:[ \t]+|$)")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)$")
_COMMENT: Final = re.compile(r"[ \t]*<!--")
_CONTROL_OR_SPACE: Final = re.compile(r"[\s\x00-\x1f\x7f]+")
_LINE: Final = re.compile(r"[^\n]*(?:\n|$)")
_BULLET_CHARACTERS: Final = "-*+•"
_MARKER_CHARACTERS: Final = "#|<`~"
_MULTILINE: Final = ("bullet", "text")
_FENCED: Final = ("code", "comment")
_TAB_WIDTH: Final = 4
_MAX_NESTING: Final = 100
"""Bullets nested deeper than this count as siblings, so that recursive code cannot fail."""
_MAX_FRONT_MATTER: Final = 60


class Block(NamedTuple):
    """Lines `start` to `end` of a text, counted from 1; `text` is their content without the marker.

    `headings` are the headings above the block, the highest first. `level` is the level of a
    heading, or the nesting depth of a bullet (0 for the outermost). `parent` is the index, in the
    list of blocks, of the bullet that the block is nested in. This is a named tuple because notes
    have tens of thousands of blocks, and a dataclass takes twice as long to create.
    """

    kind: BlockKind
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    level: int = 0
    parent: int | None = None


def lines_of(text: str) -> list[str]:
    """Return the lines as a host counts them: split at LF only, without an empty last line."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def one_line(text: str, max_length: int | None = None) -> str:
    """Return a text as one line that cannot break the Markdown around it, shortened if too long."""
    line = _CONTROL_OR_SPACE.sub(" ", text).strip().replace("<!--", "<! --")
    if max_length is None or len(line) <= max_length:
        return line
    return line[: max_length - 1].rstrip() + "…"


def raw_lines(text: str) -> list[str]:
    """Return the lines with their line endings; split at LF only."""
    return [line for line in _LINE.findall(text) if line]


def without_bullet(line: str) -> str:
    """Return a line without the bullet or number at its start."""
    bullet = BULLET.match(line)
    return line[bullet.end() :] if bullet else line


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a code block."""
    return _FENCE.match(line) is not None


def unclosed_fence(lines: Iterable[str]) -> str:
    """Return the fence that would close an unclosed code block; empty if there is none."""
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if match is None:
            continue
        mark, rest = match.groups()
        if not fence and not (mark[0] == "`" and "`" in rest):
            fence = mark
        elif fence and mark.startswith(fence) and not rest.strip():
            fence = ""
    return fence


def front_matter_size(lines: Sequence[str]) -> int:
    """Return the number of lines of the front matter, including its marks; 0 if there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for i in range(1, min(len(lines), _MAX_FRONT_MATTER)):
        if lines[i].rstrip() in ("---", "..."):
            return i + 1
    return 0


def outline(text: str) -> list[Block]:
    """Return the blocks of a text, in order."""
    return blocks_of(lines_of(text.removeprefix("\ufeff")))


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """Return the blocks of a text that is already split into lines."""
    builder = _Builder()
    for kind, start, end in _runs(lines):
        builder.add(kind, start, lines[start - 1 : end])
    return builder.blocks


def _runs(lines: Sequence[str]) -> Iterator[tuple[BlockKind, int, int]]:
    """Yield each run of lines that belong together: its kind, first and last line."""
    at = front_matter_size(lines)
    if at:
        yield "front matter", 1, at
    kinds = [*map(_kind, lines), None]  # a sentinel after the last line
    closing = _ClosingLines(lines)
    while at < len(lines):
        kind = kinds[at]
        if kind is None:
            at += 1
            continue
        end = at + 1
        if kind in _MULTILINE:
            while kinds[end] == "text":
                end += 1
        elif kind in _FENCED:
            end = closing.of_fence(at) if kind == "code" else closing.of_comment(at)
        yield kind, at + 1, end
        at = end


def _kind(line: str) -> BlockKind | None:
    """Return the kind of block that a line starts, or None if it is blank.

    The first character rules out most kinds, so that hardly any pattern has to be tried.
    """
    stripped = line.strip()
    if not stripped:
        return None
    first = stripped[0]
    if first in _BULLET_CHARACTERS or first.isdecimal():
        return "bullet" if BULLET.match(line) else "text"
    if first not in _MARKER_CHARACTERS:
        return "text"
    match first:
        case "#":
            return "heading" if _HEADING.match(line) else "text"
        case "|":
            return "row" if stripped.endswith("|") and len(stripped) > 1 else "text"
        case "<":
            return "comment" if _COMMENT.match(line) else "text"
        case _:
            return "code" if _FENCE.match(line) else "text"


class _ClosingLines:
    """Finds the last line of a code block or comment.

    It remembers which closing lines are missing from the rest of the file, because otherwise a file
    full of unclosed fences would take quadratic time.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._open_fences: dict[str, int] = {}  # the shortest unclosed fence of each character
        self._open_comment = False

    def of_fence(self, at: int) -> int:
        """Return the last line of the code block that starts at an index.

        An unclosed code block ends before the next heading, so that it does not swallow the text
        below the heading.
        """
        opening = _FENCE.match(self._lines[at])
        assert opening is not None
        mark = opening[1]
        if len(mark) < self._open_fences.get(mark[0], len(mark) + 1):
            for i in range(at + 1, len(self._lines)):
                closing = _FENCE.match(self._lines[i])
                if closing and closing[1].startswith(mark) and not closing[2].strip():
                    return i + 1
            self._open_fences[mark[0]] = len(mark)
        for i in range(at + 1, len(self._lines)):
            if _HEADING.match(self._lines[i]):
                return i
        return len(self._lines)

    def of_comment(self, at: int) -> int:
        """Return the last line of the comment that starts at an index.

        An unclosed comment ends at the next empty line or, if there is none, on its first line.
        """
        for i in range(at, at if self._open_comment else len(self._lines)):
            if "-->" in self._lines[i] or not self._lines[i]:
                return i + 1
        self._open_comment = True
        return at + 1


class _Builder:
    """Collects blocks, and tracks the headings and bullets above the next one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._bullets: list[tuple[int, int]] = []  # indentation, index

    def add(self, kind: BlockKind, start: int, lines: Sequence[str]) -> None:
        end = start + len(lines) - 1
        if kind == "heading":
            self._add_heading(start, lines[0])
        elif kind == "bullet":
            self._add_bullet(start, end, lines)
        else:
            parent = (
                self._parent_bullet(_indent(lines[0])) if kind in ("text", "code", "row") else None
            )
            text = "\n".join(lines) if kind == "code" else _join_stripped(lines)
            self.blocks.append(Block(kind, start, end, text, self._path, 0, parent))

    def _add_heading(self, line: int, text: str) -> None:
        match = _HEADING.match(text)
        assert match is not None
        level, title = len(match[1]), _title(text[match.end() :])
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        above = tuple(title for _, title in self._headings if title)
        self.blocks.append(Block("heading", line, line, title, above, level))
        self._headings.append((level, title))
        self._path = (*above, title) if title else above
        self._bullets.clear()

    def _add_bullet(self, start: int, end: int, lines: Sequence[str]) -> None:
        match = BULLET.match(lines[0])
        assert match is not None
        indent = _indent(lines[0])
        while self._bullets and self._bullets[-1][0] >= indent:
            self._bullets.pop()
        del self._bullets[_MAX_NESTING:]
        parent = self._bullets[-1][1] if self._bullets else None
        text = lines[0][match.end() :].strip()
        if len(lines) > 1:
            text = f"{text}\n{_join_stripped(lines[1:])}"
        level = len(self._bullets)
        self._bullets.append((indent, len(self.blocks)))
        self.blocks.append(Block("bullet", start, end, text, self._path, level, parent))

    def _parent_bullet(self, indent: int) -> int | None:
        """Return the index of the bullet that an indented block belongs to."""
        if indent == 0:
            self._bullets.clear()
            return None
        parents = [index for bullet_indent, index in self._bullets if bullet_indent < indent]
        return parents[-1] if parents else None


def _title(rest: str) -> str:
    """Return the title in the rest of a heading line, without closing number signs."""
    title = rest.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare != title and bare[-1:] in ("", " ", "\t") else title


def _indent(line: str) -> int:
    if line[0] not in " \t":
        return 0
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(_TAB_WIDTH))


def _join_stripped(lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return lines[0].strip()
    return "\n".join(line.strip() for line in lines)
