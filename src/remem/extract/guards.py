"""Guards that keep parts of a conversation out of memory; each has a name, which is counted.

Greetings, questions, what is only supposed, what tools and heartbeats say, and what came out of
a memory: to store it again would feed memory to itself.

Which words only tell a mood? What everybody says of a good time, of effort and of growth.

"We had a ton of fun", "I gave it my all", "it's a work in progress": true, and nothing to know.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.text.untrusted import overrides_instructions
from remem.text.words import content_words

_SAYINGS: Final = (
    r"\b(?:the best|an? (?:amazing|awesome|incredible|wonderful|lovely)) time\b"
    r"|\blong way to go\b|\bcome (?:so far|a long way)\b"
    r"|\b(?:strong|special|close|deep|tight) (?:bond|connection)\b"
    r"|\b(?:mixed feelings|high hopes|good feeling|no regrets|leap of faith|the plunge|best life|"
    r"track of time|on my plate|firm believer|great escape)\b"
    r"|\bi(?:['’]m| am) (?:still )?a work in progress\b"
    r"|\bone (?:day|step) at a time\b|\b(?:found|finding|lost) my way\b|\bno matter what\b"
    r"|\bnever looked back\b|\b(?:went|been|going|gone|goes) through (?:a lot|so much|tough|hard)\b"
    r"|\b(?:grown|grew|changed|improved|achieved) (?:a lot|so much)\b"
    r"|\bworking (?:really |so |very |super )?hard\b|\bworking on myself\b"
    r"|\b(?:do|did|doing|try|tried|trying|give|gave|giving) (?:it )?(?:my|our) (?:very )?"
    r"(?:best|all)\b"
    r"|\blearn\w* to (?:let go|be (?:patient|myself|kind)|trust)\b|\bto feel (?:better|good)\b"
    r"|\bgot (?:emotional|goosebumps|chills|the win)\b|\bfor the better\b"
    r"|\b(?:so much|much|even|way) (?:brighter|better|easier|happier|stronger)(?: now)?\W*$"
    r"|\bfeel(?:s|ing)? (?:better|stronger|happier)\b|\bbreak(?: now)?\W*$|\beach other every day\b"
    r"|\bmoving forward\b|\bliving for (?:this|the)\b"
    r"|\bmy (?:confidence|world|days) (?:is|are|has)\b"
    r"|\bevery (?:moment|second|minute) of\b|\bmade something(?: \w+)?\W*$|\bwhat (?:we|i) do\W*$"
    r"|\baround (?:good|positive|supportive|such) \w+\b|\bwhere this is going\b"
)
MOOD: Final = (
    r"\b(?:lots? of|so much|some|tons? of|loads of|such|a) (?:fun|joy|great time|good time|blast)\b"
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
    r"|\b(?:an?|some) (?:event|experience|day|moment|adventure)(?:,| and| that)[^.]{0,30}\b"
    r"(?:fantastic|awesome|amazing|great|special|fun|wonderful|unforgettable|reminded)\b"
    r"|\bhad (?:an?|some) (?:really |so |very |pretty )?(?:special|wicked|crazy|great|amazing|"
    r"tough|rough|wild|busy|fun|lovely|awesome|incredible|good|bad|hard|not-so-\w+) (?:day|day out|"
    r"times?|game|week|weekend|experience|moment|night|evening)\b(?! (?:when|at|in|on|to)\b)"
    r"|\blife is (?:precious|short|beautiful)\b|\blearning experience\b|\bwhat drives (?:us|me)\b"
    r"|\b(?:some|good|great|cool|awesome) stuff\b|\bso much and others\b"
    r"|\bhaven['’]t decided\b|\bso far so good\b|\b(?:made|make|making) (?:great|amazing|sweet|"
    r"such "
    r"\w+)? ?memories\b"
    rf"|{_SAYINGS}"
)


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
AT_HAND: Final = "about the work at hand"
VAGUE: Final = "says nothing that can be known"
PLAIN: Final = "nothing in it says that it lasts"
BY_AGENT: Final = "the agent's own words"

_QUESTION: Final = (
    r"[?？]\W*$|吗\W*$|か[。]?$|^(?:should|could|would|can|do(?! not\b)|does|did|is|are|am|was|"
    r"were|have you|has|will(?! is\b)|what|how|why|where|when(?! (?:i|we|my) .*,)|who|which)\b"
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
    r"ideas)\b|(?<![a-z]s )\b(?:give|show|tell|write|explain|suggest|recommend|make|create) me\b"
    r"|^(?:please|bitte|请|帮我|пожалуйста|por favor|s['’]il)"
)
_POINTING: Final = (
    r"\b(?:it|them|this|that|these|those)\b(?=\W*$|[.!,;]| (?:for|in|at|on|with|around|online|"
    r"lately|yesterday|last|now|so|too|a lot|again|every|almost|since|and|but|because|soon|today|"
    r"already|a \w+)\b)"
    r"|\b(?:this|that|these|those) \w+(?=\W*$|[.!,;])"
    r"|^(?:it|that|this)['’]?s? (?:is |was )?one of my (?:\w+ )?fav\w+\W*$"
    r"|\b(?:this|that|these|those) (?:pic|photo|picture|shot|drawing|painting)s?\b|\bfan too\b"
)
_IDLE: Final = frozenset(
    """just really actually been being started start got get getting love loved like liked
    having had use used using around online while now long time lately recently today
    already also still always ever finally waiting dreaming wanting looking made make making
    huge big fan genre doing did done going went gone took take taking found find bit lot
    too so much many well good great new friend app thing things stuff way place one ones
    first once again never every day days week year yesterday talked chatted discussed fixed tried
    m ve re ll working grown fond pic pics picture photo snapped summer winter wild tough hard
    do does""".split()
)
_AT_HAND: Final = (
    r"\b(?:errors?|typos?|warnings?|crash(?:es|ed)?|exceptions?|timeouts?|"
    r"traceback)\b(?!.*\b20\d\d)"
    r"|\b(?:right now|as we speak|just now|at the moment)\W*$"
    r"|(?:\b(?:is|are|am)|['’](?:m|s|re)) [^,]{0,40}\btoday\W*$"
)
_NAME: Final = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z]|\d")
_TELLS_ENOUGH: Final = 2
_ORDERS: Final = re.compile(
    r"\b(?:must|should|shall|never|always|cannot|can['’]t|may not|have to|need to|not allowed)\b",
    re.IGNORECASE,
)
_ADVICE: Final = re.compile(
    r"\b(?:is|are) key\b|\bthe key (?:is )?to\b|\bmost important (?:thing|part)\b"
    r"|\bjust \w+ (?:it|on)\b"
    r"|\b(?:every|each) (?:little )?(?:step|day|effort|bit) (?:counts|matters|helps)\b"
    r"|\b(?:try|aim|strive) to\b|\bit['’]s (?:okay|ok|fine|important|all about|never too late)\b",
    re.IGNORECASE,
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
    named = ((REQUEST, _REQUEST), (OTHERS, _OTHERS), (VAGUE, MOOD), (AT_HAND, _AT_HAND))
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in named)


def refused(sentence: str) -> str | None:
    """The name of the guard that keeps a sentence out, whatever else it says."""
    return next((name for name, pattern in _guards() if pattern.search(sentence)), None)


def not_told(sentence: str) -> str | None:
    """Why a sentence tells nothing of its speaker: it asks, is about another, or is only mood."""
    found = next((name for name, pattern in _softer() if pattern.search(sentence)), None)
    return found or (VAGUE if points_elsewhere(sentence) else None)


def is_definite(words_said: str) -> bool:
    """Whether a name or a number stands in it."""
    return _NAME.search(words_said) is not None


def points_elsewhere(sentence: str) -> bool:
    """Whether a sentence is about what was shown or said before ("I've been using it lately"), and
    has no telling word, name or number of its own."""
    if not _pointing().search(sentence) or _NAME.search(sentence):
        return False
    own = [word for word in content_words(sentence) if word not in _IDLE]
    return len(own) < _TELLS_ENOUGH


def not_worth_keeping(wanted: str) -> str | None:
    """Why what somebody asks to be kept is nothing to know: it is mood, advice, or kindness to the
    other side that tells it nothing to do."""
    others, vague = (pattern for name, pattern in _softer() if name in (OTHERS, VAGUE))
    if vague.search(wanted) or _ADVICE.search(wanted) or points_elsewhere(wanted):
        return VAGUE
    return OTHERS if others.search(wanted) and not _ORDERS.search(wanted) else None


@cache
def _pointing() -> re.Pattern[str]:
    return re.compile(_POINTING, re.IGNORECASE)


def turned_away(turn: str) -> str | None:
    """Why a turn is not listened to at all: it shows what a memory has answered, or would have
    an agent drop its rules, and then the rest of it is not to be trusted either."""
    if _guards()[0][1].search(turn):
        return RECALLED
    return OVERRIDING if overrides_instructions(turn[:_LOOKED_AT]) else None
