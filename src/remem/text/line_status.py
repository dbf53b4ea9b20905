"""What did a host remark about a line? Comments at its end: trigger, importance, project.

Does a line still hold, or is it done, or given up? Its marks say so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.text.marked_line import without_marks

Standing = Literal["current", "done", "superseded"]

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


def standing_of(text: str, status: str = "") -> Standing:
    """What the marks of a line say; `status` is what an annotation says beside them."""
    if _SUPERSEDED.search(text) or status.casefold() in ("superseded", "inactive", "deprecated"):
        return "superseded"
    brackets = leading_brackets(text)
    if (
        ticked(text)
        or _STRUCK.match(text)
        or any(bracket.casefold() in _DONE for bracket in brackets)
    ):
        return "done"
    return "current"


def ticked(text: str) -> bool | None:
    """Whether the box that a line begins with is ticked; None if it has none."""
    box = _BOX.match(text)
    return None if box is None else box[1] != " "


def leading_brackets(text: str) -> list[str]:
    """Tags such as `[决策]` or `[done]` that a line begins with."""
    found: list[str] = []
    at = len(text) - len(text.lstrip("*_# "))
    while match := _BRACKET.match(text, at):
        found.append(match[1].strip())
        at = match.end()
    return found


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
