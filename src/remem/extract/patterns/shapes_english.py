"""English sentence shapes that state something, whatever the topic.

A habit has its adverb ("usually", "every Thursday"), an event its date, a state its adjective. Each
pattern is anchored at the start of the sentence or clause.
"""

from __future__ import annotations

from typing import Final

from remem.model.lesson import LessonKind

_I: Final = r"(?:i|we|me and my \w+|my \w+ and i)"
_AM: Final = r"(?:['’]m| am|['’]re| are)"
_OFTEN: Final = (
    r"(?:(?:also|just|recently|finally|actually|already|still|even|really|currently|now|first|"
    r"officially|so|quite|very|pretty|totally|super) ){0,2}"
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_AGO: Final = (
    rf"\b(?:yesterday|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|"
    rf"{_DAY})"
    r"|(?:\d+|an?|one|two|three|four|five|six|ten|a few|a couple of|several|some) (?:hour|day|week|"
    rf"month|year)s? ago|in (?:19|20)\d\d|in {_MONTH}|on {_MONTH} \d|on (?:the )?\d|on {_DAY}|"
    r"when i was|as a (?:kid|child|teenager|student)|over the (?:weekend|summer|holidays)|"
    rf"this morning|the other day|since (?:\d{{4}}|{_MONTH}|i was)|for the first time)\b"
)
WHEN: Final = (
    rf"\b(?:tomorrow|tonight|next (?:week|weekend|month|year|spring|summer|autumn|fall|winter|"
    rf"{_DAY})"
    rf"|this (?:week|weekend|month|year|spring|summer|autumn|fall|winter|{_DAY})|on {_DAY}|"
    rf"(?:in|by|on|until|from) {_MONTH}|{_MONTH} \d|on the \d|\d(?:st|nd|rd|th)\b|"
    r"in (?:19|20)\d\d|by (?:the end of|\d))"
)
_REPEATED: Final = (
    r"\b(?:every (?:other |single |second )?(?:day|morning|evening|night|week|weekend|month|year|"
    rf"spring|summer|autumn|winter|christmas|{_DAY})s?|(?:once|twice|\w+ times) (?:a|per|every) "
    rf"(?:day|week|month|year)|on {_DAY}s|(?:on|at) weekends|"
    r"during the (?:holidays|summer|winter))\b"
)
_NOT_THIS: Final = (
    r"(?!(?:it|that|this|these|those|them|the|your?|what|how|everything|anything|all|both|either|"
    r"making sure|nothing|breaking|losing|failing|missing|making)\b)"
)
_NO_DATED_DEED: Final = (
    r"(?!asked|wanted|needed|wondered|noticed|thought|felt|said|told|mentioned|heard|tried (?:it|"
    r"that|this|the)|got (?:it|the same|an? error|confused|stuck)|saw (?:that|it|the)|ran (?:it|"
    r"the|this|into)|used (?:it|the|this)|updated (?:it|the)|installed|checked|fixed|failed|"
    r"talked (?:about)?|chatted|(?:was|were) (?!in\b|at\b|on\b|an?\b|afraid|scared|thrilled|"
    r"lucky|born|with\b|"
    r"sick|ill\b|injured|\d))"
)
_DEED: Final = (
    r"(?:\w{3,}ed|was|were|went|won|quit|lost|sold|met|flew|drew|wrote|built|paid|spent|hurt|grew|"
    r"made|read|got|took|ran|had|saw|gave|found|set|drove|rode|swam|sang|taught|caught|fell|broke|"
    r"cut|chose|became|brought|left|kept|did|ate|drank|slept|began|came|bought|hit|put|let)"
)
_KEPT_UP: Final = (
    r"(?:doing (?!well|great|good|fine|ok|okay|alright|better|pretty|really|amazing|super|awesome|"
    r"so\b|some|a lot|my best|great)|reading (?!about|through|up)|renovating|remodell?ing|"
    r"designing|"
    r"developing|implementing|creating (?=an?\b|my|our)|dating|raising|growing|collecting|"
    r"competing|participating|practi[cs]ing|rehearsing|recovering|wrapping up|"
    r"applying (?=for|to)|interviewing|expecting (?=an?\b|our|my|twins)|fostering|adopting|"
    r"restoring|"
    r"composing|recording|publishing|selling|renting|switching (?=to|from)|joining|retiring|"
    r"enrolled|employed|subscribed|registered|signed up|majoring|speciali[sz]ing|focusing on|"
    r"migrating|coaching|mentoring|fundraising|knitting|sewing|brewing|"
    r"waiting (?=to hear about|for my|for an?\b)|"
    r"seeing (?=an? (?:\w+ )?(?:\w*therapist|doctor|dentist|specialist|counsell?or|psych\w+|"
    r"physio\w*)))"
)
_NOT_AT_HAND: Final = (
    r"(?! ?(?:it|that|this|these|those|them|now|your?|what|how|as we|the (?:call|file|code|"
    r"function|"
    r"tests?|page|script|meeting|logs?|docs|following))\b)"
)
_FOND: Final = (
    r"(?:(?:not )?(?:very |really |so |a big |a huge |a )?(?:passionate about|obsessed with|"
    r"fond of|"
    r"keen on|crazy about|addicted to|fan of|good at|bad at|terrible at|used to|fluent in|"
    r"responsible for|in charge of|married to|allergic to|intolerant (?:of|to)|sensitive to|"
    r"originally from|afraid of|scared of|terrified of))"
)
_INTERESTED: Final = (
    r"interested in (?![\"“']|learning more|knowing|hearing|seeing|finding|getting|more|trying|"
    r"any|some|"
    r"an?\b|exploring|understanding)"
)
_STANDING: Final = (
    r"(?:the (?:eldest|oldest|youngest|head|owner|founder|ceo|cto|manager|director|chair\w*|"
    r"president|secretary|treasurer|captain|maintainer)\b|on (?:the (?:board|committee)|"
    r"(?:parental|maternity|paternity|sick|medical) leave|an? (?:\w+ )?diet|medication|insulin|"
    r"sabbatical|(?:page|chapter|level|week|day) \d+)\b|in (?:a wheelchair|remission|recovery|"
    r"therapy)\b)"
)
_BODY: Final = (
    r"(?:vegan|vegetarian|pescatarian|left-handed|right-handed|colou?r-?blind|diabetic|dyslexic|"
    r"asthmatic|deaf|lactose intolerant|celiac|coeliac|jewish|muslim|catholic|buddhist|hindu|"
    r"an? atheist|bilingual|married|divorced|retired|pregnant|an only child|widowed)"
)
_UNDERGONE: Final = (
    r"(?:invited to|promoted|hired|diagnosed|born|raised|laid off|fired|accepted|offered|admitted|"
    r"elected|selected|chosen|nominated|awarded|divorced|injured|engaged|married|robbed|"
    r"transferred|evicted|published|featured|noticed by|appointed|certified|vaccinated|"
    r"operated on|let go)"
)
_LEFT_ALONE: Final = (
    r"(?:eat|drink|smoke|own|drive|speak|swim|cook|watch|wear|play|celebrate|fly|ski|dance|sing|"
    r"travel|tolerate|digest|work (?:on|at|for|with)|live|take (?:sugar|milk|medication)|"
    r"have (?:an?|any|kids|children|siblings|pets))\b(?! (?:clue|idea|questions?|problem|"
    r"preference|time|ideas|issues?|luck|choice|plans?|the|it|that|this|them|well)\b)"
)
_FIXED: Final = (
    r"the (?:\w+ ){0,2}(?:deadline|budget|launch|release|due date|venue|wedding|funeral|ceremony|"
    r"appointment|rent|goal|scope|objective|plan|theme|project|database|server|repo|repository|"
    r"stack|surgery|course|class|flight|exam|kick-?off|go-live|opening|premiere|meeting|"
    r"interview|party|trip|presentation)(?: (?:for|of|with|at|in|to) [^,.;]{2,40}?)? "
    r"(?:is|are|was|were|will be|has been|runs?|takes? place|starts?|begins?|ends?|expires?|uses?)"
    r" (?:to (?!do\b)\w+|called (?!from|by|in|with|twice|when)|named|due|scheduled|moved|"
    r"postponed|.{0,40}\d|"
    rf".{{0,30}}{WHEN}|(?-i:[A-Z])\w)"
)
_AFFECTED: Final = (
    r"(?!(?:it|that|this|these|those|he|she|they|you|your?|which|what|there|everything|nothing|their|his|her|our|its|"
    r"life|sounds?|the (?:docs?|errors?|code|output|logs?|tests?|script|page|message|answer|"
    r"results?)|knowing|hearing|hard|just|please|can|could|so|let|if|when)\b)"
    r"(?:[\w'’-]+ ){1,5}?"
    r"(?:(?:always|really|usually|never) )?(?:(?:calms?|relaxes|motivates?|soothes?|energi[sz]es?|"
    r"bores?|scares?|annoys?|terrif(?:y|ies)|stress(?:es)?) me\b|(?:helps?|gives?|makes?|brings?) "
    r"me (?!feel|think|reali[sz]e|a lot|hope|happy|wonder|want|no\b|nothing)\w|"
    r"(?:puts? me in|means? (?:everything|the world) to me))"
    r"|(?!(?:it|that|this|these|those|all|\w+ (?:words|support|help|love|kindness|friendship))\b)"
    r"(?:[\w'’\"“”-]+ ){1,8}(?:means? (?:a lot|so much) to me|(?:is|are) (?:\w+ ){0,2}"
    r"(?:special to me|my go-to))\b"
)
_DROPPED: Final = (
    r"(?:just |finally |recently )?(?:got back from|been busy \w+ing|got (?:an?|my|our|two|three) "
    r"(?!error|question|idea|lot|bit|same|feeling)|had (?:an?|my|our) (?:\w+ ){0,3}?(?:interview|"
    r"appointment|audition|exam|surgery|gig|baby|checkup|lesson)\b|did an? (?!lot|bit|quick)|"
    r"took (?:an?|my|our) (?!look|break|while|minute)|(?:lost|quit|broke|left|sold|finished|"
    r"passed|failed|hurt) my (?!train|mind|cool|temper|way|turn)|visited (?!the\b|this|that|"
    r"your)|met my|tried out|ran (?:an?|my) (?!test|script|quick|check)|"
    r"flew to|drove to)"
)
NOT_OWN: Final = (
    r"(?!(?:question|guess|bad|point|understanding|issue|problem|concern|error|code|function|idea|"
    r"apologies|thoughts?|god|goodness|mistake|query|turn|answer|feeling|opinion|impression|mood|"
    r"assumption|fault|pleasure|friend,|dear|last (?:message|question|attempt)|previous|screen|"
    r"next question|current (?:code|implementation|issue|problem)|other question|script|tests?|"
    r"first (?:thought|idea|question)|terminal|console|cursor|browser|output|prompt|message|reply|"
    r"conversation|chat|talk|friendship|bond|journey|actions?|dreams|minds?|hearts?|lives|love|"
    r"support|words|passions?|feelings|moments?|discussion|hands?|eyes?|time|connections?|build)\b)"
)
_OWNED: Final = (
    rf"(?:my|our) {NOT_OWN}(?:[\w'’-]+ ){{1,3}}?(?:"
    r"is|are|was|were|has|have|runs? on|runs|uses?|goes|go|lives?|costs?|starts?|ends?|got (?:an?|"
    r"stolen|broken|married|promoted|lost)|had an?|turned|raised|moved|opened|closed|died|broke|"
    r"hurts|needs? an?|plays?|works?|speaks?|collects?|owns?|shares?)\b"
)

SHAPES: Final[tuple[tuple[LessonKind, str], ...]] = (
    (
        "fact",
        rf"{_I} (?:usually|always|often|normally|typically|rarely|seldom|sometimes|regularly|never|"
        r"generally|hardly ever) (?!appreciate|forget|know|knew|think|thought|wonder|heard|hear|"
        r"reali[sz]|imagin|expect|feel|felt|get|see|saw|want|mean|said|say|tried|learn|end up|"
        r"believe|hope|wish|had|been|got|underst|notic|lik|lov|remember|struggl|need|be\b|will|"
        r"would|have to|could|can\b|miss|agree|find|found|look|come back|quit\b|give up|doubt|"
        r"stop|take things)\w+ ",
    ),
    (
        "fact",
        rf"{_I} (?:tend to (?!agree|think)|used to (?!it|think|that|this|the\b|get\b|"
        rf"see\b)\w+)",
    ),
    (
        "fact",
        rf"{_I} (?!can|could|will|would|should|might|get\b|see\b|run (?:it|this|the)|need|want|"
        rf"try|hear|have to|think|wonder|know)\w+ .*{_REPEATED}",
    ),
    ("fact", rf"{_REPEATED[2:]},? (?=(?:i|we|my)\b)(?!i (?:get|see|run|hear|try)\b)"),
    ("preference", rf"i{_AM} {_OFTEN}{_FOND} {_NOT_THIS}"),
    ("preference", rf"i{_AM} {_OFTEN}{_INTERESTED}{_NOT_THIS}"),
    ("fact", r"i(?:['’]ve| have) always (?:been|wanted|loved|dreamed|had|hated|enjoyed|liked) "),
    (
        "fact",
        rf"{_I}(?:['’]ve| have) {_OFTEN}been (?:into|interested in|obsessed with|part of|"
        rf"passionate about|involved in|busy with|swamped with) {_NOT_THIS}",
    ),
    (
        "fact",
        rf"{_I}(?:['’]ve| have) {_OFTEN}been trying to (?!fix|get|run|install|figure|understand|"
        r"find|solve|debug|do\b|make|use|open|connect|log|load|access|reach|see|call|ask|work|"
        r"decide|think|write|implement|set up|come up|contact|help)\w+ ",
    ),
    (
        "insight",
        r"i(?:['’]ve| have) (?:also )?(?:found|learned|learnt|discovered|noticed) "
        r"(?:that (?!it\b|this|the\b|when i run).*\b(?:me|my|i)\b|an? (?:\w+ )?\w+ in my\b)",
    ),
    ("fact", rf"i{_AM} {_OFTEN}{_STANDING}"),
    ("fact", rf"i{_AM} {_OFTEN}{_BODY}\b"),
    ("fact", rf"{_I}{_AM} {_OFTEN}{_KEPT_UP}{_NOT_AT_HAND}"),
    (
        "fact",
        rf"{_I}(?: was| were| got|['’]ve been| have been) (?:just |recently |"
        rf"finally )?{_UNDERGONE}\b",
    ),
    (
        "fact",
        rf"{_I} (?:don['’]t|do not|can['’]t|cannot|no longer) (?:really |usually |"
        rf"ever )?{_LEFT_ALONE}",
    ),
    (
        "fact",
        r"i can (?:also |only |already )?(?:speak|play (?:the|an?)|read music|ski|juggle|knit|sew|"
        r"sail|swim|ride an?)\b",
    ),
    (
        "fact",
        r"(?:i|we)(?:['’]ve| have) (?:never |already |only )?(?:done (?:an? (?!quick|bit|lot)|my|"
        r"two|three|\d)|"
        r"read (?:an?|all|every|two|\"|“|\d)|eaten|worn|become an?|broken (?:my|an?)|run (?:an?|"
        r"my)|"
        r"chosen|picked|opted for|switched to|been (?:to|on|in) (?!it|that|this|the same)|"
        r"got about)"
        r"\b",
    ),
    ("fact", rf"{_I} {_OFTEN}{_NO_DATED_DEED}{_DEED}\b.*{_AGO}"),
    ("context", rf"{_I} (?:have to|need to|must|['’]ve got to) (?!say|admit|go now).*{WHEN}"),
    ("context", rf"{_I} (?:plan|intend|expect|aim|hope|want) to .*{WHEN}"),
    ("context", rf"{_I}{_AM} gonna .*{WHEN}"),
    ("context", _FIXED),
    ("fact", _OWNED),
    ("preference", r"one of my (?:all-time )?favou?rite \w+ (?:is|was|are)\b"),
    ("preference", _AFFECTED),
    ("fact", _DROPPED),
)
"""Kind and pattern; the first that fits decides."""

DATED: Final = rf"{_I} {_OFTEN}{_NO_DATED_DEED}{_DEED}\b"
"""What somebody did; behind a day it is told, whatever the deed."""

BRIEF: Final = (
    rf"(?:i{_AM} (?:now |also |still )?{_BODY}|my name['’]?s? (?:is )?(?-i:[A-Z])\w+|"
    r"soy (?:vegetarian|vegan)\w+|я (?:вегетариан|веган)\w*)\W*$"
)
"""What is told in two words."""
