"""What a line of a memory file says about itself: its annotations, and whether it counts.

A line may be done or superseded. It may also say nothing about anyone: an empty form field, a
prompt to fill one in, the prose of a host's template, or a stamp of the last edit.
"""

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


_PLACEHOLDER: Final = re.compile(
    r"\W*(?:\(?(?:none|nothing|empty|tbd|todo|n/?a|fill (?:this )?in|to be (?:filled|added|"
    r"determined)|add .{0,40} here|"
    r"your .{0,30} here|example|optional|leer|noch nichts|пусто|нет|vacío|ninguno|vide|aucune?|"
    r"暂无|无|空|待补充|待填写|なし|未記入|未定)(?: yet| so far| noch)?\)?)\W*"
    r"|[_*]*\((?:add|e\.?g\.?|fill|describe|what|optional|update|list|write|how|your|hier|ici|"
    r"aquí|在此|"
    r"例如|ここに)\b.*\)[_*]*|[_*]+(?:add|fill|describe|update this|list|write|learn about|this "
    r"is where|"
    r"what (?:do|are)|the more you)\b.*[_*]+|\W*(?:<[^<>]{2,40}>|\[(?:your|add|insert|name|"
    r"todo)[^\]]*\])\W*|\W*",
    re.IGNORECASE,
)
_EMPTY_FIELD: Final = re.compile(
    r"\W*[^:：\n]{1,40}[:：][\s*_]*(?:[_*(]*\(?(?:optional|none|tbd|unknown|not set|to be \w+|"
    r"e\.g\.[^)]*)\)?[_*)]*)?\W*",
    re.IGNORECASE,
)
# Fragments of the text that OpenClaw puts into a new USER.md, and of the usual line under the
# title of a MEMORY.md.
_TEMPLATE: Final = re.compile(
    r"the more (?:you|i) (?:know|learn), the better|\blearn(?:ing)? about the person (?:you|i)\b"
    r"|\bupdate this as you go\b|what do they care about\?|not building a dossier"
    r"|^\W*(?:curated|distilled|long[- ]term) (?:long[- ]term )?memor(?:y|ies)\b[^.:]{0,60}\W*$",
    re.IGNORECASE,
)
_STAMP_WORDS: Final = (
    r"(?:(?:last|date) )?(?:updated?|created|reviewed|edited|modified)(?: (?:on|at))?",
    r"(?:stand|letzte änderung|(?:zuletzt )?(?:geändert|aktualisiert)|erstellt)(?: am)?",
    r"(?:последнее )?обновлени[ея]|обновлено|создано",
    r"(?:dernière )?mise à jour|(?:mis à jour|créé)(?: le)?",
    r"última (?:atualização|actualización)|(?:atualizado|actualizado|criado|creado)(?: em| el)?",
    r"(?:最后|最近|上次)?(?:更新|创建|修改)(?:时间|日期|于)?|最終更新日?|作成日",
)
_STAMP: Final = re.compile(
    rf"[\W_]*(?:{'|'.join(_STAMP_WORDS)})(?:[*_ ]*[:：].{{0,40}}|[\d\W_年月日]*)", re.IGNORECASE
)


def is_placeholder(text: str) -> bool:
    """Whether a line is a form field without a value, or a prompt to fill one in."""
    one_line = "\n" not in text
    return one_line and bool(_PLACEHOLDER.fullmatch(text) or _EMPTY_FIELD.fullmatch(text))


def is_template(text: str) -> bool:
    """Whether a line came with the file rather than from its owner."""
    return _TEMPLATE.search(text) is not None


def is_stamp(text: str) -> bool:
    """Whether a line only says when its file was created or last edited."""
    return len(text) <= 80 and _STAMP.fullmatch(text) is not None
