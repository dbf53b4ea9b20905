"""Whether a question asks for something that an assistant said, in the languages remem serves."""

from __future__ import annotations

import re
from typing import Final, Literal

Addressee = Literal["assistant", "conversation"]
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
# Only the singular: a topic of "our conversations" was mostly brought up by the user.
_CONVERSATION: Final = re.compile(
    r"\b(?:previous|earlier|last) (?:chat|conversation|discussion)s?\b"
    r"|\bour (?:chat|conversation|discussion)\b|\bremind me\b",
    re.IGNORECASE,
)


def addressee_of(question: str) -> Addressee | None:
    """Return whose words a question asks for; None if it does not say."""
    if _ASSISTANT.search(question):
        return "assistant"
    return "conversation" if _CONVERSATION.search(question) else None
