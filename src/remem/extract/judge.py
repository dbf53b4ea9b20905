"""The category of a statement, from its words, its label, the headings above it and its file.

Every vote has a weight and a name; the heaviest kind wins and the vote that weighed most is
the reason that is shown.

Which words give a kind of memory away? Patterns with weights, in several languages.

A label in front ("Decision: …") says it outright; a telling verb says it nearly; a mere hint
only decides where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple

from remem.extract.headings import announced, topic_of
from remem.extract.patterns.cues_english import ENGLISH, STRONG, Word
from remem.extract.patterns.cues_other import OTHER_LANGUAGES
from remem.model.entry import Category

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


_HEADING: Final[dict[Category, float]] = {
    "preference": 4.5,
    "decision": 4.5,
    "insight": 4.5,
    "instruction": 4.0,
    "person": 2.5,
    "project": 2.5,
    "fact": 2.5,
}
_FARTHER: Final = 0.55
_PLACES: Final[tuple[tuple[str, Category], ...]] = (
    (r"preferences?", "preference"),
    (r"decisions?|adrs?", "decision"),
    (r"lessons?|learnings?|errors?|insights?|mistakes", "insight"),
    (r"people|persons?|contacts?|clients?|team|crm", "person"),
    (r"projects?|tasks?|goals?|plans?|roadmaps?", "project"),
    (r"rules?|instructions?|procedures?|workflows?|conventions?", "instruction"),
    (r"reference|tools?|setup|infra\w*|schedules?|config", "fact"),
)
_USER: Final = "USER.md"
_FALLBACK: Final[Category] = "fact"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kind of a statement; `own` is how strongly its own words spoke for it, `headed`
    whether a heading did."""

    category: Category
    why: str
    own: float = 0.0
    headed: bool = False


@dataclass(frozen=True, slots=True)
class _Vote:
    category: Category
    weight: float
    why: str
    own: bool = False


def judge(
    text: str, labels: Sequence[str], headings: Sequence[str], path: str, *, passing: bool
) -> Verdict:
    """`passing` says that the line reads like an event or a status."""
    votes = [*_own(text), *_above(labels, headings), *_place(path)]
    in_log = bool(headings) and announced(headings[-1]) == "log"
    if passing or in_log:
        weight = 1.0 * passing + 1.0 * in_log
        votes.append(_Vote("project", weight, "reads like a step of something under way"))
    if not votes:
        return Verdict(_FALLBACK, "nothing speaks for another kind")
    totals: dict[Category, float] = {}
    for vote in votes:
        totals[vote.category] = totals.get(vote.category, 0.0) + vote.weight
    best = max(totals, key=lambda name: totals[name])
    mine = [vote for vote in votes if vote.category == best]
    return Verdict(
        best,
        max(mine, key=lambda each: each.weight).why,
        max((vote.weight for vote in mine if vote.own), default=0.0),
        any(not vote.own and vote.weight >= STRONG for vote in mine),
    )


def _own(text: str) -> Iterator[_Vote]:
    """The heaviest cue of each kind counts in full, further ones a little."""
    best: dict[Category, tuple[float, str]] = {}
    more: dict[Category, float] = {}
    for cue, said in cues_in(text):
        weight, _ = best.get(cue.category, (0.0, ""))
        more[cue.category] = more.get(cue.category, 0.0) + 0.25 * min(weight, cue.weight)
        if cue.weight > weight:
            best[cue.category] = cue.weight, said
    for category, (weight, said) in best.items():
        yield _Vote(category, weight + more[category], f"says “{said[:40]}”", own=True)


def _above(labels: Sequence[str], headings: Sequence[str]) -> Iterator[_Vote]:
    """The nearest heading counts in full, one further up less; a day's name counts nothing."""
    weight = 1.0
    for title in [*reversed(labels), *reversed(headings)]:
        kind = announced(title)
        if kind is not None and kind != "log":
            own_name = 0.5 if topic_of(title) else 1.0  # "Mail server" is a thing, not a kind
            yield _Vote(kind, _HEADING[kind] * weight * own_name, f"stands under “{title[:60]}”")
        weight *= _FARTHER


def _place(path: str) -> Iterator[_Vote]:
    if kind := _kind_of_place(path):
        yield _Vote(kind, 1.5, f"stands in {path}")


@lru_cache(maxsize=64)
def _kind_of_place(path: str) -> Category | None:
    folders = re.split(r"[/.]", path.casefold())
    for pattern, category in _PLACES:
        if any(re.fullmatch(pattern, folder) for folder in folders):
            return category
    return "preference" if path == _USER else None
