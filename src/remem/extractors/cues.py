"""Which words give a kind of memory away? Patterns with weights, in several languages.

A label in front ("Decision: …") says it outright; a telling verb says it nearly; a mere hint
only decides where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from remem.core.entry import Category
from remem.extractors.cues_abroad import OTHER_LANGUAGES
from remem.extractors.cues_english import ENGLISH, Word

LABEL: Final = 6.0


@dataclass(frozen=True, slots=True)
class Cue:
    category: Category
    weight: float
    pattern: re.Pattern[str]


_LABELS: Final[dict[Category, str]] = {
    "decision": "decision|decided|choice|chosen|verdict|entscheidung|beschluss|решение|выбор|"
    "decisión|"
    "elección|décision|choix|决策|决定|選択|決定|选择|决议|结论",
    "insight": "lessons?(?: learn(?:ed|t))?|learned|insight|gotcha|finding|takeaway|pitfall|root "
    "cause|"
    "tip|caveat|note to self|lektion|gelernt|erkenntnis|merke|урок|вывод|инсайт|lección|"
    "aprendizaje|"
    "ojo|leçon|constat|astuce|教训|經驗|经验|洞察|发现|坑|心得|教訓|学び|気づき|知見|コツ",
    "preference": "preference|prefers|feedback|likes?|dislikes?|vorliebe|предпочтение|preferencia|"
    "préférence|retour|偏好|反馈|喜好|好み|フィードバック",
    "instruction": "rule|policy|instruction|important|critical|warning|regel|wichtig|правило|"
    "важно|regla|"
    "importante|règle|consigne|规则|铁律|规定|注意|重要|ルール|必須|禁止|禁忌",
    "project": "goal|milestone|deadline|status|next steps?|todo|phase \\d+|roadmap|ziel|frist|"
    "meilenstein|цель|срок|статус|этап|objetivo|plazo|estado|objectif|échéance|目标|截止|状态|"
    "进度|下一步|"
    "目標|期限|締切|進捗|次",
    "person": "name|birthday|pronouns|email|phone|role|geburtstag|имя|nombre|cumpleaños|nom|"
    "anniversaire|姓名|生日|称呼|名前|誕生日|職業",
    "fact": "path|url|port|host|ip|version|account|id|model|cost|pfad|konto|порт|путь|ruta|"
    "chemin|路径|"
    "端口|地址|账号|版本|パス|ポート",
}

_FOREIGN: Final = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|mit|auf|von|den|wir|ein|eine|zum|bei|nur|im|el|los|las|que|"
    r"con|del|para|una|por|se|le|les|et|des|du|une|est|pas|pour|avec|sur|il|elle|on|ich|je|"
    r"toujours|jamais|nunca|siempre|immer|niemals|prefiero)\b",
    re.IGNORECASE,
)


class _Cues(NamedTuple):
    always: tuple[Cue, ...]
    abroad: tuple[Cue, ...]


@cache
def _cues() -> _Cues:
    """Compiled when the first text comes: a command that extracts nothing does not wait."""
    label = r"^(?:\W{{0,4}})(?:{})\W{{0,4}}[:：]"
    bracket = r"^\W{{0,4}}[\[【](?:{})[\]】]"
    labels = [
        Cue(name, LABEL, re.compile(f"{label.format(said)}|{bracket.format(said)}", re.IGNORECASE))
        for name, said in _LABELS.items()
    ]
    return _Cues((*labels, *_compiled(ENGLISH)), _compiled(OTHER_LANGUAGES))


def _compiled(words: Iterable[Word]) -> tuple[Cue, ...]:
    return tuple(
        Cue(name, weight, re.compile(pattern, 0 if "[A-Z" in pattern else re.IGNORECASE))
        for name, weight, pattern in words
    )


def cues_in(text: str) -> Iterator[tuple[Cue, str]]:
    """Every cue that a text gives, with the words that gave it."""
    cues = _cues()
    abroad = () if text.isascii() and not _FOREIGN.search(text) else cues.abroad
    for cue in (*cues.always, *abroad):
        if match := cue.pattern.search(text):
            yield cue, match[0].strip()
