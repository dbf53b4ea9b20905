"""Read the annotations of a line, and the rows of a table as text.

Comments in which hosts annotate a line are removed from its text, and their values are kept. Marks
that a person reads, such as a ticked checkbox or struck-out words, stay in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import filterfalse
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.line_status import LineStatus, is_ticked, leading_brackets, line_status

_COMMENT_END: Final = "-->"
_COMMENT: Final = re.compile(rf"(?<![ \t])[ \t]*<!--(.*?){_COMMENT_END}", re.DOTALL)
_HOST_ANNOTATION: Final = re.compile(
    r"\s*(?:[\w-]*memory-promotion\b|(?:trigger|importance|project|observed|status|confidence)\s*:)"
)
_FIELD: Final = re.compile(r"(trigger|importance|project|observed|status)\s*:\s*([^|]*)")
_PROMOTION_SUFFIX: Final = re.compile(
    r"(?<![ \t])[ \t]*\[score=[^\]\n]{0,300}\][ \t]*$", re.MULTILINE
)
_COLOUR: Final = re.compile(
    r"(?=\w*\d|(\w)\1\1)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE
)
_HASHTAG: Final = re.compile(r"(?<![\w/#&])#([^\W\d_][\w-]{1,30})(?![\w-]*\()")
_TABLE_RULE: Final = re.compile(r":?-+:?")
_BAR: Final = re.compile(r"(?<!\\)\|")
_MIN_CELLS: Final = 2
SKIPPED_TABLE_RULE: Final = "the line below a table's header"
SKIPPED_COLUMN_NAMES: Final = "column names, used in the rows"
SKIPPED_EMPTY_ROW: Final = "template"
_NAMED_CELL: Final = re.compile(r"([^:：;\n]{1,40}): (\S[^\n]*)")


@dataclass(frozen=True, slots=True)
class LineMarks:
    """The text of a line without its annotations, and what both say about the line.

    `observed` is when it was noted, `promoted` the annotation of a host that promoted it to
    MEMORY.md, and `brackets` are the tags at its start, such as `[idea]`.
    """

    text: str
    importance: int | None = None
    triggers: str | None = None
    projects: tuple[str, ...] = ()
    observed: str | None = None
    status: LineStatus = "current"
    promoted: str | None = None
    task: bool = False
    brackets: tuple[str, ...] = ()
    hashtags: tuple[str, ...] = ()


def read_marks(text: str) -> LineMarks:
    """Return the marks of a line; only annotations are removed from its text."""
    fields: dict[str, str] = {}
    promoted: str | None = None

    def take_annotation(match: re.Match[str]) -> str:
        nonlocal promoted
        if not _HOST_ANNOTATION.match(match[1]):
            return match[0]
        if "memory-promotion" in match[1]:
            promoted = match[1].strip()
        fields.update((name, value.strip()) for name, value in _FIELD.findall(match[1]))
        return ""

    bare = _replace_comments(take_annotation, text)
    if tail := _PROMOTION_SUFFIX.search(bare):
        promoted = tail[0].strip()
        bare = _PROMOTION_SUFFIX.sub("", bare)
    bare = bare.strip()
    brackets = leading_brackets(bare)
    importance = fields.get("importance", "")
    return LineMarks(
        text=bare,
        importance=int(importance) if importance.isdecimal() and len(importance) < 3 else None,
        triggers=fields.get("trigger") or None,
        projects=tuple(
            name for part in fields.get("project", "").split(";") if (name := part.strip())
        ),
        observed=fields.get("observed") or None,
        status=line_status(bare, fields.get("status", "")),
        promoted=promoted,
        task=is_ticked(bare) is not None,
        brackets=tuple(bracket for bracket in brackets if bracket.casefold() not in ("x", "")),
        hashtags=tuple(dict.fromkeys(filterfalse(_COLOUR.fullmatch, _HASHTAG.findall(bare)))),
    )


def without_comments(text: str) -> str:
    """Return the text without any comment, as a person sees it."""
    return _replace_comments(lambda _: "", text).strip()


def _replace_comments(change: Callable[[re.Match[str]], str], text: str) -> str:
    """Return the text with its comments replaced.

    Only the part up to the last end of a comment is searched: after it, every opening would make
    the pattern read all the rest of the text.
    """
    end = text.rfind(_COMMENT_END) + len(_COMMENT_END) if _COMMENT_END in text else 0
    return _COMMENT.sub(change, text[:end]) + text[end:]


def table_units(
    rows: Sequence[tuple[int, str]],
) -> tuple[list[tuple[int, str]], dict[int, str]]:
    """Return the text of each row with content by its line, and why other lines are skipped."""
    skipped: dict[int, str] = {}
    names: list[str] = []
    texts: list[tuple[int, str]] = []
    split_rows = [(line, cells_of(text)) for line, text in rows]
    for index, (line, cells) in enumerate(split_rows):
        if _is_table_rule(cells):
            skipped[line] = SKIPPED_TABLE_RULE
        elif index + 1 < len(split_rows) and _is_table_rule(split_rows[index + 1][1]):
            names = cells
            skipped[line] = (
                SKIPPED_COLUMN_NAMES if index + 2 < len(split_rows) else SKIPPED_EMPTY_ROW
            )
        elif not any(re.search(r"\w", cell) for cell in cells):
            skipped[line] = SKIPPED_EMPTY_ROW
        else:
            texts.append((line, _row_text(cells, names)))
    return texts, skipped


def cells_of(row: str) -> list[str]:
    """Return the values between the bars; an escaped bar is part of its value."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip() for cell in _BAR.split(inner)]


def _row_text(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return a row as text: `Host: atlas; Port: 22`."""
    parts = []
    for index, cell in enumerate(cells):
        name = names[index] if index < len(names) and re.search(r"\w", names[index]) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name else cell)
    return "; ".join(parts)


def named_cells(text: str) -> list[tuple[str, str]]:
    """Return the names and values of a table row that was made into text.

    The result is empty for any other text.
    """
    parts = text.split("; ")
    matches = [_NAMED_CELL.fullmatch(part) for part in parts]
    if len(parts) < _MIN_CELLS or matches[0] is None or sum(map(bool, matches)) < _MIN_CELLS:
        return []
    return [
        (match[1], match[2]) if match else ("", part)
        for part, match in zip(parts, matches, strict=True)
    ]


def _is_table_rule(cells: Sequence[str]) -> bool:
    return any(cells) and all(_TABLE_RULE.fullmatch(cell) for cell in cells if cell)
