"""English patterns for plain statements in the first person.

Each pattern is anchored at the start of the sentence, so that "I love how you write" or a quotation
does not match. Evaluations, requests for help and thoughts aloud are left out.
"""

from __future__ import annotations

from typing import Final

from remem.extract.patterns.shapes_english import NOT_OWN
from remem.model.lesson import LessonKind

_OFTEN: Final = (
    r"(?:(?:also|just|recently|finally|actually|already|still|always|usually|often|never|even|"
    r"really|currently|now|first|once|only|mostly|mainly|both|do|absolutely|definitely|"
    r"totally|officially|successfully|so) ){0,3}"
)
_HAVE: Final = r"(?:['’]ve| have|['’]d| had)"
_AM: Final = r"(?:['’]m| am|['’]re| are)"
_KIN: Final = (
    r"wife|husband|partner|boyfriend|girlfriend|fianc[ée]e?|mom|mum|mother|dad|father|parents|"
    r"sisters?|brothers?|siblings?|sons?|daughters?|kids?|children|grand(?:ma|pa|mother|father)|"
    r"aunt|uncle|cousins?|nephews?|nieces?|friends?|buddy|colleagues?|co-?workers?|boss|manager|"
    r"team|mentor|coach|teacher|neighbou?rs?|roommates?|landlord|dogs?|cats?|pets?|puppy|kitten|"
    r"band|company|employer|family|doctor|therapist|students?|clients?|in-laws"
)
_VERBS: Final = (
    r"is|was|are|were|has|have|had|lives?|works?|likes?|loves?|hates?|prefers?|\w+ed|got|went|"
    r"took|gave|bought|made|taught|wants?|plays?|collects?|speaks?|teaches|studies|drives?|"
    r"runs?|owns?|cooks?|sings?|knows?"
)
_DONE: Final = (
    r"\w{3,}ed|bought|began|went|won|quit|lost|sold|met|flew|drew|wrote|built|paid|spent|hurt|"
    r"grew up|made|learnt|read|got|took|ran|had|saw|gave|found|set up|drove|rode|swam|sang|taught|"
    r"caught|fell|broke|cut|chose|became|brought|left|kept|did (?:an?|the|my|our|attend|some)|ate"
)
_NO_DEED: Final = (
    r"(?!got (?:it|you|that|this|some|the same|let down|an? (?:error|question|idea|bit|feeling)|"
    r"confused|stuck|to\b)"
    r"|took (?:a look|it|that)|ran (?:into|the|it|this)|had (?:a (?:question|feeling|look|blast|"
    r"great|good|lot|hard|tough)|to\b|no\b|fun|some (?:trouble|issues))|saw (?:that|your|the|"
    r"this|it)"
    r"|gave (?:it|that|up)|found (?:it|that|this|out|the|your|a way|myself)|made (?:sure|a mistake|"
    r"it|the (?:right|following|change)|some (?:changes|progress))|read (?:that|somewhere|about|it|"
    r"your|through)|wrote (?:this|the following|it)|created (?:this|the following|it)|left (?:it|"
    r"out)"
    r"|shared (?:it|the|this|my thoughts)|opened (?:the|it)|learned (?:a lot|that|about)|kept "
    r"(?:getting|seeing)|did (?:the|some) (?:same|following|research)|watched (?:it|that|your)|"
    r"need|"
    r"used (?:the|your|this|it|to (?:it|think))|(?:wanted|needed|noticed|wondered|hoped|asked|"
    r"tried|"
    r"looked|agreed|appreciated|mentioned|guessed|assumed|expected|believed|reali[sz]ed|figured|"
    r"followed|copied|pasted|clicked|typed|loved|liked|enjoyed|called (?:it|the)|added (?:the|this|"
    r"it)|changed (?:the|this|it)|removed|updated (?:the|this|it)|replaced|installed|missed|"
    r"decided "
    r"(?:that|against)|implied|imagined|referred|interested|excited|confused|supposed|worried|"
    r"stressed|tired|overwhelmed|disappointed|surprised|received (?:an error|this)|"
    r"fixed (?:the|it|this)|checked (?:the|it|"
    r"this|and)|skipped|indeed|exceed|proceed|succeed|failed|stumbled|needed)\b)"
)
_SINCE: Final = (
    r"been (?!doing (?:great|well|good|fine|ok|some research|a lot of)|reading about|thinking|"
    r"wondering|meaning|wanting|noticing|feeling|eyeing|dreaming|waiting|"
    r"putting (?:it|this|that) off|trying to (?!learn)|looking|considering|struggling|having|"
    r"hoping|getting (?:an|this|the|some)|hearing|debating)(?:to|in|at|with|an?|on|married|vegan|"
    r"vegetarian|\w+ing)"
    r"|got (?:an? (?!question|feeling|problem|idea)|my|the (?!same|point|idea)|two|three|\$|\d)|"
    r"(?!heard|tried|noticed|wondered|looked|used (?:the|it|"
    r"this)|"
    r"needed|asked|mentioned|added|removed|replaced|changed (?:the|it)|checked|confused|"
    r"managed to (?:"
    r"get|make|fix)|already (?:tried|checked)|included|attached|pasted|followed|narrowed|come|seen|"
    r"gone through|thought|forgotten|gotten (?:an|this|the|it|to)|given (?:it|this|up)|"
    r"found (?:that|"
    r"it|the)|shared|provided|written (?:the following|this|so far))(?:\w{3,}ed|built|bought|known|"
    r"written|met|lost|won|quit|cut|taken|sold|spent|paid|taught|grown|ridden|flown|driven)"
    r"|had (?!a (?:look|question|blast|great|good|hard|tough)|to\b|no\b|trouble)"
    r"|made (?!sure|it|some (?:progress|changes))|set (?:up|aside|a)"
)
_NO_STATE: Final = (
    r"(?!an? (?:bit|little|lot|tad|question|fan of (?:this|that|the|your))|the one|one of the)"
)
_DAILY: Final = (
    r"work|live|study|teach|own|drive|play|speak|collect|volunteer|coach|lead|manage|commute|"
    r"rent|grew up|was born|come from|wear|practi[cs]e|train|paint|cook|bake|travel|attend|wake|"
    r"earn|host|use (?!it\b|this|that|the following)|have (?:an?|two|three|four|five|my|our|\d)"
    r"(?! (?:question|feeling|hard time|problem|doubt|favou?r|idea|look|lot|few questions|"
    r"couple of questions|issue|bug|error))|go to|take (?!it|a look|this|that|care|things)|"
    r"run (?:an?|my|our)|write|meditate|exercise|eat|drink|watch (?!it|this|that|the\b|your|out)|"
    r"listen to (?!it|this|that|the\b|your)|dance|sing|swim|hike|knit|sew|garden|grow (?!up)|raise|"
    r"breed|brew|keep (?:bees|chickens|an?)|do (?:yoga|pilates|all kinds of)"
)
_WHEN: Final = (
    r"\b(?:tomorrow|tonight|next|this (?:week|month|year|weekend|summer|winter|spring|fall|autumn|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)|soon|on (?:mon|tues|wednes|thurs|"
    r"fri|satur|sun)day|in (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|by (?:the end|"
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)\w*)\b"
)
_MEETING: Final = (
    r"meeting|appointment|interview|call|conference|deadline|trip|flight|exam|gig|presentation|"
    r"wedding|party|retreat|checkup|surgery|reservation|audition|tournament|recital|defen[cs]e"
)

_ALOUD: Final = (
    r"(?:thinking|considering|looking|trying|hoping|wondering|struggling|debating|"
    r"having (?:trouble|"
    r"issues|problems)|getting (?:an?|this|the) (?:error|issue))"
)
_FEELING: Final = (
    r"(?:(?:kinda|kind of|really|so|a bit|pretty|super|very) )?(?:worried|stressed|nervous|excited|"
    r"anxious|concerned|proud|grateful|thrilled)"
)

TOLD: Final[tuple[tuple[LessonKind, str], ...]] = (
    (
        "preference",
        rf"(?:i|we) {_OFTEN}(?:love|like|enjoy|prefer|hate|dislike|adore|can['’]t stand) "
        r"(?!it\b|that\b|this\b|these|those|the\b|how|when you|your?\b|them\b|him\b|her\b|to "
        r"(?:hear|see|know)|hearing|seeing|all (?:the|of|these))",
    ),
    ("preference", rf"i{_AM} (?:all about|really into|not (?:really |much |that )?into|allergic)"),
    ("preference", r"(?:it|that|this)['’]?s? (?:is |was )?one of my (?:\w+ )?favou?rites?"),
    ("preference", r"i['’]d rather (?!not\b)"),
    ("preference", r".{3,80} (?:is|are) (?:very |really |so |always )?important to me\b"),
    ("preference", r".{3,120}\b(?:are|is) (?:one of )?my (?:main |all-time )?(?:hobb|passion|fav)"),
    ("preference", r"(?:besides|apart from|aside from) .{3,60}, i (?:also )?(?:enjoy|love|like)\b"),
    (
        "person",
        rf"(?:my|our) (?:\w+ ){{0,2}}?(?:{_KIN})(?:s['’]|['’]s \w+)?(?:,? [a-z]\w+,?)? "
        rf"{_OFTEN}(?:{_VERBS})\b",
    ),
    ("person", rf"an? (?:\w+ )?(?:{_KIN}) of (?:mine|ours) {_OFTEN}(?:{_VERBS})\b"),
    (
        "fact",
        rf"my {NOT_OWN}(?:[\w'’-]+ ){{1,4}}(?:is|are|was|were|has|have|costs?|starts?|ends?|"
        r"will be)\b",
    ),
    ("fact", rf"(?:i|we) {_OFTEN}(?:{_DAILY})\b"),
    (
        "fact",
        rf"(?:i|we){_AM} {_OFTEN}{_NO_STATE}(?:an? |one of|from |based in|\d+|in my|married|single|"
        r"divorced|retired|pregnant|engaged|self-employed|working (?:on|at|as|for|with)|living|"
        r"studying|learning|training for|taking|using|writing|building|running (?:an?|my|our) |"
        r"teaching|leading|"
        r"organi[sz]ing|hosting|volunteering|attending|starting|moving|saving|preparing for|"
        r"relaxing|ready to|getting married|able to make)",
    ),
    ("fact", rf"i{_AM} (?-i:[A-Z])\w+, "),
    ("fact", rf"(?:i|we){_HAVE} {_OFTEN}(?:{_SINCE})\b"),
    ("fact", rf"(?:i|we) {_OFTEN}{_NO_DEED}(?:{_DONE})\b(?!['’])"),
    (
        "fact",
        r"(?:just |finally |recently )?(?:been (?:reading|working on|playing|learning|"
        r"practi[cs]ing) "
        r"|(?:went|signed up|started|joined|bought|adopted|won|moved|finished|"
        r"checked out) (?!it\b|the\b|this\b|that\b|with\b))",
    ),
    ("fact", r"i remember (?:that )?(?:i \w+ed|\w+ing)\b"),
    ("fact", r"my name is|i am called|call me (?!back|when|if|later)"),
    (
        "context",
        rf"(?:i|we){_AM} {_OFTEN}(?:planning|scheduled|booked|flying|travell?ing|getting ready|"
        r"supposed) (?:to|on|an?|for|my|our)\b",
    ),
    (
        "context",
        rf"(?:i|we)(?:{_AM} {_OFTEN}(?!{_ALOUD})\w+ing|['’]ll be|{_AM} going to)\b.*{_WHEN}",
    ),
    ("context", rf"(?:i|we)(?:{_HAVE} got| have) an? (?:\S+ ){{0,4}}(?:{_MEETING})\b"),
    (
        "context",
        rf"i(?:{_AM}| feel) {_FEELING} (?:about|that|for|of) .*\b(?:my|our|i)\b.*(?:\d|{_WHEN})",
    ),
    (
        "context",
        r"i (?:really )?(?:(?:hope|want|plan) to|wanna) (?:build (?:an?|my)|become|own|"
        r"live (?!in the moment)|move|study|"
        r"adopt|start (?:an?|my)|open (?:an?|my)|write an? (?!function|script|test)|publish|"
        r"retire|travel)\b",
    ),
    ("context", r"i need to (?:complete|finish|submit|prepare|deliver|schedule|book|renew)\b"),
)
"""Kind and pattern; the first that fits decides."""

HINTED: Final = (
    rf"(?:i|we)(?:{_AM} {_OFTEN}(?:thinking (?:of|about)|considering|looking (?:to|for|into)|"
    rf"trying|hoping|tempted|leaning)|{_HAVE} been (?:thinking|considering|meaning|trying)|"
    r" (?:might|may|could|want to|need to|think i(?:['’]ll|['’]d| will)|guess|plan to|intend to))\b"
)
"""What is thought aloud: it counts only if it comes back in other conversations."""

CORRECTED: Final = (
    r"(?:no[,.]? |and |please |again[,:]? |as i said[,:]? |i (?:told|asked) you(?: to|[:,])? ?)*"
    r"(?:(?:don['’]t|do not|stop|quit|never) (?!worry|forget|mind|know|think|bother|hesitate|get|"
    r"miss|"
    r"let|give up|be\b)\w+|not to \w+|(?:use|write|keep|make|call|say|put|leave) .{3,80}"
    r"\b(?:not|instead of|rather than)\b)"
)
"""How somebody corrects an agent: once it is about the task, again and again it is a rule."""
