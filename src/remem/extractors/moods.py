"""Which words only tell a mood? What everybody says of a good time, of effort and of growth.

"We had a ton of fun", "I gave it my all", "it's a work in progress": true, and nothing to know.
"""

from __future__ import annotations

from typing import Final

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
