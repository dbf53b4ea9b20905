"""English words and patterns that suggest a category, with weights."""

from __future__ import annotations

from typing import Final

from remem.model.entry import Category

STRONG: Final = 3.0
FAIR: Final = 2.0
HINT: Final = 1.0

_VERBS: Final = """accept add aim allow always announce answer apply approve archive ask attach
    avoid back be block book bring build bump buy call cancel change charge check cite clean close
    commit compare compress confirm convert copy count cover create cut delete deploy describe
    discuss document double drain drop empty encrypt escalate expect explain export feed fetch
    file fill flash follow forward give greet handle hang hide hold ignore import include inform
    install invite keep label launch leave let limit link lint listen load lock log look make mark
    measure mention merge mix monitor move mute name never note notify oil open order pack pause
    pay photograph pick pin plan plug post prefer press print promise propose protect publish pull
    push put quote read rebase record refer refuse reject remember remind remove rename repeat
    replace reply report request reserve respect respond restart return review rinse rotate round
    run save say scan schedule search seal send set share show sign skip sort speak split squash
    start state stay steam stop store stir summari[sz]e switch tag take tell tend test thank think
    tighten track translate treat try turn unlock unplug update upload use validate verify wait
    wash watch water wear weigh wipe work wrap write"""
_IMPERATIVE: Final = "|".join(_VERBS.split())
_WHEN: Final = (
    r"(?:(?:the )?(?:end|start|middle) of|(?:early|mid|late)[ -]|(?:the )?\d{1,2}(?:st|nd|rd|"
    r"th)?\b|"
    r"next|this|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|easter|"
    r"christmas|week \d+|the (?:frost|summer|winter|holidays?|weekend)|q[1-4]|tomorrow|20\d\d)"
)

Word = tuple[Category, float, str]
ENGLISH: Final[tuple[Word, ...]] = (
    (
        "instruction",
        STRONG + 0.5,
        r"^(?:never|always|do not|don['’]t|must|no \w+ (?:may|without))\b",
    ),
    (
        "instruction",
        STRONG,
        r"\b(?:must(?: not|n['’]t)?|never|do not|don['’]t|not allowed|forbidden|make sure|"
        r"be sure to|mandatory|under no circumstances|without asking|only (?:with|after|when|if)|"
        r"from (?:now|today) on|at all times|no exceptions?|is off limits|may not|cannot be)\b",
    ),
    (
        "instruction",
        FAIR,
        r"^(?:every|each|all|any|changes?|no) .*\b(?:must|needs?|requires?|gets?|may)\b|\balways\b|"
        r"\b(?:should|shall)\b|\brequired\b|\bbefore \w+ing\b|^no \w+[^.]*, not even|"
        r"\bonly (?:in|on|at|during|by|from|between)\b|\bfirst, then\b|\bis to be\b",
    ),
    (
        "instruction",
        FAIR,
        rf"^(?:before|when|if|after|unless|whenever|for|on|in case of) .{{3,80}}[,:;] (?:please )?"
        rf"(?:{_IMPERATIVE})\b",
    ),
    (
        "instruction",
        FAIR + 0.5,
        rf"^(?:please )?(?:{_IMPERATIVE})\b(?! (?:is|was|are|were|of|has|will)\b|[:：])",
    ),
    (
        "instruction",
        FAIR,
        r"^(?!After|Before|In|On|For|With|Without|All|Not|Both|Only|Is|Has|At|By|From|To|And|But|"
        r"As|Of|"
        r"Under|Over|Into|About|Until|Since|While|When|If|Because|Like|Than|Per|Via|Between|During|"
        r"Behind|Near|Inside|Outside|Through|Where|What|Who|How|Why|That|This|Was|Are|Were|Got|"
        r"Met|Had|"
        r"Made|Took|Gave|Sent|Built|Wrote|Read|Found|Left|Lost|Kept|Held|Paid|Bought|Sold|Ran|Won|"
        r"Saw|"
        r"Cut|Put|Told|Said|Brought|Taught|Heard|Half|Twice|Such|Quite|Even|Just|Still|Also|Then|"
        r"Now|"
        r"Chose|Broke|Spent|Began|Drew|Knew|Lent|Meant|Around|Against|Across|Along|Among|Above|"
        r"Below)"
        r"[A-Z][a-z]{1,11}(?<!s)(?<!ed)(?<!ing)(?<!ly) (?:the|a|an|all|any|both|every|each|your|it|"
        r"them|these|those) ",
    ),
    (
        "preference",
        STRONG + 1,
        r"\b(?:prefers?|preferred|dislikes?|hates?|loves|favou?rites?|(?:would|['’]d) (?:rather|"
        r"like|love)|"
        r"(?:does not|doesn['’]t|do not|don['’]t) (?:like|want|enjoy|care for)|likes|i like|"
        r"enjoys?|"
        r"enjoyed|fond of|can['’]t stand|is annoyed by|annoys|appreciates|always orders|nothing "
        r"else|"
        r"voted for|(?:asks?|asked) for (?:fewer|less|more|shorter|longer|larger|smaller)|please "
        r"no|"
        r"happiest|is happy with|rather not|over-?rated|i hate|i love|i prefer|i want|call me|"
        r"address me|"
        r"comfortable with|is picky|my favou?rite|can do without|puts up with|likes it)\b|"
        r"\bfeedback\b[^.]{0,30}:|, please\b",
    ),
    (
        "preference",
        FAIR,
        r"\bwants?\b|\bin (?:dark|light) (?:mode|theme)|\b(?:dark|light) theme\b|"
        r"^[\w -]{3,30} over [\w -]{3,30},|\btoo (?:long|short|loud|many|much|formal)\b|"
        r"\b(?:are|is) fine\b|^(?:more|less|fewer|no) \w+ ",
    ),
    (
        "decision",
        STRONG + 1,
        r"\b(?:decided|chose|chosen|settled on|agreed(?: with| on| to| that)?|opted for|we "
        r"pick(?:ed)?|"
        r"going with|we(?:['’]re| are) (?:using|going|keeping|dropping)|switch(?:ed|ing) (?:from|"
        r"to|back)|"
        r"we stopped|stopped paying|(?:was|were) dropped|dropped (?:the|our)|abandoned|we take|we "
        r"moved|"
        r"we went with|replaces|superseded by|ruled out|rejected|will not be|gave up|"
        r"the vote was|signed with|cancelled|canceled|we keep|we kept|kept the|won over|went for|"
        r"going forward|"
        r"we (?:buy|bought|sell|sold|rent|hire|build|skip)|it is final|called off|approved|"
        r"dropped)\b",
    ),
    (
        "decision",
        FAIR,
        r"\b(?:rather than|instead of|in favou?r of|not the cheaper|no longer|postponed)\b|^no "
        r"\w+: |"
        r"^[^.:]{3,50}, not [^.:]{2,30}[:;,.] |^we \w+ .*\bbecause\b|\b(?:stays?|stick(?:ing)? "
        r"with|"
        r"remains? with)\b",
    ),
    ("decision", HINT, r"\b(?:because|since) (?:the|it|nobody|its|a|we|half|of)\b"),
    (
        "insight",
        STRONG + 1,
        r"\b(?:lesson|learn(?:ed|t) (?:that|the hard way|from|to)|turn(?:s|ed) out|gotcha|root "
        r"cause|"
        r"pitfall|beware|takeaway|nearly always|almost (?:always|never)|usually|means nothing|"
        r"tends? to|"
        r"in practice|the (?:real |actual )?(?:problem|reason|cause|trick|fix) (?:is|was)|every "
        r"time|"
        r"until we (?:noticed|found)|showed that|(?:came|comes|stems?) from [^.]*\bnot\b|as often|"
        r"what (?:works|helped|matters)|causes|leads to|results in|makes (?:it|them|people)|is "
        r"why|the more|"
        r"the longer|the fewer|halve[sd]|doubled|cost us|saved us|most of the|more than half|"
        r"without (?:it|that),|"
        r"keeps (?:us|people)|is wasted|worth (?:it|the)|in hindsight|underestimated|"
        r"overestimated|it pays to)\b",
    ),
    (
        "insight",
        FAIR,
        r"\b(?:fails?|breaks?|crashe?s?|overheats?|hangs?|leaks?|drops?|slows?|loses?|jams?|"
        r"freezes?|"
        r"stalls?|vanish(?:es)?|rejects?|stops?|corrupts?|explodes?|sticks?|cracks?) (?:\w+ ){0,3}"
        r"(?:when|if|unless|after|whenever|as soon as|above|below|under)\b|\bwhenever\b|"
        r"\bsilently\b|"
        r"\bas soon as\b|\bworks? (?:better|best|only)\b|\b(?:better|faster|more|fewer|less|worse|"
        r"half|"
        r"twice|cheaper) (?:\w+ ){0,4}(?:when|once|than|if|as|the)\b|\b(?:beats?|the best|the "
        r"worst)\b",
    ),
    (
        "insight",
        HINT,
        r"\b(?:surpris\w+|caused by|explains|is not a|are not a|not the same|only after|once we|"
        r"act as|"
        r"rarely|often|mostly|seldom|people)\b|, not (?:from|by|in|at) ",
    ),
    (
        "person",
        STRONG,
        r"\b(?:lives? in|works (?:at|for|as)|birthday|married|wife|husband|daughter|allergic|"
        r"speaks|"
        r"pronouns|grew up|born (?:in|on)|works remotely|introduced us|left \w+ in|the successor "
        r"is|"
        r"reports to|mother tongue|small talk|home is|turns \d\d|retired|widow(?:er)?|nickname|"
        r"goodbye to|(?:uncle|aunt|cousin|niece|nephew|grand(?:ma|pa|mother|father)|"
        r"mother|father|sister|brother)\b)",
    ),
    (
        "person",
        FAIR,
        r"\b(?:is|was|as) (?:a|an|the|our|my|their|his|her) (?:[\w-]+ ){0,3}(?:engineer|developer|"
        r"manager|"
        r"ceo|cto|cfo|founder|lawyer|teacher|doctor|dentist|accountant|landlord|designer|lead|"
        r"officer|"
        r"director|assistant|consultant|investor|client|customer|recruiter|mentor|architect|"
        r"analyst|chef|"
        r"owner|boss|partner|colleague|friend|neighbou?r|nurse|editor|coach|warden|carpenter|"
        r"trainer)\b|"
        r"\b(?:son|partner|colleague|neighbou?r|owns|stands in|responsible for|weekends|hobby|"
        r"contact for|in charge of|looks after|takes care of|maintains)\b",
    ),
    (
        "person",
        FAIR + 0.5,
        r"^[A-Z][\w-]+(?: [A-Z][\w-]+){0,2} ?: "
        r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Frau|Herr|Aunt|Uncle)\.? )?[A-Z]\w+(?: [A-Z]\w+)?,|"
        r"^(?:Met|Talked to|Spoke (?:to|with)|Called|Hired) [A-Z]\w+(?: [A-Z]\w+)?,? (?:who|the|a|"
        r"an|our|from)\b|"
        r"^[A-Z]\w+ (?:does|handles|runs|leads|plays|teaches|drives|cooks|knows|studies|sings)\b",
    ),
    (
        "person",
        FAIR,
        r"\b(?:is|was|became) (?:a|an|the|our|my|his|her|their) (?:[\w-]+ ){0,2}(?!server|computer|"
        r"container|printer|folder|number|order|router|layer|helper|parser|worker|scheduler|filter|"
        r"browser|editor|folder|letter|paper|matter|driver|buffer|cluster|header|mirror|error|"
        r"factor|"
        r"power|water|winner|killer|reminder|tracker|starter|other|later|sensor|monitor|converter)"
        r"\w{3,}(?:er|or|ist|ian|ess|man|woman)\b|\b(?:i am|i['’]m|he is|she is) (?:a|an|the)\b|"
        r"\b(?:studied|teenagers|kids|children|twins|years old|grew|phone number|pensioner)\b",
    ),
    ("person", FAIR, r"\bmoved? to [A-Z]\w+|\b(?:Dr|Prof|Mr|Mrs|Ms|Frau|Herr)\.? [A-Z]\w+"),
    (
        "person",
        HINT,
        r"^[A-Z]\w+ [A-Z]\w+(?:['’]s)? |^(?:He|She|I) |^[A-Z][a-z]+ is (?:a|an|the|our|my) ",
    ),
    (
        "project",
        STRONG,
        rf"\b(?:deadline|milestone|roadmap|sprint|phase \d|budget|next steps?|backlog|mvp|in "
        rf"progress|"
        rf"on hold|kick-?off|appointment|promised for|due (?:on|by|in)|planned (?:for|in)|"
        rf"scheduled|"
        rf"launch(?:es|ing)?|okrs?|target date|go-live|waiting for|pending|goal|half done|still "
        rf"(?:missing|open|to|needs?|waiting|unclear)|arrives?|goes (?:out|live)|(?:\d+|one|two|"
        rf"three) "
        rf"(?:more|left|to go)|to be (?:planned|done|decided|written|ordered)|remaining|ordered|"
        rf"first draft|will (?:be|start|open|move|come|take)|is being|being \\w+ed|"
        rf"drafted|finished|unfinished|almost (?:done|ready)|under (?:way|construction)|in review|"
        rf"underway|registered for|booked|signed up|starts? (?:on|in)|ends? (?:on|by)|rehearsals?|"
        rf"needs (?:a|an|one|two|three|more|to)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in "
        rf"week \\d+|"
        rf"missing|chapters?|draft|ready for|aim(?:s|ing)? (?:for|to)|hope to|want to (?:finish|"
        rf"have))\b|"
        rf"\b(?:by|until|till|before|due|for) {_WHEN}|\b\d+ (?:of|out of) \d+\b",
    ),
    (
        "project",
        FAIR,
        r"\b(?:project|progress|release|ships?|shipped|deployed|a (?:small )?(?:system|app|tool|"
        r"service|"
        r"site|game|book|website) (?:that|for)|asked for it|plans? to|tickets?|pull request|build "
        r"\d+|"
        r"tests?|prototype|beta|version \d[\d.]*|this (?:week|month|quarter|year)|next (?:week|"
        r"month|"
        r"quarter|year)|issue \d+)\b|^(?!nothing|everything|something|anything|during|morning|"
        r"evening|string|king|"
        r"spring|building|meeting|timing|setting|ceiling|wedding|clothing|according)\w{2,}ing "
        r"(?:the|a|an|on|to|for|our|last|\w+s) ",
    ),
    (
        "fact",
        STRONG,
        r"\bports? \d+|\blistens\b|\b(?:is|are) (?:at|in|on|under|located|stored|kept)\b|"
        r"\b\d{1,3}(?:\.\d{1,3}){3}\b|https?://|\bruns (?:on|at|in)\b|\bhosts\b|"
        r"\bis (?:written|built|released) (?:in|with|under)\b|\b(?:ends? in|opening hours|serial "
        r"number)\b|"
        r"\b(?:backups?|invoices?|logs) (?:of \w+ )?(?:run|go)\b|\btime ?zone\b",
    ),
    (
        "fact",
        FAIR,
        r"(?<!\w)[~/][\w.-]+/[\w./-]+|\b(?:version|account|endpoint|hostname|config(?:uration)?|"
        r"folder|"
        r"limit|database|serial|api|server|cron|schedule|needs the|costs?|settings?|since \d{4}|"
        r"number|"
        r"addresses|bytes|threshold|per (?:hour|day|month|year|minute)|contains|consists of|"
        r"measures)\b|"
        r"\b[a-z]:\\",
    ),
    ("fact", FAIR, r"\b(?=[A-Z0-9]*\d)[A-Z0-9]{9,}\b"),
    (
        "fact",
        HINT,
        r"`[^`]+`|^[^:：]{2,40}[:：] |\b\d+(?:[.,]\d+)? ?(?:gb|tb|mb|kwh|km|kg|m|cm|mm|ms|€|\$|%|"
        r"euros?|"
        r"degrees|litres?|percent)\b|\bevery (?:hour|day|night|week|month|\d+)\b",
    ),
)
