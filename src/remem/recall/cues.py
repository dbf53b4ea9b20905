"""What do its words give away? Whether a text asks, when something was, who is meant."""

from __future__ import annotations

import re
from typing import Final

_WHEN: Final = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow long ago\b"
    r"|\bwann\b|\bquand\b|\bcuándo\b|\bкогда\b|什么时候|何时|几号|哪天|いつ|언제",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:week|month|year|morning|weekend)"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|(?:19|20)\d\d"
    r"|gestern|heute|morgen|hier|demain|ayer|mañana|вчера|завтра)\b|昨天|明天|今天|上周|昨日|어제",
    re.IGNORECASE,
)
_SAID: Final = (
    r"(?:said|told|suggested|recommended|mentioned|gave|given|provided|listed|explained|described"
    r"|wrote|written|created|answered|advised|proposed|shared|outlined|helped)"
)
_SAY: Final = (
    r"(?:say|tell|suggest|recommend|mention|give|provide|list|explain|describe|write|create"
    r"|answer|advise|propose|share|outline|help)"
)
# Only what is over: who asks "what would you suggest?" wants new advice, by what he said himself.
_OF_ASSISTANT: Final = re.compile(
    r"\b(?:you|assistant|chatbot|ai)"
    rf"(?:['’](?:d|ve)|\s(?:had|have|just|also|already|once|previously|earlier|then|first)){{0,2}}"
    rf"\s{_SAID}\b"
    rf"|\bdid (?:you|the (?:assistant|chatbot|ai))\b.{{0,20}}\b{_SAY}\b"
    r"|\b(?:previous|earlier|last|our) (?:chat|conversation|discussion)s?\b|\bremind me\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    return "?" in text or "？" in text or "؟" in text


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def tells_a_time(text: str) -> bool:
    return _TIME.search(text) is not None


def asks_of_assistant(question: str) -> bool:
    """Whether somebody wants to hear again what an assistant has said."""
    return _OF_ASSISTANT.search(question) is not None
