"""Does a text talk an agent out of its rules? Then it is nobody's memory.

Such words come from pages and messages that an agent was made to read. A person who means them
means them for the moment: nothing is lost if they are not kept.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_EARLIER: Final = (
    r"previous|prior|above|earlier|preceding|foregoing|existing|original|initial|system|"
    r"developer|safety|built-in"
)
_TOLD: Final = r"instructions?|directions?|directives?|rules|prompts?|guidelines|commands|orders"
_PHRASES: Final = (
    rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|"
    rf"do not (?:follow|obey)|don['’]t (?:follow|obey))\s+(?:\w+\s+){{0,4}}?"
    rf"(?:{_EARLIER})\s+(?:\w+\s+){{0,2}}?(?:{_TOLD})\b",
    rf"\b(?:ignore|disregard|forget) (?:all |any |each |every )?(?:of )?your (?:{_TOLD})\b",
    r"\b(?:reveal|print|repeat|leak|show me) (?:your|the) (?:hidden |secret )?system prompt\b",
    r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*)\s+(?:\w+\s+){0,2}?"
    r"(?:vorherig|bisherig|vorig|obig|früher)\w*\s+(?:\w+\s+)?(?:anweisung|regel|befehl|vorgabe)",
    r"\b(?:ignore[rz]?|oublie[rz]?)\s+(?:\w+\s+){0,3}?(?:instructions?|règles|consignes)\s+"
    r"(?:précédente?s?|antérieure?s?|ci-dessus)",
    r"\b(?:ignora|ignore|ignorad|olvida|olvide)\s+(?:\w+\s+){0,3}?(?:instrucciones|reglas|órdenes)\s+"
    r"(?:anteriores|previas)",
    r"\b(?:игнорируй|игнорируйте|забудь|забудьте)\s+(?:\w+\s+){0,2}?"
    r"(?:предыдущ|прежн|прошл)\w*\s+(?:инструкци|указани|правил|команд)",
    r"(?:忽略|无视|無視|忘记|忘掉)[^。！？]{0,6}(?:之前|以前|以上|上面|前面|先前|此前|原有|系统)[^。！？]{0,6}"
    r"(?:指令|指示|规则|規則|提示|命令)",
    r"(?:以前|これまで|今まで|上記|先の|前の|システム)[^。！？]{0,4}(?:指示|命令|ルール|プロンプト)[^。！？]{0,8}"
    r"(?:無視|忘れ)",
)


def overrides(text: str) -> bool:
    """Whether somewhere in it an agent is told to drop what it was told."""
    return _pattern().search(text) is not None


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(_PHRASES), re.IGNORECASE)
