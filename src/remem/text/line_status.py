"""Read the annotations of a line (trigger, importance, project) and whether it still holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.text.marked_line import remove_lesson_marks

LineStatus = Literal["current", "done", "superseded"]

_BRACKET: Final = re.compile(r"\s*[\[【]([^\]】\n]{1,24})[\]】](?!\()")
_BOX: Final = re.compile(r"\[([ xX✓✔])\](?=\s|$)")
_STRUCK: Final = re.compile(r"~~.+~~[\s✅✔☑.!]*(?:\([^()]*\))?\s*$", re.DOTALL)
_SUPERSEDED: Final = re.compile(
    r"\[(?:deprecated|superseded|obsolete|outdated|废弃|已废弃|過時|廃止|устарело|veraltet|"
    r"obsoleto|"
    r"obsolète)\]|[(（](?:superseded|deprecated|obsolete|outdated|replaced by|veraltet|ersetzt|"
    r"устарело|заменено|obsoleto|reemplazado|obsolète|remplacé|已废弃|已过时|已被|廃止|旧)",
    re.IGNORECASE,
)
_DONE: Final = frozenset(
    "x done ✓ ✔ closed fertig erledigt 完成 已完成 done! 完了 済 готово".split()
)
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


def is_ticked(text: str) -> bool | None:
    """Whether the checkbox at the start of a line is ticked; None if there is none."""
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
    """What a host noted about a line; several phrases or projects are joined by `; `."""

    importance: int | None = None
    triggers: str | None = None
    project: str | None = None


NO_ANNOTATIONS: Final = Annotations()


def annotations_of(text: str) -> Annotations:
    """Return the annotations of a text.

    Of several importances the highest counts; one that is not from 1 to 10 is ignored.
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
    """Remove annotations and the marks of lessons; every other comment stays."""
    return remove_lesson_marks(_ANNOTATION.sub("", text)) if "<!--" in text else text


def _joined(values: list[str], separators: str) -> str | None:
    parts = (part.strip() for value in values for part in re.split(separators, value))
    return "; ".join(dict.fromkeys(part for part in parts if part)) or None
