"""What did a host remark about a line? Comments at its end: trigger, importance, project."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remem.core.lesson_mark import without_marks

_REMARK: Final = re.compile(
    r"[ \t]*<!--\s*(trigger|importance|project)\s*:([^\n]*?)-->", re.IGNORECASE
)
_HIGHEST: Final = 10


@dataclass(frozen=True, slots=True)
class Annotations:
    """Several phrases or projects stand behind each other, with `; ` between them."""

    importance: int | None = None
    triggers: str | None = None
    project: str | None = None


NONE: Final = Annotations()


def annotations_of(text: str) -> Annotations:
    """Those of a text. Of several importances the highest counts; one that is no number from
    1 to 10 does not."""
    if "<!--" not in text:
        return NONE
    found: dict[str, list[str]] = {"trigger": [], "importance": [], "project": []}
    for name, value in _REMARK.findall(text):
        found[name.lower()].append(value.strip())
    marks = [int(each) for each in found["importance"] if each.isascii() and each.isdigit()]
    return Annotations(
        importance=max((mark for mark in marks if 1 <= mark <= _HIGHEST), default=None),
        triggers=_listed(found["trigger"], "[,;]"),
        project=_listed(found["project"], ";"),
    )


def without_annotations(text: str) -> str:
    """The text as a person reads it, without the marks of lessons; every other comment stays."""
    return without_marks(_REMARK.sub("", text)) if "<!--" in text else text


def _listed(values: list[str], separators: str) -> str | None:
    parts = (part.strip() for value in values for part in re.split(separators, value))
    return "; ".join(dict.fromkeys(part for part in parts if part)) or None
