"""Recognise lines of a memory file that say nothing about anyone.

These are empty form fields, prompts to fill one in, the prose of a host's template, and stamps that
say when the file was last edited.
"""

from __future__ import annotations

import re
from typing import Final

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
