"""Read the annotations of a line of a memory file, and decide whether the line counts.

A line may be done or superseded. It may also say nothing about anyone: an empty form field, a
prompt to fill one in, the prose of a host's template, or a stamp of the last edit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.text.marked_line import remove_lesson_marks
from remem.text.pattern_file import pattern_file

LineStatus = Literal["current", "done", "superseded"]

_BRACKET: Final = re.compile(r"\s*[\[【]([^\]】\n]{1,24})[\]】](?!\()")
_BOX: Final = re.compile(r"\[([ xX✓✔])\](?=\s|$)")
_STRUCK: Final = re.compile(r"~~.+~~[\s✅✔☑.!]*(?:\([^()]*\))?\s*$", re.DOTALL)
_FILE: Final = pattern_file("text/line_status")
_SUPERSEDED: Final = _FILE.regex("superseded")
_DONE: Final = _FILE.words("done")
_OVER: Final = _FILE.regex("over")
_ANNOTATION: Final = re.compile(
    r"[ \t]*<!--\s*(trigger|importance|project)\s*:([^\n]*?)-->", re.IGNORECASE
)
_MAX_IMPORTANCE: Final = 10


def line_status(text: str, status: str = "") -> LineStatus:
    """Return the status that the marks of a line, or an annotation's `status`, give it."""
    if _SUPERSEDED.search(text) or status.casefold() in ("superseded", "inactive", "deprecated"):
        return "superseded"
    brackets = leading_brackets(text)
    if (
        is_ticked(text)
        or _STRUCK.match(text)
        or any(bracket.casefold() in _DONE for bracket in brackets)
    ):
        return "done"
    return "current"


def is_over(heading: str) -> bool:
    """Return whether a heading says that what is below it no longer holds: "Removed",
    "Historical"."""
    return _OVER.search(heading) is not None


def is_ticked(text: str) -> bool | None:
    """Return whether the checkbox at the start of a line is ticked; None if there is none."""
    box = _BOX.match(text)
    return None if box is None else box[1] != " "


def leading_brackets(text: str) -> list[str]:
    """Return tags such as `[决策]` or `[done]` at the start of a line."""
    brackets: list[str] = []
    position = len(text) - len(text.lstrip("*_# "))
    while match := _BRACKET.match(text, position):
        brackets.append(match[1].strip())
        position = match.end()
    return brackets


@dataclass(frozen=True, slots=True)
class Annotations:
    """A host's annotations of a line; several phrases or projects are joined by `; `."""

    importance: int | None = None
    triggers: str | None = None
    project: str | None = None


NO_ANNOTATIONS: Final = Annotations()


def annotations_of(text: str) -> Annotations:
    """Return the annotations of a text.

    If there are several importances, the highest counts; values outside 1 to 10 are ignored.
    """
    if "<!--" not in text:
        return NO_ANNOTATIONS
    values: dict[str, list[str]] = {"trigger": [], "importance": [], "project": []}
    for name, value in _ANNOTATION.findall(text):
        values[name.lower()].append(value.strip())
    importances = [
        int(value) for value in values["importance"] if value.isascii() and value.isdigit()
    ]
    return Annotations(
        importance=max(
            (importance for importance in importances if 1 <= importance <= _MAX_IMPORTANCE),
            default=None,
        ),
        triggers=_joined(values["trigger"], "[,;]"),
        project=_joined(values["project"], ";"),
    )


def without_annotations(text: str) -> str:
    """Remove annotations and the marks of lessons; every other comment is kept."""
    if "<!--" not in text and "^rem-" not in text:
        return text
    return remove_lesson_marks(_ANNOTATION.sub("", text))


def _joined(values: list[str], separators: str) -> str | None:
    parts = (part.strip() for value in values for part in re.split(separators, value))
    return "; ".join(dict.fromkeys(part for part in parts if part)) or None


_PLACEHOLDER: Final = _FILE.regex("placeholder")
_EMPTY_FIELD: Final = _FILE.regex("empty_field")
# Fragments of the text that OpenClaw puts into a new USER.md, and of the usual line under the
# title of a MEMORY.md.
_TEMPLATE: Final = _FILE.regex("template")
_STAMP: Final = _FILE.regex("stamp")


def is_placeholder(text: str) -> bool:
    """Return whether a line is a form field without a value, or a prompt to fill one in."""
    one_line = "\n" not in text
    return one_line and bool(_PLACEHOLDER.fullmatch(text) or _EMPTY_FIELD.fullmatch(text))


def is_template(text: str) -> bool:
    """Return whether a line came with the file's template rather than from its owner."""
    return _TEMPLATE.search(text) is not None


def is_stamp(text: str) -> bool:
    """Return whether a line only says when its file was created or last edited."""
    return len(text) <= 80 and _STAMP.fullmatch(text) is not None
