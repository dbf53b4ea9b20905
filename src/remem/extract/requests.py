"""Which words say that something said should last? Patterns, in several languages.

A label says it outright; a few plain sentences nearly do. Other words of a conversation are
too weak a sign: it is better to miss one than to fill a memory with chatter.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.core.lesson_kinds import LessonKind

_LABELS: Final[dict[LessonKind, str]] = {
    "decision": "decision|decided|entscheidung|beschluss|决定|决策|决议|決定|решение|decisión|"
    "décision",
    "task": "todo|to-do|task|action item|next step|aufgabe|待办|任务|下一步|やること|タスク|задача|"
    "tarea|tâche|à faire",
    "rule": "rule|convention|regel|规则|规定|铁律|约定|ルール|правило|regla|règle",
    "insight": "lessons?(?: learned)?|takeaway|lektion|erkenntnis|教训|经验|学び|урок|lección|"
    "leçon",
    "preference": "preference|vorliebe|偏好|好み|предпочтение|preferencia|préférence",
    "fact": "fact|fyi|fakt|事实|факт|fait établi",
    "context": "context|background|hintergrund|kontext|背景|контекст|contexto|contexte",
}
_DONE: Final = "done|finished|completed|erledigt|已完成|完成|完了|готово|terminado|terminé"

_PLAINLY: Final[dict[LessonKind, tuple[str, ...]]] = {
    "decision": (
        r"\b(?:we|i)(?:['’]ve| have)? (?:finally |now )?(?:decided|agreed|settled on)\b",
        r"\b(?:we(?:['’]ll| will|['’]re| are)|let['’]s) (?:go(?:ing)?|stick(?:ing)?) with\b",
        r"\b(?:we(?:['’]ll| will|['’]re| are)|let['’]s) switch(?:ing)? to\b",
        r"\b(?:it(?:['’]s| is) (?:decided|final)|the decision is)\b",
        r"\b(?:wir|ich) (?:haben|habe) .{0,80}(?:entschieden|beschlossen)\b|\bes bleibt bei\b",
        r"决定[了用改采]|我们?决定|拍板|最终选择|ことにし(?:た|ます|ました)|に決め(?:た|ました)",
        r"\b(?:мы|я) решил[аи]?\b|\bдоговорились\b",
        r"\b(?:hemos decidido|decidimos|acordamos)\b",
        r"\b(?:nous avons|on a|j['’]ai) (?:décidé|choisi)\b",
    ),
    "preference": (
        r"\b(?:i|we|he|she|they) (?:really |much |usually )?(?:prefers?|dislikes?|hates?)\b",
        r"\bi (?:don['’]t|do not) like\b|\bmy favou?rite \w+ is\b",
        r"^(?:please |just |you can )?call me (?-i:[A-Z])\w+",
        r"\bich (?:bevorzuge|mag|hasse)\b(?! (?:dein|diese|das\b|es\b|wie\b))|"
        r"\bmir ist .{1,60} lieber\b",
        r"我(?:们)?(?:更|比较|不)?(?:喜欢|偏好)|我讨厌|の方が好き|が(?:好き|嫌い)です",
        r"\bя (?:предпочитаю|люблю|ненавижу)\b|\b(?:prefiero|no me gusta)\b",
        r"\bje (?:préfère|déteste|n['’]aime pas)\b",
    ),
    "insight": (
        r"\b(?:we|i)(?:['’]ve| have)? (?:learned|learnt|found out|reali[sz]ed) that\b",
        r"\b(?:learned|learnt) the hard way\b|\bthe root cause (?:was|is)\b",
        r"\b(?:wir haben|ich habe) gelernt, dass\b|学到了|根因是|根本原因是|ことがわかった",
        r"原因は.{2,60}(?:だった|でした)|\b(?:aprendimos|nous avons appris) que\b",
    ),
    "person": (
        r"\b(?-i:[A-Z])\w+ is (?:my|our) (?:new )?(?:\w+ ){0,2}(?:manager|boss|lead|designer|"
        r"developer|engineer|wife|husband|partner|brother|sister|son|daughter|mother|father|"
        r"friend|colleague|doctor|client|contact)\b",
        r"\b(?-i:[A-Z])\w+ ist (?:mein|unser)e? (?:neuer? )?(?:chef(?:in)?|kolleg(?:e|in)|frau|"
        r"mann|freund(?:in)?|ärztin|arzt|bruder|schwester|sohn|tochter)\b",
        r"是我们?的?(?:老板|同事|妻子|丈夫|经理|负责人|设计师|朋友|客户|医生)",
    ),
}
_RULE: Final = (
    r"(?:please |bitte |(?:please )?(?:make sure (?:to|you) (?!.*\byour)|be sure to (?!.*\byour)|"
    r"i(?:['’]d like| want| need) you to )(?=always|never))?"
    r"(?:from now on|(?:going forward|in (?:the )?future)(?=, (?:please|always|never|use|"
    r"don['’]t|do not|write|keep|answer|reply|make|avoid|"
    r"include|put|call|add|only|just)\b)|"
    r"(?:always|never)(?! (?:been|had|seen|heard|mind|again|"
    r"an?|the|"
    r"thought|knew|know|good|great|nice|happy|glad|up|down|fun|here|there|so|on|in|at|for|is|was|"
    r"my|our|your|to|full|ready|open|busy|available|worth|more|less|better|best|such|very|too|"
    r"surrounded|welcome|hard|easy|sure|amazing|wonderful|lovely|awesome|beautiful|special|dull|"
    r"boring|enough|late|early|\w+ed|\w+ing)\b)|under no circumstances|"
    r"ab (?:jetzt|sofort)|in zukunft|immer|niemals|всегда|никогда|отныне|впредь|siempre|nunca|"
    r"a partir de ahora|de ahora en adelante|toujours|désormais|dorénavant|à partir de maintenant)"
    r"\b|(?:whenever|every time|each time|any ?time|when) (?:i ask|i say|you (?:write|answer|reply|"
    r"give|send|suggest|create|generate|make|change|explain|run|use|quote|translate|review))\b"
    r"[^?？,]{2,120}, (?!do you|can|could|how|what|why|that|this|there|my|(?:i|it|the|we|you)\b)"
    r"|以后|从现在(?:起|开始)|永远不要|不要再|务必|必须|今後|必ず|絶対に"
)
_TO_DO: Final = (
    r"(?:please |bitte )?(?:remind me to|"
    r"erinnere mich(?: daran)?,?|提醒我|别忘了|напомни(?: мне)?|recuérdame|rappelle-moi de)\s*"
)
_LABEL: Final = r"(?:\*\*|__)?(?:{})(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*"


@cache
def labels() -> dict[LessonKind, re.Pattern[str]]:
    """Compiled when the first conversation comes, like all of these."""
    return {kind: _compiled(_LABEL.format(said)) for kind, said in _LABELS.items()}


@cache
def plain_words() -> dict[LessonKind, re.Pattern[str]]:
    return {kind: _compiled("|".join(said)) for kind, said in _PLAINLY.items()}


@cache
def done_label() -> re.Pattern[str]:
    return _compiled(_LABEL.format(_DONE))


@cache
def rule_words() -> re.Pattern[str]:
    return _compiled(_RULE)


@cache
def to_do_words() -> re.Pattern[str]:
    return _compiled(_TO_DO)


@cache
def sentence_ends(*, with_labels: bool) -> re.Pattern[str]:
    """Between sentences, before the points of a list, before a label where there is one."""
    ends = (
        r"(?<=[.!?])[\"”’)]?\s+(?=[^\Wa-z]|\*\*|[\[(\"“])(?!(?<=\d\.\s)(?:Jan|Feb|März|April|Mai|"
        r"Jun|Jul|Aug|Sept|Okt|Nov|Dez))|(?<=[。！？；])\s*"
        r"|\s+(?=[-*•]\s)|\s+(?=\[[ xX]\]\s)"
    )
    label = _LABEL.format("|".join([*_LABELS.values(), _DONE]))
    return re.compile(rf"{ends}|\s+(?=(?i:{label}))" if with_labels else ends)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
