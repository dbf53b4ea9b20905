"""What is a new section of MEMORY.md called? By what it holds, in the file's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from remem.core.entry import Category
from remem.core.language import language_of
from remem.core.words import words

_ENOUGH: Final = 5

_TITLES: Final[dict[str, dict[Category, str]]] = {
    "en": {
        "instruction": "Rules",
        "preference": "Preferences",
        "decision": "Decisions",
        "insight": "Lessons learned",
        "fact": "Facts",
    },
    "de": {
        "instruction": "Regeln",
        "preference": "Vorlieben",
        "decision": "Entscheidungen",
        "insight": "Gelernt",
        "fact": "Fakten",
    },
    "fr": {
        "instruction": "Règles",
        "preference": "Préférences",
        "decision": "Décisions",
        "insight": "Leçons",
        "fact": "Faits",
    },
    "es": {
        "instruction": "Reglas",
        "preference": "Preferencias",
        "decision": "Decisiones",
        "insight": "Lecciones",
        "fact": "Datos",
    },
    "ru": {
        "instruction": "Правила",
        "preference": "Предпочтения",
        "decision": "Решения",
        "insight": "Уроки",
        "fact": "Факты",
    },
    "zh": {
        "instruction": "规则",
        "preference": "偏好",
        "decision": "决策",
        "insight": "经验",
        "fact": "事实",
    },
    "ja": {
        "instruction": "ルール",
        "preference": "好み",
        "decision": "決定",
        "insight": "学び",
        "fact": "事実",
    },
}


def spoken_in(lines: Iterable[str]) -> str:
    """The language of most lines that are long enough to tell; English where none is."""
    telling = (line for line in lines if len(words(line)) >= _ENOUGH)
    votes = Counter(language for line in telling if (language := language_of(line)))
    return votes.most_common(1)[0][0] if votes else "en"


def title_of(category: Category, language: str) -> str:
    titles = _TITLES.get(language, _TITLES["en"])
    return titles.get(category, titles["fact"])
