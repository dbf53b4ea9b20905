"""Which words of a conversation are never kept? Each guard has a name, which is counted.

Greetings, questions, what is only supposed, what tools and heartbeats say, and what came out of
a memory: to store it again would feed memory to itself.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.core.overriding import overrides

QUESTION: Final = "question"
SUPPOSED: Final = "only supposed"
GREETING: Final = "greeting or thanks"
TOOL: Final = "tool output"
HEARTBEAT: Final = "heartbeat"
RECALLED: Final = "recalled from memory"
_LOOKED_AT: Final = 20_000  # nobody says more than that; the rest was pasted, and is not read
OVERRIDING: Final = "talks an agent out of its rules"
LEADS_ON: Final = "leads on to something else"
REQUEST: Final = "request for now"
OTHERS: Final = "about the other side"
VAGUE: Final = "says nothing that can be known"
PLAIN: Final = "nothing in it says that it lasts"
BY_AGENT: Final = "the agent's own words"

_QUESTION: Final = (
    r"[?？]\W*$|吗\W*$|か[。]?$|^(?:should|could|would|can|do|does|did|is|are|am|was|were|have you|"
    r"has|will|what|how|why|where|when|who|which)\b"
)
_SUPPOSED: Final = (
    r"^(?:if|what if|suppose|supposing|imagine|maybe|perhaps|let['’]s say|hypothetically|in theory|"
    r"wenn|falls|vielleicht|angenommen|если|может|допустим|si|quizás|supongamos|peut-être|"
    r"supposons)"
    r"\b|^(?:如果|要是|也许|假设|假如|もし|仮に)|\bi wish\b|\bif i (?:were|had|could)\b"
)
_GREETING: Final = (
    r"^\W*(?:hi|hey|hello|good (?:morning|evening|afternoon|night)|thanks?|thank you|thx|cheers|"
    r"bye|"
    r"goodbye|see you|welcome|congrats|congratulations|hallo|guten (?:tag|morgen|abend)|danke|"
    r"tschüss|"
    r"salut|bonjour|merci|hola|gracias|buen[oa]s|привет|здравствуй\w*|спасибо|你好|谢谢|早上好|再见|"
    r"こんにちは|ありがとう|おはよう)\b[^.。]{0,60}$"
)
_TOOL: Final = (
    r"^\W*(?:traceback \(most recent|error:|warning:|exit code|stdout|stderr|npm err|fatal:|"
    r"(?:GET|POST|PUT|DELETE) /|at [\w.$]+\(|\$ |>>> )|^[\[{<].*[\]}>]$|[{}<>;=|\\]{3,}"
    r"|\b(?:function|const|import|class|def|return|SELECT|INSERT)\b.{0,60}[(){};=]"
)
_HEARTBEAT: Final = r"\bHEARTBEAT(?:_OK|\.md)\b|\bNO_REPLY\b|^\[cron:"
_RECALLED: Final = (
    r"<!-- remem:|\[(?:end of )?untrusted data |remem://|\bmemory/\d{4}-\d\d-\d\d\.md#L\d|"
    r"<(?:relevant[-_]|recalled[-_])?memor(?:y|ies)\b|^\W*(?:source|citation): memory/"
)
_REQUEST: Final = (
    r"\b(?:can|could|would|will) you\b|\bhelp me\b|\bi need (?:your |some )?(?:help|advice|"
    r"assistance|"
    r"ideas)\b|\b(?:give|show|tell|write|explain|suggest|recommend|make|create) me\b"
    r"|^(?:please|bitte|请|帮我|пожалуйста|por favor|s['’]il)"
)
_VAGUE: Final = (
    r"\b(?:lots? of|so much|some|tons of|such|a) (?:fun|joy|great time|good time|blast)\b"
    r"|\b(?:a lot|lots|so much|much|plenty) to (?:think about|do|learn|process|consider)\b"
    r"|\blearn(?:ing|ed|t)? (?:a (?:lot|ton|bunch)|so much|tons|lots)\b|\b(?:a|the) (?:mix|"
    r"bundle) of\b"
    r"|\b(?:hard )?work (?:is|are|was|has been|been) paying off\b|\bpaying off\b|\bpaid off\b"
    r"|\b(?:great|good|real|some|huge|amazing|incredible) progress\b|\ba (?:bit of a )?setback\b"
    r"|\bright (?:attitude|mindset|track|path|direction)\b|\b(?:putting|put) in (?:a lot of|the|"
    r"hard) "
    r"(?:work|effort|hours)\b|\b(?:feeling|feel) (?:so |really |very |pretty |super )?(?:good|"
    r"great|"
    r"grateful|blessed|lucky|accomplished|amazing|inspired|motivated|proud)\b|\blike a (?:dream|"
    r"team)\b"
    r"|\bmy (?:heart|mind|head|spirits?|passion|soul|hard work|hopes?|best)\b (?:is|are|was|were|"
    r"has)"
    r"|\b(?:something|anything|stuff|things) (?:exciting|cool|special|amazing|new|great|fun)\b"
    r"|\bhaven['’]t decided\b|\bso far so good\b|\b(?:made|make|making) (?:great|amazing|sweet|"
    r"such "
    r"\w+)? ?memories\b"
)
_OTHERS: Final = r"\b(?:you(?:['’](?:re|ve|ll|d))?|yours?|yourself)\b"


@cache
def _guards() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """In the order in which they are asked; compiled when the first conversation comes."""
    named = (
        (RECALLED, _RECALLED),
        (HEARTBEAT, _HEARTBEAT),
        (TOOL, _TOOL),
        (GREETING, _GREETING),
        (LEADS_ON, r"[:：]\W*$"),
        (QUESTION, _QUESTION),
        (SUPPOSED, _SUPPOSED),
    )
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in named)


@cache
def _softer() -> tuple[tuple[str, re.Pattern[str]], ...]:
    named = ((REQUEST, _REQUEST), (OTHERS, _OTHERS), (VAGUE, _VAGUE))
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in named)


def refused(sentence: str) -> str | None:
    """The name of the guard that keeps a sentence out, whatever else it says."""
    return next((name for name, pattern in _guards() if pattern.search(sentence)), None)


def not_told(sentence: str) -> str | None:
    """Why a sentence tells nothing of its speaker: it asks, is about another, or is only mood."""
    return next((name for name, pattern in _softer() if pattern.search(sentence)), None)


def turned_away(turn: str) -> str | None:
    """Why a turn is not listened to at all: it shows what a memory has answered, or would have
    an agent drop its rules, and then the rest of it is not to be trusted either."""
    if _guards()[0][1].search(turn):
        return RECALLED
    return OVERRIDING if overrides(turn[:_LOOKED_AT]) else None
