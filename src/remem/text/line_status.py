"""Does a line still hold, or is it done, or given up? Its marks say so."""

from __future__ import annotations

import re
from typing import Final, Literal

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
    if ticked(text) or _STRUCK.match(text) or any(each.casefold() in _DONE for each in brackets):
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
