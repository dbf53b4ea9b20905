"""Read from the wording of a question whose words it asks for, and which time it is about.

The words of all supported languages are looked for.
"""

from __future__ import annotations

import re
from typing import Final, Literal

AskedSource = Literal["assistant", "conversation"]
"""assistant: something that an assistant said. conversation: something from a conversation, said by
either side."""

_PAST_VERBS: Final = (
    r"(?:said|told|suggested|recommended|mentioned|gave|given|provided|listed|explained|described"
    r"|wrote|written|created|answered|advised|proposed|shared|outlined|helped)"
)
_VERBS: Final = (
    r"(?:say|tell|suggest|recommend|mention|give|provide|list|explain|describe|write|create"
    r"|answer|advise|propose|share|outline|help)"
)
# Only the past tense: "what would you suggest?" asks for new advice, based on the user's own words.
_ASSISTANT: Final = re.compile(
    r"\b(?:you|assistant|chatbot|ai)"
    rf"(?:['’](?:d|ve)|\s(?:had|have|just|also|already|once|previously|earlier|then|first)){{0,2}}"
    rf"\s{_PAST_VERBS}\b"
    rf"|\bdid (?:you|the (?:assistant|chatbot|ai))\b.{{0,20}}\b{_VERBS}\b"
    r"|\b(?:was|were) your (?:advice|suggestions?|recommendations?|explanations?|tips?)\b"
    # German, French, Spanish, Portuguese, Russian
    r"|\b(?:hast du|du)\b.{0,60}\b(?:empfohlen|vorgeschlagen|gesagt|erklärt|genannt|geraten"
    r"|aufgelistet|aufgezählt|geschrieben)\b"
    r"|\b(?:(?:m['’])?as-tu|tu (?:m['’])?as|(?:m['’])?avez-vous|vous (?:m['’])?avez)\b.{0,20}"
    r"\b(?:recommandée?s?|suggérée?s?|dit|conseillée?s?|proposée?s?|expliquée?s?|listée?s?)"
    r"|\b(?:recomendaste|sugeriste|dijiste|aconsejaste|propusiste|explicaste|mencionaste|listaste"
    r"|disseste|aconselhaste|propuseste)\b"
    r"|\bvocê (?:me )?(?:recomendou|sugeriu|disse|explicou|mencionou|listou|aconselhou|propôs)\b"
    r"|\b(?:ты|вы)\b.{0,20}\b(?:рекомендовал|посоветовал|предложил|сказал|объяснил|перечислил"
    r"|называл|упоминал)(?:а|и)?\b"
    # Chinese, Japanese
    r"|你(?:之前|上次|刚才|曾经?|当时)[^，。？]{0,8}(?:推荐|建议|说|提到|列|解释|告诉|讲)"
    r"|你(?:给我)?(?:推荐|建议|说|提到|列出|解释|告诉我?)[过了的]"
    r"|(?:おすすめ|勧め|薦め|提案|説明|教え|紹介|言)(?:して|て|って)(?:くれた|もらった|いた)",
    re.IGNORECASE,
)
# Not "our conversations": a topic of several was mostly brought up by the user.
_CONVERSATION: Final = re.compile(
    r"\b(?:previous|earlier|last) (?:chat|conversation|discussion)s?\b"
    r"|\bour (?:chat|conversation|discussion)\b|\bremind me\b",
    re.IGNORECASE,
)
Tense = Literal["present", "past", "open"]
"""present: what holds now. past: what held before. open: the question does not say."""
_PRESENT: Final = re.compile(
    r"\b(?:now(?:adays)?|current(?:ly)?|these days|at (?:the moment|present)|still|latest|newest"
    r"|any ?more|most recent(?:ly)?|as of today|up to date"
    r"|inzwischen|mittlerweile|derzeit|aktuell\w*|momentan|jetzt|heutzutage|noch immer|neueste\w*"
    r"|actuel(?:le)?(?:ment)?|maintenant|désormais|en ce moment|aujourd'hui"
    r"|actual(?:es|mente)?|ahora|hoy en día|todavía"
    r"|agora|atual(?:mente)?|hoje em dia|ainda|neste momento"
    r"|сейчас|теперь|текущ\w+|актуальн\w+|нынешн\w+)\b"
    r"|现在|目前|如今|当前|现行|最新|眼下|現在|今は|今の|いま|最近は|지금|현재|요즘|최신",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:before(?: (?:that|then|we|the (?:switch|move|change|migration)))?$|used to"
    r"|previous(?:ly)?|former(?:ly)?|original(?:ly)?|back then|in the past|at first"
    r"|initial(?:ly)?|earlier|once"
    r"|prior|old(?:er)?|until then|in the beginning|no longer"
    r"|früher\w*|vorher|ehemal\w+|ursprünglich\w*|damals|zuvor|bisherig\w+|anfangs|einst"
    r"|avant|auparavant|autrefois|ancien(?:ne)?s?|à l'origine|précédent\w*|initialement"
    r"|antes|anterior\w*|antiguamente|originalmente|al principio|antigu[oa]s?"
    r"|anteriormente|antigamente|no início|antig[oa]s?"
    r"|раньше|прежде|прежн\w+|бывш\w+|изначально|сначала|тогда)\b"
    r"|(?m:^)(?>.*?(?:what|which|who|where|when|how)\b)(?>.*?\b(?:did|was|were)\b).*\bbefore\b"
    r"|以前|之前|原来|原先|过去|当初|曾经|早先|かつて|前は|前の|元々|もともと|昔|当時|当初|이전|예전|과거|원래",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:what|which|how|has|have|did)\b.{0,60}\bchang(?:e[ds]?|ing)\b"
    r"|\b(?:changes? (?:to|in|of|about)|history of|what(?:['’]s| is) different)\b"
    r"|\b(?:geändert|verändert|änderungen? (?:an|bei|von|der|des))\b"
    r"|\b(?:a|ont|avait) (?:été )?changée?s?\b|\bchangements?\b"
    r"|\b(?:cambió|cambiado|cambios?|mudou|mudado|mudanças?)\b"
    r"|\b(?:изменил\w*|изменени\w*|поменял\w*)"
    r"|改变|变化|变更|变了|改了|改成|変わ|変更|変化|바뀌|변경|변화",
    re.IGNORECASE,
)


def asked_source(question: str) -> AskedSource | None:
    """Return whose words a question asks for; None if it does not say."""
    if _ASSISTANT.search(question):
        return "assistant"
    return "conversation" if _CONVERSATION.search(question) else None


def asks_for_replaced(question: str) -> bool:
    """Return whether replaced entries answer a question, which is about the past or a change."""
    return bool(_PAST.search(question) or _CHANGE.search(question))


def tense_of(question: str) -> Tense:
    """Return the time that a question asks about; words for the past are the stronger sign."""
    if _PAST.search(question):
        return "past"
    return "present" if _PRESENT.search(question) else "open"
