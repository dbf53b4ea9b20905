"""Read the annotations of a line of a memory file, and decide whether the line counts.

A line may be done or superseded. It may also say nothing about anyone: an empty form field, a
prompt to fill one in, the prose of a host's template, or a stamp of the last edit.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final, Literal

from remem.fast_dataclass import dataclass
from remem.text.marked_line import remove_lesson_marks
from remem.text.pattern_file import pattern_file

LineStatus = Literal["current", "done", "superseded"]

_BRACKET: Final = re.compile(r"\s*[\[【]([^\]】\n]{1,24})[\]】](?!\()")
_BOX: Final = re.compile(r"\[([ xX✓✔])\](?=\s|$)")
_STRUCK: Final = re.compile(r"~~.+~~[\s✅✔☑.!]*(?:\([^()]*\))?\s*$", re.DOTALL)
_ANNOTATION: Final = re.compile(
    r"(?<![ \t])[ \t]*<!--\s*(trigger|importance|project)\s*:((?:(?!<!--)[^\n])*?)-->",
    re.IGNORECASE,
)
_MAX_IMPORTANCE: Final = 10
_MAX_PLACEHOLDER_LENGTH: Final = 1_000
_WORD: Final = re.compile(r"\w")
_FILE: Final = "text/line_status"


class _Patterns:
    """The patterns of `line_status.toml`, each compiled when it is first needed."""

    superseded = cached_property(lambda _: pattern_file(_FILE).regex("superseded"))
    done = cached_property(lambda _: pattern_file(_FILE).words("done"))
    over = cached_property(lambda _: pattern_file(_FILE).regex("over"))
    changed = cached_property(lambda _: pattern_file(_FILE).regex("changed"))
    placeholder = cached_property(lambda _: pattern_file(_FILE).regex("placeholder"))
    empty_field = cached_property(lambda _: pattern_file(_FILE).regex("empty_field"))
    template = cached_property(lambda _: pattern_file(_FILE).regex("template"))
    """Fragments of the text that OpenClaw puts into a new USER.md, and of the usual line under the
    title of a MEMORY.md."""
    stamp = cached_property(lambda _: pattern_file(_FILE).regex("stamp"))


_PATTERNS: Final = _Patterns()


def line_status(text: str, status: str = "") -> LineStatus:
    """Return the status of a line, by the marks in its text or the `status` of its annotation."""
    if _PATTERNS.superseded.search(text) or status.casefold() in (
        "superseded",
        "inactive",
        "deprecated",
    ):
        return "superseded"
    brackets = leading_brackets(text)
    if (
        is_ticked(text)
        or _STRUCK.match(text)
        or any(bracket.casefold() in _PATTERNS.done for bracket in brackets)
    ):
        return "done"
    return "current"


def is_over(heading: str) -> bool:
    """Return whether a heading such as "Removed" says that what is below it no longer holds."""
    return _PATTERNS.over.search(heading) is not None


def announces_change(text: str) -> bool:
    """Return whether a text says that something is different from before: "now", "switched"."""
    return _PATTERNS.changed.search(text) is not None


def is_struck(text: str) -> bool:
    """Return whether a line is struck out as a whole, with or without a bullet."""
    return _STRUCK.match(text.lstrip("-*+ \t")) is not None


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
    """The annotations that a host added to a line; several triggers or projects are joined by `; `.

    `triggers` are the phrases that bring the line up.
    """

    importance: int | None = None
    triggers: str | None = None
    project: str | None = None


NO_ANNOTATIONS: Final = Annotations()


def annotations_of(text: str) -> Annotations:
    """Return the annotations of a text; of several importances, the highest from 1 to 10."""
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
        triggers=_join_parts(values["trigger"], "[,;]"),
        project=_join_parts(values["project"], ";"),
    )


def without_annotations(text: str) -> str:
    """Remove annotations and the marks of lessons; every other comment is kept."""
    if "<!--" not in text and "^rem-" not in text:
        return text
    return remove_lesson_marks(_ANNOTATION.sub("", text))


def _join_parts(values: list[str], separators: str) -> str | None:
    parts = (part.strip() for value in values for part in re.split(separators, value))
    return "; ".join(dict.fromkeys(part for part in parts if part)) or None


def is_placeholder(text: str) -> bool:
    """Return whether a line is a form field without a value, or a prompt to fill one in."""
    if "\n" in text:
        return False
    if len(text) > _MAX_PLACEHOLDER_LENGTH:
        return _WORD.search(text) is None
    return bool(_PATTERNS.placeholder.fullmatch(text) or _PATTERNS.empty_field.fullmatch(text))


def is_template(text: str) -> bool:
    """Return whether a line is part of a host's template and was not written by the owner."""
    return _PATTERNS.template.search(text) is not None


def is_stamp(text: str) -> bool:
    """Return whether a line only says when its file was created or last edited."""
    return len(text) <= 80 and _PATTERNS.stamp.fullmatch(text) is not None
