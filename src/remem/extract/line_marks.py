"""Annotations of a line, and rows of a table as text.

Comments that hosts write for themselves are taken off a line and kept as its marks. What a person
reads, such as a checked box or struck-out words, stays in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.text.line_status import LineStatus, is_ticked, leading_brackets, line_status

_END: Final = "-->"
_COMMENT: Final = re.compile(rf"(?<![ \t])[ \t]*<!--(.*?){_END}", re.DOTALL)
_OURS: Final = re.compile(
    r"\s*(?:[\w-]*memory-promotion\b|(?:trigger|importance|project|observed|status|confidence)\s*:)"
)
_FIELD: Final = re.compile(r"(trigger|importance|project|observed|status)\s*:\s*([^|]*)")
_PROMOTED: Final = re.compile(r"(?<![ \t])[ \t]*\[score=[^\]\n]{0,300}\][ \t]*$", re.MULTILINE)
_HASHTAG: Final = re.compile(r"(?<![\w/#&])#([^\W\d_][\w-]{1,30})(?![\w-]*\()")


@dataclass(frozen=True, slots=True)
class Marks:
    """The words of a line without its annotations, and the values of these."""

    text: str
    importance: int | None = None
    triggers: str | None = None
    projects: tuple[str, ...] = ()
    observed: str | None = None
    standing: LineStatus = "current"
    promoted: str | None = None
    task: bool = False
    brackets: tuple[str, ...] = ()
    hashtags: tuple[str, ...] = ()


def read_marks(text: str) -> Marks:
    """The marks of a line; only annotations are taken off its text."""
    fields: dict[str, str] = {}
    promoted: str | None = None

    def off(match: re.Match[str]) -> str:
        nonlocal promoted
        if not _OURS.match(match[1]):
            return match[0]
        if "memory-promotion" in match[1]:
            promoted = match[1].strip()
        fields.update((name, value.strip()) for name, value in _FIELD.findall(match[1]))
        return ""

    bare = _change_comments(off, text)
    if tail := _PROMOTED.search(bare):
        promoted = tail[0].strip()
        bare = _PROMOTED.sub("", bare)
    bare = bare.strip()
    brackets = leading_brackets(bare)
    importance = fields.get("importance", "")
    return Marks(
        text=bare,
        importance=int(importance) if importance.isdecimal() and len(importance) < 3 else None,
        triggers=fields.get("trigger") or None,
        projects=tuple(
            name for part in fields.get("project", "").split(";") if (name := part.strip())
        ),
        observed=fields.get("observed") or None,
        standing=line_status(bare, fields.get("status", "")),
        promoted=promoted,
        task=is_ticked(bare) is not None,
        brackets=tuple(bracket for bracket in brackets if bracket.casefold() not in ("x", "")),
        hashtags=tuple(dict.fromkeys(_HASHTAG.findall(bare))),
    )


def without_notes(text: str) -> str:
    """The text without any comment: what a person sees of it."""
    return _change_comments(lambda _: "", text).strip()


def _change_comments(change: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with its comments changed.

    After the last end mark no comment can be complete, and a search there would read the rest of
    the text once per opening.
    """
    last = text.rfind(_END) + len(_END) if _END in text else 0
    return _COMMENT.sub(change, text[:last]) + text[last:]


_TABLE_RULE: Final = re.compile(r":?-+:?")
_BAR: Final = re.compile(r"(?<!\\)\|")

SKIPPED_TABLE_RULE: Final = "the line below a table's header"
SKIPPED_COLUMN_NAMES: Final = "column names, used in the rows"
SKIPPED_EMPTY_ROW: Final = "template"


def table_units(
    rows: Sequence[tuple[int, str]],
) -> tuple[list[tuple[int, str]], dict[int, str]]:
    """The rows with content, by line; and the reasons why the others are skipped out."""
    skipped: dict[int, str] = {}
    names: list[str] = []
    texts: list[tuple[int, str]] = []
    cut = [(line, cells_of(text)) for line, text in rows]
    for at, (line, cells) in enumerate(cut):
        if _is_table_rule(cells):
            skipped[line] = SKIPPED_TABLE_RULE
        elif at + 1 < len(cut) and _is_table_rule(cut[at + 1][1]):
            names = cells
            skipped[line] = SKIPPED_COLUMN_NAMES if at + 2 < len(cut) else SKIPPED_EMPTY_ROW
        elif not any(re.search(r"\w", cell) for cell in cells):
            skipped[line] = SKIPPED_EMPTY_ROW
        else:
            texts.append((line, _row_text(cells, names)))
    return texts, skipped


def cells_of(row: str) -> list[str]:
    """The values between the bars; an escaped bar is part of its value."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip() for cell in _BAR.split(inner)]


def _row_text(cells: Sequence[str], names: Sequence[str]) -> str:
    """The row as text: `Host: atlas; Port: 22`."""
    parts = []
    for at, cell in enumerate(cells):
        name = names[at] if at < len(names) and re.search(r"\w", names[at]) else ""
        if cell:
            parts.append(f"{name}: {cell}" if name else cell)
    return "; ".join(parts)


def _is_table_rule(cells: Sequence[str]) -> bool:
    return any(cells) and all(_TABLE_RULE.fullmatch(cell) for cell in cells if cell)
