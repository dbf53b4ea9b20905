"""Patterns, in several languages, of words which say that something should be remembered.

A label says it outright; a few plain sentences nearly do. Other words of a conversation are
too weak a sign: it is better to miss one than to fill a memory with chatter.

Does somebody ask that something be remembered? Then what he wants kept, word for word.

"Please remember that …", "don't forget: …" and their like in several languages. What follows must
be a statement: "don't forget to …" is about what to do now, "do you remember …" asks.

Which words of a sentence state something? Not its lead-in, nor what it asks for behind.

"By the way, I moved to Oslo in May, how do I register?" states what stands in the middle. And a
question may give its reason: "What can I cook, given that I'm allergic to nuts?" Every piece is cut
out word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.model.lesson import LessonKind

_PLEASE: Final = (
    r"(?:(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|пожалуйста)[,!]?\s+)?"
    r"(?:(?:can|could|would|will) you (?:please|kindly) |i(?:['’]d| would) like you to |"
    r"i (?:want|need) you to |you (?:should|must) )?(?:please )?(?:always )?"
)
_POLITE: Final = re.compile(r"\W*(?:please,? )?(?:can|could|would|will) you ", re.IGNORECASE)
"""Who asks in this way asks for no answer, whatever the mark at the end."""
_ENGLISH: Final = (
    r"(?:(?:remember|(?:don['’]t|do not|never) forget|keep in mind|bear in mind|note|take note|"
    r"make a (?:mental )?note(?: of this)?|write (?:this |it )?down|"
    r"(?:save|store|add|put|commit|record) (?:(?:this|it|the following) )?(?:to|in|into) "
    r"(?:your |the |my )?(?:long-term )?(?:memory|notes?)|save this|record this)"
    r"(?:,? that\b(?! (?:time|day|one|night|when|thing)\b)|,? this[:,]|[:,])\s*(?:please[:,]?\s+)?"
    r"|(?:remember|(?:don['’]t|do not) forget) (?=(?:i|we)(?:['’](?:m|re|ve|ll)| (?!told|asked|"
    r"said|need you|want you))|my (?:\w+ ){1,3}(?:is|are|has)\b)"
    r"|for (?:future reference|the record|your (?:memory|notes))[:,]\s*)"
)
_GERMAN: Final = (
    r"(?:(?:merke? dir|merken sie sich|vergiss|vergessen sie|denke?|denken sie|"
    r"notiere?(?: dir)?|notieren sie(?: sich)?|behalte?|behalten sie|beachte?|beachten sie)"
    r"(?: bitte| auch)*(?: nicht| daran| dran| im (?:kopf|hinterkopf|gedächtnis))?(?: bitte)?"
    r"(?:,? dass\s+|[:,]\s*(?!.*\b(?:zu \w+|\w+zu\w+en)[.!]?$)))"
)
_FRENCH: Final = (
    r"(?:n['’]oublie[zs]? (?:surtout )?pas|souviens-toi(?: bien)?|souvenez-vous|rappelle-toi|"
    r"rappelez-vous|retiens|retenez|note[zs]?(?: bien)?|sache[zs]?|"
    r"garde[zs]? (?:en tête|en mémoire|à l['’]esprit))(?:,? que\s+|,? qu['’]|\s?[:,]\s*)"
)
_SPANISH: Final = (
    r"(?:no (?:te |se )?olvides?|recuerd[ae]|acu[ée]rdate|ten(?:ga)? (?:en cuenta|presente)|"
    r"anot[ae]|apunta|apunte|tom[ae] nota)(?: por favor)?(?:,? (?:de )?que\s+|[:,]\s*)"
)
_RUSSIAN: Final = (
    r"(?:не забудь(?:те)?|запомни(?:те)?|име(?:й|йте) в виду|помни(?:те)?|учти(?:те)?|"
    r"запиши(?:те)?)(?:, пожалуйста)?(?:,? что\s+|[:,]\s*)"
)
_CHINESE_DEED: Final = (
    r"(?:给|去|买|打|交|带|联系|发|做|还|拿|取|订|预|叫|帮|把|要|准备|完成|回|检查|付|缴|寄|送|关|开|锁|"
    r"吃|喝|跟|和|向)"
)
_CHINESE: Final = (
    r"(?:请你?|麻烦你?|帮我|你要|你得|一定要|千万)*"
    r"(?:(?:记住|记一下|记下来?|牢记)[，,:：\s]*"
    rf"|(?:记得|别忘(?:了|记)|不要忘(?:了|记)|勿忘)[，,:：\s]*(?!{_CHINESE_DEED}|吗|[？?]))"
)
_JAPANESE_ASKS: Final = (
    r"(?:忘れないで|覚えておいて|覚えて|メモして(?:おいて)?|記憶して(?:おいて)?)"
    r"(?:ください|ね|くれ)?"
)
_JAPANESE: Final = rf"{_JAPANESE_ASKS}[、,:：。\s]+"
_JAPANESE_BEHIND: Final = (
    r"(?P<said>.{4,}?)(?:(?:だ|である)?という(?:こと|の)を?|ことを|と)、?"
    rf"{_JAPANESE_ASKS}[。！!]*$"
)


def kept_words(sentence: str) -> str | None:
    """What is to be remembered; None if nobody asks for that."""
    if asked := _before().match(sentence):
        rest = sentence[asked.end() :]
        return (rest.rstrip("?") if _POLITE.match(sentence) else rest) or None
    behind = _behind().match(sentence)
    return behind["said"] if behind else None


@cache
def _before() -> re.Pattern[str]:
    """Compiled when the first conversation comes."""
    spelled = "|".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _RUSSIAN))
    return re.compile(rf"(?:{_PLEASE}(?:{spelled})|{_CHINESE}|{_JAPANESE})", re.IGNORECASE)


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(_JAPANESE_BEHIND)


_LEAD: Final = re.compile(
    r"(?:(?:hey|hi|oh|ah|wow|woah|woohoo|yeah|yep|yes|nope|no(?=[,.!])|well|so|and|but|also|"
    r"actually|anyway|"
    r"btw|by the way|speaking of which|speaking of \w+|honestly|okay|ok|great|cool|sure|plus|"
    r"on another note|unfortunately|luckily|thanks|nice|right|lately|recently|for me|as for me|"
    r"fyi|in fact|to be honest|just so you know|for the record|as i said|sadly|sorry|"
    r"übrigens|eigentlich|также|кстати|вообще-то|además|por cierto|en realidad|"
    r"par ailleurs|au fait|en fait|对了|另外|其实|顺便说一下|ちなみに|実は)"
    r"(?:\b|(?=[，、]))(?:,? [A-Z]\w+(?=[,!]))?[\s,!.:–—，、-]+)+",
    re.IGNORECASE,
)
_ADDRESSED: Final = re.compile(r"[A-Z][a-z]+, (?=(?:I|We|we|my|My|our|Our)\b)")
"""Somebody is called by name, and told something."""
_OPENING: Final = (
    r"(?:how|what|which|why|where|when|who|can|could|would|should|do|does|did|is|are|was|were|will|"
    r"any|have you|right|is there|please)\b"
)
_ASKING: Final = re.compile(
    rf"(?:,|;| [-–—]|\.)\s+(?:and |but |so |or )?{_OPENING}[^,;]*(?:,[^,;]*){{0,3}}[?？]\W*$",
    re.IGNORECASE,
)
_WONDERING: Final = re.compile(
    r"(?:,|;| [-–—]|\.)?\s+(?:(?:and|but|so|or) )?(?:also )?(?:(?:can|could|would|will) (?:you|we|"
    r"someone|anyone)\b|(?:i(?:['’]m| am| was)|was) (?:just |also )?(?:wondering|curious)\b|"
    r"i (?:just )?"
    r"want(?:ed)? to (?:ask|know)\b|i(?:['’]d| would) (?:like|love) (?:to (?:know|hear|ask)|"
    r"some)\b|"
    r"do you (?:think|know|have)\b|(?:how|what) (?:can|do|should|would|could) (?:i|we)\b|"
    r"what (?:are|is|would be) (?:some|the best|a good)\b|any (?:tips|advice|ideas|suggestions|"
    r"thoughts|recommendations)\b|i(?:['’]m| am) not (?:really |quite )?sure (?:if|how|what|"
    r"whether|which)\b|is (?:it|that|there) (?:a |any |ok|worth)).*$",
    re.IGNORECASE,
)
"""What is asked for without a question mark."""
_FURTHER: Final = re.compile(
    r"(?:[,;]| [-–—]) (?:and |but |so |as |since |because |which )?(?=(?:i|we|my)\b)"
    r"|,? (?:as|because|since|and) (?=(?:i|my)\b)",
    re.IGNORECASE,
)
"""Where a further clause of somebody begins."""
_REASON: Final = re.compile(
    r"\b(?:considering|given|since|because|now that|seeing that|especially as|as)"
    r"(?: that| the fact that)? (?=(?:i|we|my|our)\b)(?P<reason>[^?？;]+)",
    re.IGNORECASE,
)


def statement_in(sentence: str) -> str:
    """The part of a sentence that states something: no lead-in, no question behind it."""
    start = _LEAD.match(sentence)
    stated = sentence[start.end() :] if start else sentence
    if called := _ADDRESSED.match(stated):
        stated = stated[called.end() :]
    for asking in (_ASKING, _WONDERING):
        asked = asking.search(stated)
        if asked and asked.start():
            stated = stated[: asked.start()]
    return stated.strip()


def further(stated: str) -> Iterator[int]:
    """Where each further clause of a statement begins."""
    return (clause.end() for clause in _FURTHER.finditer(stated))


def pieces(stated: str) -> Iterator[str]:
    """The clauses of a statement, each for itself."""
    at = 0
    for clause in _FURTHER.finditer(stated):
        yield stated[at : clause.start()].strip()
        at = clause.end()
    yield stated[at:].strip()


def reason_in(question: str) -> str | None:
    """The statement about oneself that explains a question."""
    found = _REASON.search(question)
    return statement_in(found["reason"]).strip(" ,.") if found else None


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
