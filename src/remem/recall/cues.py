"""What do its words give away? Whether a text asks, when something was, who is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from remem.core.words import words

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
# One conversation: what runs "through our conversations" is mostly what he brought up himself.
_OF_ASSISTANT: Final = re.compile(
    r"\b(?:you|assistant|chatbot|ai)"
    rf"(?:['’](?:d|ve)|\s(?:had|have|just|also|already|once|previously|earlier|then|first)){{0,2}}"
    rf"\s{_SAID}\b"
    rf"|\bdid (?:you|the (?:assistant|chatbot|ai))\b.{{0,20}}\b{_SAY}\b"
    r"|\b(?:previous|earlier|last) (?:chat|conversation|discussion)s?\b"
    r"|\bour (?:chat|conversation|discussion)\b|\bremind me\b",
    re.IGNORECASE,
)

_IN_ONE_BREATH: Final = frozenset({"and", "or", "s", "und", "oder", "et", "ou", "y", "o", "e", "и"})


def asks(text: str) -> bool:
    return "?" in text or "？" in text or "؟" in text


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def tells_a_time(text: str) -> bool:
    return _TIME.search(text) is not None


def asks_of_assistant(question: str) -> bool:
    """Whether somebody wants to hear again what an assistant has said."""
    return _OF_ASSISTANT.search(question) is not None


def the_one_meant(asked: Sequence[str], names: Iterable[str]) -> str | None:
    """Of the people whom a question's words name, the one who does something in it: the first;
    nobody, where the first two are named in one breath ("Mara and Tom")."""
    parts = {name: words(name) for name in names}
    places = sorted(
        (min(map(asked.index, spoken)), name)
        for name, own in parts.items()
        if (spoken := set(own).intersection(asked))
    )
    if len(places) < 2:
        return places[0][1] if places else None
    (first, name), (second, _) = places[:2]
    between = set(asked[first + 1 : second])
    together = first == second or between <= {*_IN_ONE_BREATH, *parts[name]}
    return None if together else name
